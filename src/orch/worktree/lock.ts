/** [A2] Merges into one repository go one after the other. Who dies meanwhile holds up nobody. */
import { join } from "node:path";
import { makeOwnFolder, readOwn } from "../../platform/own-files.ts";
import { fs } from "../../platform/system.ts";
import { hasDied, thisProcess } from "../holder.ts";
import { mergeLock } from "./names.ts";

const pauseMs = 50;

/**
 * Should two ever hold it at once, because both found its holder dead, then no harm is done: a branch is moved only from
 * where the merge began (merge.ts).
 */
export async function oneAtATime<T>(
  { folder, repository, signal }: { folder: string; repository: string; signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  makeOwnFolder(folder);
  const file = join(
    folder,
    `${mergeLock}${new Bun.CryptoHasher("sha256").update(repository).digest("hex").slice(0, 12)}`,
  );
  while (!take(file)) {
    signal?.throwIfAborted();
    await Bun.sleep(pauseMs);
  }
  try {
    return await work();
  } finally {
    fs().rmSync(file, { force: true });
  }
}

/** Written whole before it has its name: nobody reads half of it. */
function take(file: string): boolean {
  const { linkSync, rmSync, writeFileSync } = fs();
  const mine = `${file}.${crypto.randomUUID()}`;
  writeFileSync(mine, thisProcess(), { mode: 0o600 });
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
    if (isLeft(file)) rmSync(file, { force: true });
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Its holder has died. One that is gone by now was given back. */
export function isLeft(file: string): boolean {
  try {
    const holder = readOwn(file);
    return holder !== undefined && hasDied(holder);
  } catch {
    return false;
  }
}
