/**
 * A clock of the time in which this process could run. While the machine was suspended or busy the process tried nothing, so that
 * time must not count towards a limit after which it gives up.
 */

/** Each call returns the milliseconds so far. Of the time between two calls at most `stillMs` counts, so it must be called often. */
export function ownWatch(stillMs: number): () => number {
  let shown = 0;
  let asked = performance.now();
  return () => {
    const now = performance.now();
    shown += Math.min(stillMs, now - asked);
    asked = now;
    return shown;
  };
}
