/** [A2] Merges into one repository run one after another. A process that dies while it merges does not block others. */
import { join } from "node:path";
import { locked } from "../../platform/file-lock.ts";
import { makeOwnFolder } from "../../platform/own-files.ts";
import { mergeLock } from "./names.ts";

/** A check before a merge may take this long, and other merges may be waiting before this one. */
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
