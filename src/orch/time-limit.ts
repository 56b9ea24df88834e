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

/** From the start of its program: what a busy machine takes to get that far is not taken from it. */
export function timeLimit(row: TaskRow, profile: Profile, guard: Guard): TimeLimit {
  const limit = row.timeout_ms ?? (profile.runner.timeoutSeconds ?? 0) * 1000;
  const error = `it exceeded its timeout of ${plural(limit / 1000, "second")} and was killed`;
  let timer: Timer | undefined;
  const stop = () => clearTimeout(timer);
  return {
    begin() {
      stop();
      if (limit) timer = setTimeout(() => guard.end({ error, reason: "timeout" }), limit);
    },
    stop,
  };
}
