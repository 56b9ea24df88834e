/**
 * [N2] The hub in the background: started, found, ended. A process that starts or stops it holds a lock, so two at
 * once do it once. Only a running process counts (hub-folder.ts): a file that a killed one left is ignored.
 */
import { dirname } from "node:path";
import { type ErrorCode, errorTable, InboxError } from "../contract/errors.ts";
import { type HubElsewhere, type Manager, serviceVariable, untilVariable } from "../contract/hub-state.ts";
import { call, field, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { shellWord } from "../contract/shell-word.ts";
import { databaseFile } from "../location/locate.ts";
import { impersonal, placeVariables } from "../orch/environment.ts";
import { hasDied, hostIn, isOfThisHost } from "../orch/holder.ts";
import { profilesVariable } from "../orch/paths.ts";
import { programWords } from "../orch/program.ts";
import { locked } from "../platform/file-lock.ts";
import { makeOwnFolder, readOwn } from "../platform/own-files.ts";
import { exists, fs } from "../platform/system.ts";
import type { Environment } from "../platform/user-folders.ts";
import { hubFolder, hubsHere, type StoredHub } from "./hub-folder.ts";
import { launchd } from "./launchd.ts";
import { detached } from "./process.ts";
import { systemd } from "./systemd.ts";
import type { Keeper, Unit } from "./unit.ts";

/** The system's own manager first. */
const keepers: readonly Keeper[] = [launchd, systemd, detached];

/** The one that was named, else the first that this system has. */
export function keeperOf(manager: Manager | undefined, env: Environment): Keeper {
  const found = keepers.find(
    (each) => (manager === undefined || each.manager === manager) && each.isThere(env),
  );
  if (found) return found;
  throw new InboxError("invalid_input", `this system has no ${manager} for this user`, {
    hint: phrase`leave out ${field("manager")}: it then uses what there is`,
  });
}

export interface ServedBus {
  location: string;
  env: Environment;
  delivery?: string;
}

const pathVariables = (env: Environment): Record<string, string> =>
  Object.fromEntries(["PATH", "HOME"].flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

const startMs = 30_000;
const lockMs = 60_000;
const lookMs = 20;

/** While nobody else starts or stops the hub of this bus. A bus that was deleted with its folder does not come back. */
export function alone<T>({ location, env }: ServedBus, work: () => Promise<T>): Promise<T> {
  const folder = hubFolder(location, env);
  if (databaseFile(location) !== undefined && !exists(dirname(folder.path))) return work();
  makeOwnFolder(folder.path);
  return locked(folder.lock, work, { waitMs: lockMs });
}

export function unitOf(
  { location, env, delivery }: ServedBus,
  manager: Manager,
  args: readonly string[],
): Unit {
  const folder = hubFolder(location, env);
  const shown = withoutPassword(location);
  // A manager starts it with another environment.
  const kept = manager === "process" ? {} : { ...pathVariables(env), ...placeVariables(env) };
  return {
    id: Bun.hash(shown).toString(16).padStart(16, "0").slice(0, 10),
    title: shown,
    words: [
      ...programWords(),
      ...["serve", "--json", "--db", shown, "--log", "json", "--log-file", folder.log],
      ...args,
    ],
    variables: {
      ...kept,
      // The command line in `ps` has no password.
      ...(shown !== location && { INBOX_DB: location }),
      ...(delivery !== undefined && { INBOX_DELIVERY: delivery }),
      ...profilesVariable(env),
      INBOX_PROGRAM: "inbox",
      [serviceVariable]: manager,
      ...(env[untilVariable] && { [untilVariable]: env[untilVariable] }),
    },
    folder,
    env: impersonal(env),
  };
}

/** Starts a hub, and waits until it serves; throws the hub's own error. */
export async function begin(place: ServedBus, keeper: Keeper, args: readonly string[]): Promise<StoredHub> {
  const unit = unitOf(place, keeper.manager, args);
  fs().rmSync(unit.folder.start, { force: true });
  try {
    keeper.start(unit);
  } catch (error) {
    quietly(() => keeper.stop(unit));
    throw new InboxError("storage", `${keeper.manager} did not start the hub: ${(error as Error).message}`);
  }
  const deadline = performance.now() + startMs;
  while (performance.now() < deadline) {
    const said = answerIn(readOwn(unit.folder.start) ?? "");
    if (said?.ok) {
      const hub = hubsHere(place.location, place.env).find(({ pid }) => pid === said.pid);
      if (hub) return hub;
    } else if (said) {
      quietly(() => keeper.stop(unit));
      throw new InboxError(said.error.code, said.error.message, { hint: said.error.hint });
    }
    await Bun.sleep(lookMs);
  }
  quietly(() => keeper.stop(unit));
  const output = readOwn(unit.folder.start)?.trim();
  throw new InboxError(
    "storage",
    `the hub did not start within ${startMs / 1000} s${output ? `: ${output.slice(-500)}` : ""}`,
    {
      hint: `its log is ${unit.folder.log}`,
    },
  );
}

type Said =
  | { ok: true; pid: number }
  | { ok: false; error: { code: ErrorCode; message: string; hint: string } };

/** Its first complete line that is an answer; warnings may come before it. */
function answerIn(text: string): Said | undefined {
  for (const line of text.split("\n").slice(0, -1))
    try {
      const value = JSON.parse(line);
      if (value.ok === true || value.error?.code in errorTable) return value;
    } catch {
      // A warning.
    }
  return undefined;
}

/** No manager starts it again, even if it does not run at this moment. */
export function forget(place: ServedBus): void {
  for (const keeper of keepers) keeper.stop(unitOf(place, keeper.manager, []));
}

const endMs = 15_000;

/** Ends a hub; true if it had to be killed. One of another host is refused: here its pid is that of another process. */
export async function end(hub: StoredHub): Promise<boolean> {
  if (!isOfThisHost(hub.process)) throw notHere({ host: hostIn(hub.process), url: hub.url, pid: hub.pid });
  const isGone = () => hasDied(hub.process);
  quietly(() => isGone() || process.kill(hub.pid, "SIGTERM"));
  if (await within(endMs, isGone)) return false;
  quietly(() => process.kill(hub.pid, "SIGKILL"));
  await within(endMs, isGone);
  return true;
}

/** Only the host of a hub can end it. */
export const notHere = ({ host, url, pid, file }: Omit<HubElsewhere, "file"> & { file?: string }) =>
  new InboxError(
    "conflict",
    `the hub of this bus is recorded on host ${host} (${url}, process ${pid}), and cannot be stopped from here`,
    {
      hint: phrase`run ${call("bus.down")} on ${host}${file === undefined ? "" : `; if it no longer runs there, delete ${shellWord(file)}`}`,
    },
  );

async function within(ms: number, holds: () => boolean): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(lookMs);
  }
  return true;
}

function quietly(work: () => unknown): void {
  try {
    work();
  } catch {
    // It is gone, or never existed.
  }
}
