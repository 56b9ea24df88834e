/**
 * [Y6] [X7] Which backups this user has made on this machine: a mark that only a key in the user's own state folder
 * can make. Somebody who writes or changes an archive does not have that key, so a bus restored from it is as
 * untrusted as any other from elsewhere.
 */
import { join } from "node:path";
import { makeOwnFolder, openOwnNew, readOwn } from "../platform/own-files.ts";
import { fs } from "../platform/system.ts";
import { type Environment, stateFolder } from "../platform/user-folders.ts";

const keyFile = (env: Environment) => join(stateFolder(env), "backup-key");

/** The mark of a text, made with the user's key; the first one makes the key. */
export function markOf(text: string, env: Environment): string {
  return sign(text, readOwn(keyFile(env)) ?? newKey(env));
}

export function isMarked(text: string, mark: string | undefined, env: Environment): boolean {
  const key = readOwn(keyFile(env));
  if (key === undefined || mark === undefined) return false;
  const [wanted, given] = [sign(text, key), mark].map((each) => Buffer.from(each));
  const { timingSafeEqual } = require("node:crypto") as typeof import("node:crypto");
  return wanted!.length === given!.length && timingSafeEqual(wanted!, given!);
}

const sign = (text: string, key: string) =>
  new Bun.CryptoHasher("sha256", key.trim()).update(text).digest("hex");

/** Two processes that create it at once get the same one: a name is created only once. */
function newKey(env: Environment): string {
  makeOwnFolder(stateFolder(env));
  const { closeSync, fsyncSync, linkSync, rmSync, writeSync } = fs();
  const own = `${keyFile(env)}.${process.pid}`;
  const file = openOwnNew(own);
  try {
    writeSync(file, `${crypto.getRandomValues(Buffer.alloc(32)).toString("hex")}\n`);
    fsyncSync(file);
    linkSync(own, keyFile(env));
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  } finally {
    closeSync(file);
    rmSync(own, { force: true });
  }
  return readOwn(keyFile(env))!;
}
