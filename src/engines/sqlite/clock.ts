/**
 * [L8] The engine's clock. Processes of one file may have different ones (a container, a test, a laptop that was asleep on a
 * shared folder), and one that is ahead would take over leases that are still held. The clock they share is the one by
 * which the file system stamps files: who is far from it goes by it.
 */
import { stampOf, touch } from "../../platform/system.ts";

/** Stamps are coarse, and taking one takes time. */
const toleranceMs = 2000;

export function fileClock(path: string): () => number {
  let ahead: number | undefined;
  return () => {
    ahead ??= aheadOf(`${path}-shm`);
    return Date.now() - ahead;
  };
}

/** How far this process is ahead of the file system; 0 where that cannot be asked. The file is one that nobody watches. */
function aheadOf(file: string): number {
  // Where nothing may be written, its time is an old one.
  if (!touch(file)) return 0;
  const difference = Date.now() - stampOf(file).time;
  return Math.abs(difference) < toleranceMs ? 0 : difference;
}
