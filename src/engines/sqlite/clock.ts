/**
 * [L8] The engine's clock. Processes that use one file may have different clocks (a container, a test, a laptop that
 * was asleep on a shared folder), and one that is ahead would take over leases that are still held. They share the
 * clock from which the file system takes the times of files: a process whose clock is far from it uses that one.
 */
import { stampOf, touch } from "../../platform/system.ts";

/** Timestamps are coarse, and setting one takes time. */
const toleranceMs = 2000;
/**
 * A timestamp that took longer than this is taken again: the process or the disk was suspended, so it says nothing
 * about the clocks.
 */
const quickMs = 100;
const attempts = 5;

/** `stamp` sets a file's time to the file system's current time, and returns whether it did. */
export function fileClock(path: string, stamp = touch): () => number {
  let ahead: number | undefined;
  return () => {
    ahead ??= aheadOf(`${path}-shm`, stamp);
    return Date.now() - ahead;
  };
}

/** How far this process is ahead of the file system; 0 if that is unknown. Nobody watches this file. */
function aheadOf(file: string, stamp: typeof touch): number {
  let difference = 0;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = Date.now();
    // If nothing may be written, the file's time is an old one.
    if (!stamp(file)) return 0;
    const { time } = stampOf(file);
    const after = Date.now();
    // The timestamp was taken between the two readings: only a difference outside of them is a difference of the clocks.
    difference = time < before ? before - time : Math.min(0, after - time);
    if (after - before < quickMs) break;
  }
  return Math.abs(difference) < toleranceMs ? 0 : difference;
}
