/** [Q16] Calls are retried while the database is unavailable, busy, or has no free connections. */
import { asInboxError } from "../contract/errors.ts";

const firstPauseMs = 100;
const longestPauseMs = 2000;

/** For a process that has nothing to lose yet: if the bus is out of reach for longer, it is broken or gone. */
export const startMs = 120_000;

/** A database file that was moved away may be moved back; one that is missing for longer was deleted. */
const missingMs = 120_000;

/** Told of each failed call: true once the database file has been missing, or another file, for the given time. */
export function missingFor(limitMs = missingMs): (error: unknown) => boolean {
  let since: number | undefined;
  return (error) => {
    since = asInboxError(error).details?.missing ? (since ?? performance.now()) : undefined;
    return since !== undefined && performance.now() - since >= limitMs;
  };
}

/**
 * Without a limit, unless one is given or the database was deleted. Pauses grow and vary, so that calls that were
 * refused together do not return together.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  limitMs = Number.POSITIVE_INFINITY,
  isGone = missingFor(),
): Promise<T> {
  const end = performance.now() + limitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
    try {
      return await work();
    } catch (error) {
      const { code } = asInboxError(error);
      const mayPass = (code === "storage" || code === "busy") && !isGone(error);
      if (!mayPass || performance.now() >= end) throw error;
      await Bun.sleep(pause * (0.5 + Math.random()));
    }
  }
}
