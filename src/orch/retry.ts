/** [Q16] Calls are retried while the database is unavailable, busy, or has no free connections. */
import { asInboxError } from "../contract/errors.ts";

const firstPauseMs = 100;
const longestPauseMs = 2000;

/** For a process that has nothing to lose yet: if the bus is out of reach for longer, it is broken or gone. */
export const startMs = 120_000;

/** A database file that was moved away may be moved back; one that is missing for longer was deleted. */
const missingMs = 120_000;

export interface Absence {
  /** A call has failed: true once the database file has been missing, or another file, for the given time. */
  failed(error: unknown): boolean;
  /** A call has reached the database. */
  ended(): void;
}

export function absenceOf(limitMs = missingMs, clock = () => performance.now()): Absence {
  let since: number | undefined;
  return {
    failed(error) {
      since = asInboxError(error).details?.missing ? (since ?? clock()) : undefined;
      return since !== undefined && clock() - since >= limitMs;
    },
    ended() {
      since = undefined;
    },
  };
}

/** Of the one bus of this process: what the task has waited for its database, its result need not wait again. */
export const absence = absenceOf();

/**
 * Without a limit, unless one is given or the database was deleted. Pauses grow and vary, so that calls that were
 * refused together do not return together.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  limitMs = Number.POSITIVE_INFINITY,
  { failed, ended } = absence,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
    try {
      const done = await work();
      ended();
      return done;
    } catch (error) {
      const gone = failed(error);
      const { code } = asInboxError(error);
      const mayPass = (code === "storage" || code === "busy") && !gone;
      if (!mayPass || performance.now() >= end) throw error;
      await Bun.sleep(pause * (0.5 + Math.random()));
    }
  }
}
