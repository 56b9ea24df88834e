/**
 * Who calls while a transaction is on its way shares the next one. Where a shared one fails, whatever the reason, its
 * members run one by one: then only he fails who has to, and nobody waits for another's lock.
 */
import type { Work } from "../engine.ts";
import { isLost, isRace } from "./errors.ts";
import { fateOf } from "./fate.ts";
import { type Ended, Entangled, lockstep, type Setting, Unsettled } from "./lockstep.ts";
import type { Pool } from "./pool.ts";

const together = 64;
/** Deadlocks and the like end soon; a server that is away may stay so, and the caller should know. */
const raceAttempts = 20;
const lostAttempts = 3;
/** Who has waited so long for a server that is away is told so, and not tried for again: sooner than those in line for a connection. */
const enoughMs = 9000;

/** Who waits for a lock, or for a server that has fallen silent, keeps the lane no longer than this. */
const slowMs = 100;

function orSlow(work: Promise<void>): Promise<void> {
  return new Promise((free) => {
    const timer = setTimeout(free, slowMs);
    void work.finally(() => {
      clearTimeout(timer);
      free();
    });
  });
}

interface Entry {
  work: Work<unknown>;
  repeatable: boolean;
  since: number;
  resolve(ended: Ended): void;
  reject(error: unknown): void;
}

/** `lanes`: so many transactions of this kind at a time. */
export function openGroup(pool: Pool, setting: Setting, mode: "read" | "write", lanes: number) {
  const queue: Entry[] = [];
  let busy = 0;

  async function lane(): Promise<void> {
    // The others of this turn come in too.
    await Promise.resolve();
    while (queue.length) {
      const entries = queue.splice(0, together);
      // What has to be tried again or asked after keeps nobody else waiting.
      await orSlow(sharedOrAlone(entries));
    }
    busy--;
  }

  async function sharedOrAlone(entries: readonly Entry[]): Promise<void> {
    if (!(await shared(entries))) void Promise.all(entries.map(alone));
  }

  const tired = ({ since }: Entry) => performance.now() - since >= enoughMs;

  /** Those in the queue have waited for the same server. */
  function giveUp(error: unknown): void {
    for (const entry of queue.filter(tired)) {
      queue.splice(queue.indexOf(entry), 1);
      entry.reject(error);
    }
  }

  const transact = (entries: readonly Entry[]) =>
    pool.use((connection) =>
      lockstep(
        connection,
        setting,
        mode,
        entries.map(({ work }) => work),
      ),
    );

  async function shared(entries: readonly Entry[]): Promise<boolean> {
    try {
      const ended = await transact(entries);
      for (const [i, entry] of entries.entries()) entry.resolve(ended[i]!);
      return true;
    } catch (error) {
      if (error instanceof Unsettled) {
        giveUp(error.cause);
        void settle(entries, error);
        return true;
      }
      if (!isLost(error)) return false;
      giveUp(error);
      for (const entry of entries) tired(entry) ? entry.reject(error) : void alone(entry);
      return true;
    }
  }

  async function settle(entries: readonly Entry[], error: Unsettled): Promise<void> {
    const fate = await fateOf(error.trace, pool, setting.address.schema);
    for (const [i, entry] of entries.entries()) {
      if (fate === "committed") entry.resolve(error.ended[i]!);
      else if (fate === "aborted" || entry.repeatable)
        void alone(entry); // its key tells whether it was written
      else entry.reject(error);
    }
  }

  async function alone(entry: Entry): Promise<void> {
    for (let count = 1; ; count++) {
      try {
        const [ended] = await transact([entry]);
        return entry.resolve(ended!);
      } catch (error) {
        if (error instanceof Unsettled) {
          const fate = await fateOf(error.trace, pool, setting.address.schema);
          if (fate === "committed") return entry.resolve(error.ended[0]!);
          if ((fate === "aborted" || entry.repeatable) && !tired(entry)) continue;
          return entry.reject(fate === "aborted" ? error.cause : error);
        }
        const limit =
          isRace(error) || error instanceof Entangled
            ? raceAttempts
            : isLost(error) && !tired(entry)
              ? lostAttempts
              : 0;
        if (count >= limit) return entry.reject(error);
        await Bun.sleep(Math.random() * 10 * count);
      }
    }
  }

  return (work: Work<unknown>, repeatable = false): Promise<Ended> =>
    new Promise((resolve, reject) => {
      queue.push({ work, repeatable, since: performance.now(), resolve, reject });
      if (busy < lanes) {
        busy++;
        void lane();
      }
    });
}
