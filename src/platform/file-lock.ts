/**
 * Mutual exclusion between processes, by a lock on a file, which the system releases when its holder dies. If the
 * system has no such lock, nobody waits: each write under the lock must be complete in itself.
 */
import { type Calls, openLibrary } from "./c-library.ts";
import { openOwnToAppend } from "./own-files.ts";
import { bun, sleep } from "./runtime.ts";
import { fs } from "./system.ts";

const exclusive = 2;
const atOnce = 4;
const usualPauseMs = 3;
const lockWaitMs = 10_000;

const signatures = { flock: { args: ["int", "int"], returns: "int" } } as const;
let calls: Calls<typeof signatures> | null | undefined;

/** Only this runtime can request that lock from the system. */
export const canLock = bun !== undefined;

export interface LockOptions {
  waitMs?: number;
  /** The maximum pause between two tries. */
  pauseMs?: number;
  signal?: AbortSignal;
}

export async function locked<T>(
  file: string,
  work: () => Promise<T>,
  { waitMs = lockWaitMs, pauseMs = usualPauseMs, signal }: LockOptions = {},
): Promise<T> {
  if (calls === undefined) calls = openLibrary(signatures);
  const descriptor = openOwnToAppend(file);
  try {
    const deadline = performance.now() + waitMs;
    while (calls && calls.flock(descriptor, exclusive | atOnce) !== 0) {
      signal?.throwIfAborted();
      if (performance.now() > deadline) throw new Error(`${file} is held by another process`);
      await sleep(Math.random() * pauseMs);
    }
    return await work();
  } finally {
    fs().closeSync(descriptor);
  }
}

/** Whether somebody holds it now. */
export function isLocked(file: string): boolean {
  if (calls === undefined) calls = openLibrary(signatures);
  const descriptor = openOwnToAppend(file);
  try {
    return calls !== null && calls.flock(descriptor, exclusive | atOnce) !== 0;
  } finally {
    fs().closeSync(descriptor);
  }
}
