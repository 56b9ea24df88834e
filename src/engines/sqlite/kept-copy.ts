/**
 * [I4] The database as it was before its schema was migrated, kept beside it for a while, for going back to the older
 * program.
 */
import { basename, dirname, join } from "../../platform/path.ts";
import { exists, fs, stampOf } from "../../platform/system.ts";
import { openFile } from "./driver.ts";
import { syncFolder, vacuumInto } from "./vacuum-into.ts";

const lookEveryMs = 24 * 60 * 60 * 1000;
const keptMs = 7 * lookEveryMs;

const copyOf = (path: string, version: number) => `${path}.before-v${version}`;

/**
 * Called under the write lock, before anything is changed: no other process writes meanwhile. SQLite copies with a
 * separate connection, because it cannot within a transaction. The copy is on disk before the first change.
 */
export function keepCopy(path: string, version: number): void {
  const { closeSync, fsyncSync, openSync, renameSync, rmSync } = fs();
  const made = `${copyOf(path, version)}.tmp`;
  try {
    const source = openFile(path);
    try {
      vacuumInto(source, made);
    } finally {
      source.close();
    }
    const file = openSync(made, "r");
    fsyncSync(file);
    closeSync(file);
    renameSync(made, copyOf(path, version));
    syncFolder(dirname(path));
  } finally {
    rmSync(made, { force: true });
  }
}

/** Called after every write of this version: it checks after the first one, and then once a day. */
export function copyDropper(path: string, version: number): () => void {
  let lookAt = 0;
  return () => {
    const now = Date.now();
    if (now < lookAt) return;
    lookAt = now + lookEveryMs;
    try {
      dropOldCopies(path, version, now);
    } catch {
      // The copies stay; the write itself succeeded.
    }
  };
}

/**
 * Usually there is none, and one look tells. There may be copies of several versions, if two upgrades came soon after
 * each other.
 */
function dropOldCopies(path: string, version: number, now: number): void {
  const newest = copyOf(path, version);
  if (!exists(newest) || now - stampOf(newest).time < keptMs) return;
  const beginning = `${basename(path)}.before-v`;
  for (const name of fs().readdirSync(dirname(path)))
    if (name.startsWith(beginning) && /^\d+$/.test(name.slice(beginning.length)))
      fs().rmSync(join(dirname(path), name), { force: true });
}
