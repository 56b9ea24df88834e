/** A private folder for incomplete files, which is removed afterwards. */
import { basename, dirname, join, resolve } from "node:path";
import { InboxError } from "../contract/errors.ts";
import { shellWord } from "../contract/shell-word.ts";
import { fileTools } from "../engines/registry.ts";
import { databaseFile } from "../location/locate.ts";
import { isAlive } from "../platform/alive.ts";
import { isOwnFolder, makeOwnFolder } from "../platform/own-files.ts";
import { removeTree } from "../platform/remove-tree.ts";
import { fs, look } from "../platform/system.ts";
import { type Environment, stateFolder } from "../platform/user-folders.ts";

/** Beside a database file, so that what is made there can be renamed into its place; else in the user's own folder. */
export function besideBus(location: string, env: Environment): string {
  return databaseFile(location) === undefined ? join(stateFolder(env), "work") : location;
}

/**
 * A new folder, `NEAR-work-PID-` and random characters. Folders that killed processes left are removed. The folder of
 * a new bus is created, and remains if something is in it.
 */
export async function withWorkFolder<T>(near: string, work: (folder: string) => Promise<T>): Promise<T> {
  const parent = dirname(near);
  const missing = look(parent) === undefined;
  if (missing) makeOwnFolder(parent);
  for (const left of foldersLeft(near)) removeTree(left);
  const folder = fs().mkdtempSync(`${near}-work-${process.pid}-`);
  try {
    return await work(folder);
  } finally {
    removeTree(folder);
    if (missing) removeIfEmpty(parent);
  }
}

/** Those of this user's processes that were killed. In a shared folder somebody else may have made one of that name. */
export function foldersLeft(near: string): string[] {
  const begin = `${basename(near)}-work-`;
  const parent = dirname(near);
  if (!look(parent)) return [];
  return fs()
    .readdirSync(parent)
    .filter((name) => {
      const pid = name.startsWith(begin) ? /^(\d+)-\w{6}$/.exec(name.slice(begin.length))?.[1] : undefined;
      return pid !== undefined && !isAlive(Number(pid));
    })
    .sort()
    .map((name) => join(parent, name))
    .filter(isOwnFolder);
}

function removeIfEmpty(folder: string): void {
  try {
    fs().rmdirSync(folder);
  } catch {
    // Something is in it now.
  }
}

/**
 * [Y6.10] The file that the caller names for writing, in a folder that exists: one that does not was misspelled, or its
 * disk is not mounted.
 */
export function fileToWrite(cwd: string, named: string): string {
  const file = resolve(cwd, named);
  const folder = named.endsWith("/") ? file : dirname(file);
  if (fs().statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return file;
  const there = fs().lstatSync(folder, { throwIfNoEntry: false });
  const isLink = there?.isSymbolicLink() && !fs().existsSync(folder);
  const why = isLink ? "is a link to what does not exist" : there ? "is not a folder" : "does not exist";
  throw new InboxError("invalid_input", `${folder} ${why}; nothing was written`, {
    hint: there
      ? `give a file in ${isLink ? "an existing folder" : "a folder"}`
      : `give a file in an existing folder, or create this one: mkdir -p ${shellWord(folder)}`,
  });
}

/** Renames a complete file into its place. `isOurs` says whether an existing one may be replaced. */
export function publish(made: string, file: string, isOurs: (path: string) => boolean, what: string): void {
  requireReplaceable(file, isOurs, what);
  fs().renameSync(made, file);
  fileTools().syncFolder(dirname(file));
}

export function requireReplaceable(file: string, isOurs: (path: string) => boolean, what: string): void {
  const there = look(file);
  if (!there || (there.kind === "file" && isOurs(file))) return;
  const isFolder = there.kind === "folder";
  const why = isFolder ? "is a folder" : `already exists and is not ${what}`;
  throw new InboxError("conflict", `${file} ${why}; it was not changed`, {
    hint: isFolder ? "name a file in that folder" : "give another file",
  });
}
