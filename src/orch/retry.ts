/** [Q16] Nothing is given up because the database is away, busy, or has no free connections. */
import { asInboxError } from "../contract/errors.ts";

const firstPauseMs = 100;
const longestPauseMs = 2000;

/** For one that has nothing yet to lose: a bus that is out of its reach for longer is broken, or gone. */
export const startMs = 120_000;

/** For as long as it takes, unless told. Pauses grow, and differ: those that were refused together do not come back together. */
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
