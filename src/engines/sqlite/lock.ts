/**
 * Takes SQLite's one lock without blocking the event loop. SQLite's own busy handler sleeps inside the call, longer
 * each time, so that later callers overtake earlier ones. Here each caller tries again after a short random pause,
 * which keeps the worst wait near the average (docs/decisions/0003).
 */
import { ownWatch } from "../../platform/own-watch.ts";
import { sleep } from "../../platform/runtime.ts";
import { isBusy } from "./errors.ts";

const busyWaitMs = 5000;
/** Far longer than a pause: in the rest of a longer gap this process was suspended and did not try. */
const stillMs = 250;
/** Longer pauses waste less on failed attempts if there are many writers, but delay a few: measured in bench/. */
const pauseMs = 4;

/** `attempt` begins and ends a transaction before it returns, so that no other one can come in between. */
export async function whenFree<T>(attempt: () => T): Promise<T> {
  let watch: (() => number) | undefined;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      watch ??= ownWatch(stillMs);
      if (watch() > busyWaitMs) throw error;
    }
    await sleep(Math.random() * pauseMs);
  }
}
