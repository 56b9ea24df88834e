/** [N2] `inbox up`: the hub of a bus, in the background. */
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { call, phrase } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import { engineAt } from "../engines/registry.ts";
import { type Asked, brokerOf, locateOrNew } from "../location/locate.ts";
import { makeOwnFolder, readOwn, replaceOwn } from "../platform/own-files.ts";
import { alone, begin, end, keeperOf, type ServedBus } from "../service/background.ts";
import { hubFolder, hubsHere, isLost, type StoredHub, stateOf } from "../service/hub-folder.ts";
import { keepPort, otherBusAt } from "../service/hub-ports.ts";
import { bindable, isFree } from "../service/listen.ts";
import type { Keeper } from "../service/unit.ts";
import { createOwnBus } from "./create-bus.ts";
import { firstToken } from "./first-token.ts";
import { occupantOf } from "./install-bus.ts";
import { requireDatabase } from "./require-database.ts";
import { healthAt } from "./serving.ts";

type Input = ParsedOf<"bus.up">;

const usualHost = "127.0.0.1";
const usualPort = 3456;
const triedPorts = 20;
const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host);

export async function busUp(asked: Asked, input: Input): Promise<OutputOf<"bus.up">> {
  const location = locateOrNew(asked);
  requireDatabase("up", location, "a hub cannot serve another hub: name a file or a postgres:// address");
  const place: ServedBus = { location, env: asked.env, delivery: brokerOf(asked.env, asked.delivery) };
  const warnings: string[] = [];
  await requireAddress(place, input);
  const { created } = await createOwnBus(location, (message) => warnings.push(message));
  return alone(place, async () => {
    const hubs = hubsHere(location, asked.env);
    // Nobody can use one whose database file was deleted or replaced, and it keeps the port.
    await Promise.all(hubs.filter((hub) => isLost(hub) && hub.manager !== "foreground").map(end));
    const serving = hubs.filter((hub) => !isLost(hub));
    const running = serving.find((hub) => isAsAsked(hub, input)) ?? serving[0];
    if (running) return already(place, running, input);
    const exposed = [input.host ?? usualHost, ...(input.allowHost ?? [])].some((name) => !isLoopback(name));
    const token = exposed || input.auth ? await firstToken(location) : null;
    const { hub, keeper, portReason } = await started(place, input, warnings);
    return {
      db: withoutPassword(location),
      ...(created && { created }),
      hub: await stateOf(hub, engineAt(location).schemaVersion()),
      already: false,
      token,
      comesBack: keeper.comesBack,
      ...(portReason !== undefined && { portReason }),
      ...(warnings.length > 0 && { warnings }),
    };
  });
}

/** How often, and how long apart, a new bus looks for its address. */
const looks = 4;
const lookMs = 50;

/**
 * [S2.7] A hub that cannot listen on its address creates no bus. One of a bus that was deleted still has its port. [N2.2]
 * Another `up` of the same bus may just be looking, or starting the hub: then this one is not refused.
 */
async function requireAddress({ location, env }: ServedBus, { host = usualHost, port }: Input) {
  const isNew = async () =>
    !hubsHere(location, env).length && (await occupantOf(location)).state === "missing";
  for (let look = 1; await isNew(); look++)
    try {
      await bindable(host, port ?? 0);
      if (port !== undefined || portsFor(lastPort(location, env)).some((one) => isFree(host, one))) return;
      throw allInUse();
    } catch (error) {
      if (look === looks) throw error;
      await Bun.sleep(lookMs);
    }
}

/** The port of the last hub of this bus. */
const lastPort = (location: string, env: Asked["env"]) =>
  Number(readOwn(hubFolder(location, env).port)) || undefined;

/** Those that are tried if none was given, the best first. */
const portsFor = (had: number | undefined): number[] => [
  ...new Set([had ?? usualPort, ...Array.from({ length: triedPorts }, (_, i) => usualPort + i)]),
];

const allInUse = () =>
  new InboxError("storage", `ports ${usualPort} to ${usualPort + triedPorts - 1} are all in use`, {
    hint: phrase`choose another: ${call("bus.up", { port: 8080 })}`,
  });

/** Of several hubs of a bus, one may be the one that is asked for. */
function isAsAsked(
  hub: StoredHub,
  { port, host, auth, manager }: Pick<Input, "port" | "host" | "auth" | "manager">,
): boolean {
  const { port: at, hostname } = new URL(hub.url);
  const elsewhere = (port !== undefined && String(port) !== at) || (host !== undefined && host !== hostname);
  const otherwise = manager !== undefined && manager !== hub.manager;
  return !elsewhere && !otherwise && (!auth || hub.auth);
}

