/** [Q6] How long a task may run. */
import type { TaskRow } from "../bus/task.ts";
import { plural } from "../contract/plural.ts";
import type { Guard } from "./guard.ts";
import type { Profile } from "./profiles/profile.ts";

export interface TimeLimit {
  /** The time counts from now. */
  begin(): void;
  stop(): void;
}

/** What the worktree may take longer than the task: a filter of git that asks a dead server never ends. */
const makingMs = 60_000;

/** A longer timer would end at once. */
const longestMs = 2 ** 31 - 1;

/** From the start of its program: what a busy machine takes to get that far is not taken from it. */
export function timeLimit(row: TaskRow, profile: Profile, guard: Guard): TimeLimit {
  const limit = row.timeout_ms ?? (profile.runner.timeoutSeconds ?? 0) * 1000;
  const error = `it exceeded its timeout of ${plural(limit / 1000, "second")} and was killed`;
  let timer: Timer | undefined;
  const stop = () => clearTimeout(timer);
  const start = (ms: number) => {
    stop();
    if (!limit) return;
    const end = () => (ms > longestMs ? start(ms - longestMs) : guard.end({ error, reason: "timeout" }));
    timer = setTimeout(end, Math.min(ms, longestMs));
  };
  start(limit + makingMs);
  return { begin: () => start(limit), stop };
}
