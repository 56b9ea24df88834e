/**
 * [N2] What hubs leave on this machine about themselves, in a folder of the bus: a file for each that runs, the log of the one
 * in the background, and which port that had. A file of a hub that was killed is known by its process, and cleared by whoever looks.
 */
import { join } from "node:path";
import type { HubState } from "../contract/hub-state.ts";
import { folderOf } from "../location/locate.ts";
import { hasDied, thisProcess } from "../orch/holder.ts";
import { isOwnFolder, makeOwnFolder, readOwn, replaceOwn } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";
import type { Environment } from "../platform/user-folders.ts";

export interface HubFolder {
  path: string;
  /** Taken by whoever starts or stops the hub in the background. */
  lock: string;
  log: string;
  /** What the hub in the background says when it has started, or why it could not. */
  start: string;
  /** The port it had, so that its address stays the same. */
  port: string;
}

export function hubFolder(location: string, env: Environment): HubFolder {
  const path = folderOf(location, env, "hub");
  const file = (name: string) => join(path, name);
  return { path, lock: file("lock"), log: file("hub.log"), start: file("start.json"), port: file("port") };
}

/** As it is written down; whether its database answers is asked when somebody wants to know. */
export type HubRecord = Omit<HubState, "ready">;

const recordName = /^hub-\d+\.json$/;

/** Writes down that this process serves; the answer takes it back. Where it cannot be written the hub serves all the same. */
export function noteHub(location: string, env: Environment, record: HubRecord): () => void {
  const { path } = hubFolder(location, env);
  const file = join(path, `hub-${record.pid}.json`);
  try {
    makeOwnFolder(path);
    replaceOwn(file, `${JSON.stringify({ ...record, process: thisProcess() })}\n`);
  } catch {
    return () => {};
  }
  return () => fs().rmSync(file, { force: true });
}

/** The hubs of a bus that run here, and how many files of dead ones were cleared. */
export function hubsHere(
  location: string,
  env: Environment,
): { hubs: (HubRecord & { process: string })[]; cleared: number } {
  const { path } = hubFolder(location, env);
  const hubs: (HubRecord & { process: string })[] = [];
  let cleared = 0;
  if (!isOwnFolder(path)) return { hubs, cleared };
  for (const name of fs()
    .readdirSync(path)
    .filter((each) => recordName.test(each))
    .sort()) {
    const file = join(path, name);
    const record = readRecord(file);
    if (record && !hasDied(record.process)) {
      hubs.push(record);
      continue;
    }
    fs().rmSync(file, { force: true });
    cleared++;
  }
  return { hubs, cleared };
}

function readRecord(file: string): (HubRecord & { process: string }) | undefined {
  try {
    const record = JSON.parse(readOwn(file) ?? "");
    return typeof record.process === "string" && typeof record.url === "string" ? record : undefined;
  } catch {
    return undefined; // Not ours, or not whole: no hub writes it in pieces.
  }
}

const readyMs = 1000;

/** With whether its database answers. */
export async function stateOf({
  process: _,
  ...record
}: HubRecord & { process?: string }): Promise<HubState> {
  const address = record.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const ready = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(readyMs) }).then(
    (response) => response.ok,
    () => false,
  );
  return { ...record, ready };
}
