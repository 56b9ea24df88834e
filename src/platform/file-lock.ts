/**
 * One at a time, of all processes: by a lock on a file, which the system lets go of when its holder dies. Where the system has
 * no such lock, nobody waits: what is written under one must be whole by itself.
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

/** Only this runtime can ask the system for that lock. */
export const canLock = bun !== undefined;

export interface LockOptions {
  waitMs?: number;
  /** At most this long between two looks whether it is free. */
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
