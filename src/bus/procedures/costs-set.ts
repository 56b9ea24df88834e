/** [A11] Changing what a day may cost. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { taskTopic } from "../../sql/topics.ts";
import { seen } from "../agent.ts";
import { costsNow, setDailyLimit } from "../daily-limit.ts";
import { append } from "../event.ts";

/** As many as are shown where nobody asks for more. */
const shownDays = 30;

export function* costsSet(tx: Context, input: ParsedOf<"costs.set">): Procedure<OutputOf<"costs.set">> {
  const now = yield* tx.clock();
  const limit = { tokens: input.tokens ?? null, costUsd: input.usd ?? null };
  yield* seen(tx, input.agent, now);
  yield* setDailyLimit(limit);
  const payload = { tokens: limit.tokens, usd: limit.costUsd };
  yield* append(tx, { type: "costs.limited", source: input.agent, payload, now });
  // What was held may start.
  tx.wake(taskTopic);
  return yield* costsNow(now, shownDays);
}
