/**
 * [X7] Which buses and profile files this user has made or approved. Each is a small file in the user's own state
 * folder, named by a hash of what was approved (as direnv does it): so a changed file is another one, two processes never
 * overwrite each other, and nothing in a repository can say that the repository is trusted.
 */

import { makeOwnFolder, namedInTrust, openOwnNew, requireOwn } from "../platform/own-files.ts";
import { dirname, join } from "../platform/path.ts";
import { sha256 } from "../platform/runtime.ts";
import { exists, fileId, fs } from "../platform/system.ts";
import { type Environment, stateFolder } from "../platform/user-folders.ts";
import { databaseFile } from "./locate.ts";

/** A database by its real path and the identity of its file: one that a checkout put in its place is another. */
function busKey(db: string): string | undefined {
  if (databaseFile(db) === undefined) return undefined;
  const id = fileId(db);
  return id && `bus ${join(fs().realpathSync(dirname(db)), db.slice(dirname(db).length))} ${id}`;
}

const profilesKey = (file: string, text: string) =>
  `profiles ${fs().realpathSync(dirname(file))} ${sha256(text)}`;

const trustFolder = (env: Environment) => join(stateFolder(env), "trust");
const markOf = (key: string, env: Environment) => join(trustFolder(env), sha256(key));

/** A bus on a server is named by its user, never found in a folder. */
export function isBusTrusted(db: string, env: Environment): boolean {
  if (databaseFile(db) === undefined || namedInTrust(db, env)) return true;
  return isMarked(busKey(db), env);
}

export const areProfilesTrusted = (file: string, text: string, env: Environment): boolean =>
  namedInTrust(file, env) || isMarked(profilesKey(file, text), env);

function isMarked(key: string | undefined, env: Environment): boolean {
  if (key === undefined || !exists(trustFolder(env))) return false;
  requireOwn(trustFolder(env), "folder");
  return requireOwn(markOf(key, env), "file") !== undefined;
}

export function trustBus(db: string, env: Environment): void {
  mark(busKey(db), env);
}

export const trustProfiles = (file: string, text: string, env: Environment) =>
  mark(profilesKey(file, text), env);

/** Contains what it is for, for people. */
function mark(key: string | undefined, env: Environment): void {
  if (key === undefined) return;
  makeOwnFolder(stateFolder(env));
  makeOwnFolder(trustFolder(env));
  const { closeSync, writeSync } = fs();
  const file = openOwnNew(markOf(key, env));
  writeSync(file, `${key}\n`);
  closeSync(file);
}

export function distrustBus(db: string, env: Environment): void {
  unmark(busKey(db), env);
}

export const distrustProfiles = (file: string, text: string, env: Environment) =>
  unmark(profilesKey(file, text), env);

function unmark(key: string | undefined, env: Environment): void {
  if (key !== undefined) fs().rmSync(markOf(key, env), { force: true });
}
