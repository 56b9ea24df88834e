/** [A11] Changing what a day may cost. */
import { InboxError } from "../../contract/errors.ts";
import { noLimit } from "../../contract/limit.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { taskTopic } from "../../sql/topics.ts";
import { seen } from "../agent.ts";
import { costsNow, setDailyLimit } from "../daily-limit.ts";
import { append } from "../event.ts";

/** The number of days that is shown by default. */
const shownDays = 30;

export function* costsSet(tx: Context, input: ParsedOf<"costs.set">): Procedure<OutputOf<"costs.set">> {
  const { tokens, usd } = input;
  if (tokens === undefined && usd === undefined)
    throw new InboxError("invalid_input", "no limit was given", {
      hint: phrase`set one with ${field("tokens", blank("TOKENS"))} or ${field("usd", blank("USD"))}, or remove it with the value ${noLimit}`,
    });
  const now = yield* tx.clock();
  yield* seen(tx, input.agent, now);
  const limit = yield* setDailyLimit({ tokens, costUsd: usd });
  const payload = { tokens: limit.tokens, usd: limit.costUsd };
  yield* append(tx, { type: "costs.limited", source: input.agent, payload, now });
  // Tasks that were held back may start now.
  tx.wake(taskTopic);
  return yield* costsNow(now, shownDays);
}
