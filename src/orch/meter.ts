/**
 * [A11] The usage of the programs of one keeper: reported to the bus while they run; the answer says whether it
 * exceeds a budget.
 */

import { noteUsage } from "../bus/tasks/keep.ts";
import type { Metered, SessionCount } from "../bus/usage.ts";
import type { UsageReport } from "../contract/usage.ts";
import type { Guard } from "./guard.ts";
import type { Keeping } from "./keeper.ts";
import { summed } from "./runners/reports.ts";

/** The pause between two reports of one task. */
const restMs = 1000;

export interface Meter {
  /** A program starts. */
  begin(): void;
  /** What it has used so far. */
  spent(used: UsageReport): void;
  /** It has ended; its last report counts. */
  ended(used: UsageReport | undefined, session?: SessionCount): void;
  /** Everything has been reported after this; then the task may end. */
  settle(): Promise<void>;
  /** The sum over all programs; undefined if none has reported anything. */
  total(): Metered | undefined;
  stop(): void;
}

export function meterFor(
  { engine, number, token }: Pick<Keeping, "engine" | "number" | "token">,
  guard: Pick<Guard, "heed">,
): Meter {
  let before: UsageReport[] = [];
  let now: UsageReport | undefined;
  let session: SessionCount | undefined;
  let timer: Timer | undefined;
  let writing: Promise<void> | undefined;
  let told = true;
  let stopped = false;

  const total = (): Metered | undefined => {
    const reports = now ? [...before, now] : before;
    return reports.length ? { used: summed(reports), ...(session && { session }) } : undefined;
  };

  async function write(): Promise<void> {
    const metered = total();
    told = true;
    if (!metered) return;
    try {
      guard.heed(await engine.write((tx) => noteUsage(tx, number, token, metered)));
    } catch {
      // The database is unavailable: the next report includes this one.
      told = false;
    }
  }

  /** One write at a time, and a pause after each. */
  function tell(): void {
    if (writing || timer || told || stopped) return;
    writing = write().finally(() => {
      writing = undefined;
      timer = setTimeout(() => {
        timer = undefined;
        tell();
      }, restMs);
    });
  }

  return {
    begin() {
      if (now) before = [...before, now];
      now = undefined;
    },
    spent(used) {
      now = used;
      told = false;
      tell();
    },
    ended(used, counted) {
      now = used ?? now;
      session = counted ?? session;
      told = false;
    },
    async settle() {
      await writing;
      if (!told) await write();
    },
    total,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
