/**
 * [N2] Which port belongs to the hub of which bus, for all buses of this user. A hub that is down keeps its port: a
 * client that has its address would otherwise talk to the hub of another bus.
 */
import { join } from "node:path";
import { withoutPassword } from "../contract/secret.ts";
import { databaseFile } from "../location/locate.ts";
import { makeOwnFolder, readOwn, replaceOwn } from "../platform/own-files.ts";
import { exists, fs } from "../platform/system.ts";
import { type Environment, stateFolder } from "../platform/user-folders.ts";

const recordOf = (port: number, env: Environment) => join(stateFolder(env), "ports", String(port));

/** A bus as it is recorded, and shown. */
const busAt = (location: string) => databaseFile(location) ?? withoutPassword(location);

/** The other bus whose hub has this port. One whose file was deleted has none. */
export function otherBusAt(port: number, location: string, env: Environment): string | undefined {
  const bus = recorded(port, env);
  if (bus === undefined || bus === busAt(location)) return undefined;
  return bus.includes("://") || exists(bus) ? bus : undefined;
}

function recorded(port: number, env: Environment): string | undefined {
  try {
    return readOwn(recordOf(port, env))?.trim();
  } catch {
    return undefined; // It is only a record: whoever owns the file, the hub can start.
  }
}

/** The port belongs to this bus from now on, instead of the one that it had. */
export function keepPort(port: number, location: string, env: Environment, had?: number): void {
  try {
    makeOwnFolder(join(stateFolder(env), "ports"));
    replaceOwn(recordOf(port, env), `${busAt(location)}\n`);
    if (had !== undefined && had !== port && recorded(had, env) === busAt(location))
      fs().rmSync(recordOf(had, env), { force: true });
  } catch {
    // The hub serves nevertheless.
  }
}
