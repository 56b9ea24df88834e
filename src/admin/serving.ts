/** The processes that use a bus now: the hub, the supervisor, and processes that have its file open. */
import { supervisorNow } from "../bus/tasks/supervision.ts";
import { InboxError } from "../contract/errors.ts";
import { call, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { engineAt, openEngine } from "../engines/registry.ts";
import { databaseFile } from "../location/locate.ts";
import { hasDied } from "../orch/holder.ts";
import { openersOf } from "../platform/open-files.ts";
import { fs } from "../platform/system.ts";
import type { Environment } from "../platform/user-folders.ts";
import { addressesHere } from "../service/hub-folder.ts";

const usualHub = "http://127.0.0.1:3456";

interface Health {
  program?: string;
  db?: string;
  pid?: number;
}

export const healthAt = (hub: string): Promise<Health | undefined> =>
  fetch(`${hub}/healthz`, { signal: AbortSignal.timeout(500) })
    .then((response) => response.json() as Promise<Health>)
    .catch(() => undefined);

export interface Hub {
  url: string;
  pid: number | undefined;
  db: string | undefined;
  /** Whether it serves the bus that was asked about. */
  servesIt: boolean;
}

/** The hub stored in the bus, those recorded on this machine, and one at the usual address, if they answer. */
export async function hubsNear(location: string, env: Environment): Promise<Hub[]> {
  const db = withoutPassword(location);
  // Nothing is known about a database that cannot be read.
  const noted = await engineAt(location)
    .notedHub(location)
    .catch(() => null);
  const hubs: Hub[] = [];
  const known = [...(noted === null ? [] : [noted]), ...addressesHere(location, env), usualHub];
  for (const url of new Set(known)) {
    const health = await healthAt(url);
    if (health?.program === "restante")
      hubs.push({ url, pid: health.pid, db: health.db, servesIt: health.db === db });
  }
  return hubs;
}

/** [Y6] Refuses to replace a bus that is in use: writes would go to the old one. */
export async function requireUnused(location: string, env: Environment): Promise<void> {
  const hub = (await hubsNear(location, env)).find(({ servesIt }) => servesIt);
  if (hub) throw inUse(location, `the hub at ${hub.url} (process ${hub.pid}) serves it`);
  const supervisor = await supervisorOf(location);
  if (supervisor !== undefined) throw inUse(location, `a supervisor (${supervisor}) supervises its tasks`);
  if (databaseFile(location) === undefined) return;
  const path = fs().existsSync(location) ? fs().realpathSync(location) : location;
  const [opener] = openersOf(["", "-wal", "-shm"].map((end) => `${path}${end}`));
  if (opener) throw inUse(location, `process ${opener.pid} (${opener.name}) has it open`);
}

async function supervisorOf(location: string): Promise<string | undefined> {
  let engine: ReturnType<typeof openEngine> | undefined;
  try {
    engine = openEngine(location);
    return await engine.read((tx) => supervisorNow(tx, hasDied));
  } catch {
    return undefined; // There is none, or none that can be read.
  } finally {
    await engine?.close();
  }
}

const inUse = (location: string, why: string) =>
  new InboxError("busy", `${withoutPassword(location)} is in use: ${why}; nothing was changed`, {
    hint: phrase`stop it first, and whatever else uses this bus; ${call("bus.down")} stops a hub that runs in the background`,
  });