async function already(
  { location, env }: ServedBus,
  hub: StoredHub,
  { port, host, auth, manager }: Input,
): Promise<OutputOf<"bus.up">> {
  if (!isAsAsked(hub, { port, host, auth, manager })) {
    const wanted = {
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(manager !== undefined && { manager }),
      auth,
    };
    const stopped =
      hub.manager === "foreground" ? "stop it with Ctrl-C" : phrase`${call("bus.down")} stops it`;
    throw new InboxError(
      "conflict",
      `a hub already serves this bus at ${hub.url}${hub.auth ? "" : ", without tokens"} (process ${hub.pid}, manager: ${hub.manager})`,
      { hint: phrase`${stopped}; then ${call("bus.up", wanted)} starts it as you asked` },
    );
  }
  const state = await stateOf(hub, engineAt(location).schemaVersion());
  const comesBack = hub.manager === "foreground" ? "not" : keeperOf(hub.manager, env).comesBack;
  return { db: withoutPassword(location), hub: state, already: true, token: null, comesBack };
}

/** With the system's own manager; if that refuses, and it was not requested, without one. */
async function started(
  place: ServedBus,
  input: Input,
  warnings: string[],
): Promise<Started & { keeper: Keeper }> {
  const keeper = keeperOf(input.manager, place.env);
  try {
    return { ...(await onSomePort(place, keeper, input, warnings)), keeper };
  } catch (error) {
    const ofManager = error instanceof InboxError && error.message.startsWith(`${keeper.manager} did not`);
    if (!ofManager || input.manager !== undefined) throw error;
    warnings.push(`${(error as Error).message}; it runs as a detached process instead`);
    const plain = keeperOf("process", place.env);
    return { ...(await onSomePort(place, plain, input, warnings)), keeper: plain };
  }
}

interface Taken {
  /** Whether the port is the one of this bus from now on. */
  keeps: boolean;
  reason?: string;
}

interface Started {
  hub: StoredHub;
  /** Why it has not the port that it had, or the usual one. */
  portReason?: string;
}

async function onSomePort(
  place: ServedBus,
  keeper: Keeper,
  input: Input,
  warnings: string[],
): Promise<Started> {
  const { host = usualHost, allowHost = [], auth } = input;
  const rest = ["--host", host, ...(auth ? ["--auth"] : [])];
  if (allowHost.length) rest.push("--allow-host", allowHost.join(","));
  const folder = hubFolder(place.location, place.env);
  makeOwnFolder(folder.path);
  const had = lastPort(place.location, place.env);
  const begun = async (port: number, { keeps, reason }: Taken): Promise<Started> => {
    const hub = await begin(place, keeper, ["--port", String(port), ...rest]);
    const at = Number(new URL(hub.url).port);
    if (keeps) {
      replaceOwn(folder.port, `${at}\n`);
      keepPort(at, place.location, place.env, had);
    }
    return { hub, portReason: reason };
  };
  const belongs = (port: number) => {
    const other = otherBusAt(port, place.location, place.env);
    return other === undefined ? undefined : `port ${port} belongs to the hub of ${other}`;
  };
  if (input.port !== undefined) {
    const other = otherBusAt(input.port, place.location, place.env);
    const started = await begun(input.port, { keeps: other === undefined });
    if (other !== undefined)
      warnings.push(
        `port ${input.port} belongs to the hub of ${other}, which is not running and gets it back: until this hub stops, clients that have this address talk to this bus`,
      );
    return started;
  }
  const ports = portsFor(had);
  let reason: string | undefined;
  // The port of this bus, used by a hub of another one for now.
  const isLent = had !== undefined && !isFree(host, had) && (await isHubAt(host, had));
  // If every port belongs to some bus, one whose hub is down is better than none.
  for (const port of [...ports.filter((one) => !belongs(one)), ...ports.filter(belongs)]) {
    reason = port === ports[0] ? undefined : (reason ?? belongs(ports[0]!));
    if (!isFree(host, port)) {
      reason ??= `port ${port} is in use`;
      continue;
    }
    try {
      return await begun(port, { keeps: !isLent, reason });
    } catch (error) {
      // Another program took the port in between.
      if (isFree(host, port)) throw error;
      reason ??= `port ${port} is in use`;
    }
  }
  throw allInUse();
}

async function isHubAt(host: string, port: number): Promise<boolean> {
  const here = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const name = here.includes(":") && !here.startsWith("[") ? `[${here}]` : here;
  return (await healthAt(`http://${name}:${port}`))?.program === "restante";
}
