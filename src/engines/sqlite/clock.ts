/**
 * [L8] The engine's clock. Processes of one file may have different ones (a container, a test, a laptop that was asleep on a
 * shared folder), and one that is ahead would take over leases that are still held. The clock they share is the one by
 * which the file system stamps files: who is far from it goes by it.
 */
import { stampOf, touch } from "../../platform/system.ts";

/** Stamps are coarse, and taking one takes time. */
const toleranceMs = 2000;
/** A stamp that took longer than this is taken again: the process or the disk stood still, and its time says nothing. */
const quickMs = 100;
const attempts = 5;

/** `stamp` sets a file's time to the file system's now, and answers whether it did. */
export function fileClock(path: string, stamp = touch): () => number {
  let ahead: number | undefined;
  return () => {
    ahead ??= aheadOf(`${path}-shm`, stamp);
    return Date.now() - ahead;
  };
}

/** How far this process is ahead of the file system; 0 where that cannot be asked. The file is one that nobody watches. */
function aheadOf(file: string, stamp: typeof touch): number {
  let difference = 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = Date.now();
    // Where nothing may be written, its time is an old one.
    if (!stamp(file)) return 0;
    const { time } = stampOf(file);
    const after = Date.now();
    // Somewhere between the two it was taken: only what lies outside is a difference of the clocks.
    difference = time < before ? before - time : Math.min(0, after - time);
    if (after - before < quickMs) break;
  }
  return Math.abs(difference) < toleranceMs ? 0 : difference;
}
