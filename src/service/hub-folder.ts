/**
 * [N2] The files that hubs keep on this machine, in a folder of the bus: one for each running hub, the log of the one
 * in the background, and its port. The file of a hub that was killed is recognised by its process, and removed by the
 * next process that looks. Several hosts may share such a folder, as containers do: a record of another host is never
 * removed here, and says nothing about the processes here.
 */
import { dirname, join } from "node:path";
import type { HubElsewhere, HubState } from "../contract/hub-state.ts";
import { type Asked, databaseFile, folderOf, locate, usualDatabase } from "../location/locate.ts";
import { hasDied, hostIn, isOfThisHost, thisProcess } from "../orch/holder.ts";
import { thisHost } from "../orch/paths.ts";
import { isOwnFolder, makeOwnFolder, readOwn, replaceOwn } from "../platform/own-files.ts";
import { exists, fs } from "../platform/system.ts";
import { type Environment, stateFolder } from "../platform/user-folders.ts";

export interface HubFolder {
  path: string;
  /** Held by a process that starts or stops the hub in the background. */
  lock: string;
  log: string;
  /** What the hub in the background prints when it has started, or why it could not. */
  start: string;
  /** The port it had, so that its address stays the same. */
  port: string;
}

export function hubFolder(location: string, env: Environment): HubFolder {
  const path = folderOf(location, env, "hub");
  const file = (name: string) => join(path, name);
  return { path, lock: file("lock"), log: file("hub.log"), start: file("start.json"), port: file("port") };
}

/** Whether its database answers, and is still there, is checked on request. */
export type HubRecord = Omit<HubState, "ready" | "lost" | "outdated">;

/** As it is stored. */
export interface StoredHub extends HubRecord {
  /** Host and process, as `thisProcess` writes them. */
  process: string;
  /** The database, if it is a file, and which file that was. */
  database?: { path: string; file: string };
}

/** With the host: on two hosts that share a folder, processes may have the same pid. */
const recordFile = (pid: number) => `hub-${encodeURIComponent(thisHost())}-${pid}.json`;
/** Also without a host, as earlier versions wrote it. */
const recordName = /^hub-(.+-)?\d+\.json$/;

/**
 * Where a hub of a database file is recorded a second time: the folder beside the file may be deleted together with
 * it, while the hub keeps running.
 */
const recordsOfUser = (env: Environment) => join(stateFolder(env), "hubs");

/** Which file is at a path now; undefined if there is none. */
function fileAt(path: string): string | undefined {
  const found = fs().statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Its database file was deleted or replaced. On another host the same file has another number. */
export const isLost = ({ database, process }: StoredHub) =>
  database !== undefined && isOfThisHost(process) && fileAt(database.path) !== database.file;

/**
 * Records that this process serves; the returned function removes the records. If one cannot be written the hub serves
 * nevertheless.
 */
export function noteHub(location: string, env: Environment, record: HubRecord): () => void {
  const path = databaseFile(location);
  const file = path === undefined ? undefined : fileAt(path);
  const database = path === undefined || file === undefined ? undefined : { path, file };
  const stored: StoredHub = { ...record, process: thisProcess(), ...(database && { database }) };
  const written: string[] = [];
  for (const folder of [hubFolder(location, env).path, ...(database ? [recordsOfUser(env)] : [])])
    try {
      makeOwnFolder(folder);
      const name = join(folder, recordFile(record.pid));
      replaceOwn(name, `${JSON.stringify(stored)}\n`);
      written.push(name);
    } catch {
      // It is found by the other one, or not at all.
    }
  return () => {
    for (const name of written) fs().rmSync(name, { force: true });
  };
}

/** The hubs of a bus that run here. Files of dead ones are removed. */
export function hubsHere(location: string, env: Environment): StoredHub[] {
  const path = databaseFile(location);
  const here = (folder: string) =>
    recordsIn(folder).flatMap(({ hub }) => (isOfThisHost(hub.process) ? [hub] : []));
  const beside = here(hubFolder(location, env).path);
  const others = path === undefined ? [] : here(recordsOfUser(env));
  const known = new Set(beside.map(({ pid }) => pid));
  return [...beside, ...others.filter(({ pid, database }) => database?.path === path && !known.has(pid))];
}

/**
 * The hubs of a bus that were recorded on other hosts that share its folder. Whether they still run is not known here.
 * Those in the user's own folder do not count: the same path may be another database there.
 */
export const hubsElsewhere = (location: string, env: Environment): HubElsewhere[] =>
  recordsIn(hubFolder(location, env).path).flatMap(({ file, hub: { process, url, pid } }) =>
    isOfThisHost(process) ? [] : [{ host: hostIn(process), url, pid, file }],
  );

/** With the file that each is in. Files of dead hubs are removed. */
function recordsIn(folder: string): { file: string; hub: StoredHub }[] {
  if (!isOwnFolder(folder)) return [];
  const names = fs()
    .readdirSync(folder)
    .filter((each) => recordName.test(each))
    .sort();
  return names.flatMap((name) => {
    const file = join(folder, name);
    const hub = readRecord(file);
    if (hub && !hasDied(hub.process)) return [{ file, hub }];
    fs().rmSync(file, { force: true });
    return [];
  });
}

function readRecord(file: string): StoredHub | undefined {
  try {
    const record = JSON.parse(readOwn(file) ?? "");
    return typeof record.process === "string" && typeof record.url === "string" ? record : undefined;
  } catch {
    return undefined; // Not ours, or incomplete: no hub writes it in pieces.
  }
}

/**
 * The bus whose hubs a command is about: also one whose database file was deleted, if a hub of it still runs.
 * Otherwise as every command finds its bus.
 */
export function locateServed(asked: Asked): string {
  if (asked.db === undefined && !asked.env.INBOX_DB)
    for (let folder = asked.cwd; ; folder = dirname(folder)) {
      const path = join(folder, usualDatabase);
      if (exists(path)) break;
      if (hubsHere(path, asked.env).length) return path;
      if (dirname(folder) === folder) break;
    }
  return locate(asked);
}

/** Where processes on this machine reach it. */
const addressHere = ({ url }: HubRecord) =>
  url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");

/** The addresses of the hubs that serve a bus here, whether or not they supervise it. */
export const addressesHere = (location: string, env: Environment): string[] =>
  hubsHere(location, env).flatMap((hub) => (isLost(hub) ? [] : [addressHere(hub)]));

const readyMs = 1000;

/** [S3.4] Whether its program knows an earlier version of the schema than this one. */
export const isOutdated = (hub: StoredHub, schema: number) => (hub.schema ?? 0) < schema;

/** With whether its database answers. `schema`: the version that this program knows. */
export async function stateOf(hub: StoredHub, schema: number): Promise<HubState> {
  const { process: _, database: __, ...record } = hub;
  const ready = await fetch(`${addressHere(hub)}/readyz`, { signal: AbortSignal.timeout(readyMs) }).then(
    (response) => response.ok,
    () => false,
  );
  return {
    ...record,
    ready,
    ...(isOutdated(hub, schema) && { outdated: true as const }),
    ...(isLost(hub) && { lost: true as const }),
  };
}
