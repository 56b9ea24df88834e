/** [Q16] Calls are retried while the database is unavailable, busy, or has no free connections. */
import { asInboxError } from "../contract/errors.ts";

const firstPauseMs = 100;
const longestPauseMs = 2000;

/** For a process that has nothing to lose yet: if the bus is out of reach for longer, it is broken or gone. */
export const startMs = 120_000;

/**
 * Without a limit, unless one is given. Pauses grow and vary, so that calls that were refused together do not return
 * together.
 */
export async function patiently<T>(work: () => Promise<T>, limitMs = Number.POSITIVE_INFINITY): Promise<T> {
  const end = performance.now() + limitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
    try {
      return await work();
    } catch (error) {
      const { code } = asInboxError(error);
      if ((code !== "storage" && code !== "busy") || performance.now() >= end) throw error;
      await Bun.sleep(pause * (0.5 + Math.random()));
    }
  }
}
