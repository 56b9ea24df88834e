/**
 * One writer of the journal at a time, of all processes. The system lets go of the lock when its holder dies. Where there is
 * no such lock, lines are still whole: each is written in one go, and what is missing is found at the next start.
 */
import { type Calls, openLibrary } from "../platform/c-library.ts";
import { openOwnToAppend } from "../platform/own-files.ts";
import { bun, sleep } from "../platform/runtime.ts";
import { fs } from "../platform/system.ts";

const exclusive = 2;
const atOnce = 4;
const pauseMs = 3;
const lockWaitMs = 10_000;

const signatures = { flock: { args: ["int", "int"], returns: "int" } } as const;
let calls: Calls<typeof signatures> | null | undefined;

/** Only this runtime can ask the system for that lock. */
export const canLock = bun !== undefined;

export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  if (calls === undefined) calls = openLibrary(signatures);
  const descriptor = openOwnToAppend(file);
  try {
    const deadline = performance.now() + lockWaitMs;
    while (calls && calls.flock(descriptor, exclusive | atOnce) !== 0) {
      if (performance.now() > deadline) throw new Error(`${file} is held by another process`);
      await sleep(Math.random() * pauseMs);
    }
    return await work();
  } finally {
    fs().closeSync(descriptor);
  }
}
