/**
 * Blocking, the one way everything here blocks: subscribe, then read, then sleep until something may have
 * changed, and read again. The read is the truth, so that a lost or a false wake-up harms nobody.
 */
import type { Engine } from "../engines/engine.ts";

export interface Looked<T> {
  found?: T;
  /** Time alone may bring something, at the latest after so many milliseconds. */
  againInMs?: number;
  /** What to wait on from now on, where that has changed. */
  topics?: readonly string[];
}

export interface WaitOptions {
  /** For ever where it is undefined. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What `look` found, or undefined after the timeout. An abort is thrown. */
export async function wait<T>(
  engine: Engine,
  topics: readonly string[],
  look: () => Promise<Looked<T>>,
  { timeoutMs, signal }: WaitOptions,
): Promise<T | undefined> {
  const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  let waitedOn = topics;
  let subscription = engine.subscribe(topics);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const looked = await look();
      if (looked.found !== undefined) return looked.found;
      if (looked.topics && String(looked.topics) !== String(waitedOn)) {
        subscription.close();
        waitedOn = looked.topics;
        subscription = engine.subscribe(waitedOn);
        continue; // read again: something may have come while nobody listened
      }
      const left = deadline === undefined ? undefined : deadline - performance.now();
      if (left !== undefined && left <= 0) return undefined;
      await subscription.next({ atMost: earliest(left, looked.againInMs), signal });
    }
  } finally {
    subscription.close();
  }
}

const earliest = (...times: (number | undefined)[]) => {
  const known = times.filter((time) => time !== undefined);
  return known.length ? Math.min(...known) : undefined;
};
