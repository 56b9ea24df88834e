/**
 * [N2] The files that hubs keep on this machine, in a folder of the bus: one for each running hub, the log of the one
 * in the background, and its port. A file of a hub that was killed is recognised by its process, and removed by the
 * next process that looks.
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

/** As it is stored; whether its database answers is checked on request. */
export type HubRecord = Omit<HubState, "ready">;

const recordName = /^hub-\d+\.json$/;

/**
 * Records that this process serves; the returned function removes the record. If it cannot be written the hub serves
 * nevertheless.
 */
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
    return undefined; // Not ours, or incomplete: no hub writes it in pieces.
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
