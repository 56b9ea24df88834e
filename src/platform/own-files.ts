/**
 * [X8] The files of a bus must belong to its user. A repository can contain a link, and another user of the machine
 * can put a file or a folder, in place of any of them: anything but a plain file of this user is neither read nor
 * written.
 */

import { InboxError } from "../contract/errors.ts";
import { blank, option, phrase, variable } from "../contract/phrase.ts";
import { shellWord } from "../contract/shell-word.ts";
import { resolve } from "./path.ts";
import { type FileState, fs, look } from "./system.ts";

/** [X7] Whether INBOX_TRUST names a folder that holds this path. */
export function namedInTrust(path: string, env: Record<string, string | undefined> = process.env): boolean {
  const named = env.INBOX_TRUST;
  if (!named) return false;
  return named
    .split(":")
    .filter(Boolean)
    .some((folder) => {
      // A relative path would depend on the working directory, which may be any repository.
      if (!folder.startsWith("/"))
        throw new InboxError(
          "invalid_input",
          `INBOX_TRUST names ${JSON.stringify(folder)}, which is not an absolute path`,
          {
            hint: phrase`give absolute paths, separated by colons; ${option("trust", blank("FOLDER"))} takes a relative one`,
          },
        );
      const whole = resolve(folder);
      return whole === "/" || path === whole || path.startsWith(`${whole}/`);
    });
}

type Kind = "file" | "folder";
const words = { file: "a plain file", folder: "a folder" };

/** Refuses what does not belong to this user; returns what is there, undefined if nothing is. */
export function requireOwn(path: string, kind: Kind): FileState | undefined {
  const found = look(path);
  if (found) check(path, kind, found);
  return found;
}

export const isOwnFolder = (path: string): boolean => {
  const found = look(path);
  return found?.kind === "folder" && isMine(found.owner, path);
};

function check(path: string, kind: Kind, { kind: is, owner }: Pick<FileState, "kind" | "owner">): void {
  if (is !== kind)
    throw new InboxError(
      "not_allowed",
      `${path} is ${is === "link" ? "a symbolic link" : `not ${words[kind]}`}, and is not used`,
      { hint: `${words[kind]} is expected there; remove it if you did not put it there`, details: { path } },
    );
  if (!isMine(owner, path))
    throw new InboxError(
      "not_allowed",
      `${path} belongs to another user (uid ${owner}; you are uid ${process.geteuid?.()}), and is not used`,
      {
        hint: phrase`use another database with ${option("db")}; if you trust its owner, trust the folder: ${option("trust", blank("FOLDER"))}, or ${variable("INBOX_TRUST")}`,
        details: { path, owner },
      },
    );
}

/** Root can do everything anyway. */
function isMine(owner: number, path: string): boolean {
  const me = process.geteuid?.();
  return me === undefined || owner === me || owner === 0 || namedInTrust(path);
}

/** Opens a file of this user, and checks the file that was really opened. It never blocks on a pipe. */
export function openOwn(path: string, flags: number, mode = 0o600): number {
  const { closeSync, constants, fstatSync, openSync } = fs();
  let file: number;
  try {
    file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  } catch (error) {
    requireOwn(path, "file");
    throw error;
  }
  try {
    const found = fstatSync(file);
    check(path, "file", { kind: found.isFile() ? "file" : "other", owner: found.uid });
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** To write at its end, and to read what is there. */
export function openOwnToAppend(path: string): number {
  const { O_APPEND, O_CREAT, O_RDWR } = fs().constants;
  return openOwn(path, O_RDWR | O_APPEND | O_CREAT);
}

/** Creates a file; fails if anything is there. */
export function openOwnNew(path: string): number {
  const { constants, rmSync } = fs();
  // `rmSync` makes an error with its stack where there is nothing, and then ignores it.
  if (look(path)) rmSync(path, { force: true });
  return openOwn(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
}

/** Its text; undefined where there is none. */
export const readOwn = (path: string): string | undefined => readOwnBytes(path)?.toString("utf8");

export function readOwnBytes(path: string): Buffer | undefined {
  if (!look(path)) return undefined;
  const file = openOwn(path, fs().constants.O_RDONLY);
  try {
    return fs().readFileSync(file);
  } finally {
    fs().closeSync(file);
  }
}

/** Replaces a small file as a whole. */
export function replaceOwn(path: string, text: string): void {
  const { closeSync, renameSync, writeFileSync } = fs();
  const file = openOwnNew(`${path}.tmp`);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.tmp`, path);
}

/** Makes the folder where there is none. */
export function makeOwnFolder(path: string): void {
  if (!requireOwn(path, "folder")) fs().mkdirSync(path, { recursive: true, mode: 0o700 });
  requireOwn(path, "folder");
}

/** The same in an existing folder: a deleted folder is not created again. */
export function makeOwnFolderInside(path: string): void {
  try {
    if (!requireOwn(path, "folder")) fs().mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
  requireOwn(path, "folder");
}

/** A folder that cannot be read is not taken for an empty one. */
export function requireReadable(folder: string): void {
  if (look(folder)?.kind !== "folder") return;
  try {
    fs().accessSync(folder, fs().constants.R_OK | fs().constants.X_OK);
  } catch (error) {
    throw new InboxError("storage", `${folder} cannot be read (${(error as { code?: string }).code})`, {
      hint: phrase`it may contain a bus: chmod u+rx ${shellWord(folder)}, or give another with ${option("db")}`,
    });
  }
}
