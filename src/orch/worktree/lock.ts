/** [A2] Merges into one repository go one after the other. Who dies meanwhile holds up nobody. */
import { join } from "node:path";
import { locked } from "../../platform/file-lock.ts";
import { makeOwnFolder } from "../../platform/own-files.ts";
import { mergeLock } from "./names.ts";

/** A check before a merge may take this long, and others are before it. */
const waitMs = 24 * 3_600_000;
const pauseMs = 100;

export async function oneAtATime<T>(
  { folder, repository, signal }: { folder: string; repository: string; signal?: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  makeOwnFolder(folder);
  const name = new Bun.CryptoHasher("sha256").update(repository).digest("hex").slice(0, 12);
  return locked(join(folder, `${mergeLock}${name}`), work, { waitMs, pauseMs, signal });
}
