/** [A11] What all tasks together may use on one day (UTC). Where it is reached, nothing more is started. */
import { InboxError } from "../contract/errors.ts";
import { blank, call, phrase } from "../contract/phrase.ts";
import type { Costs, Held } from "../contract/usage.ts";
import type { Procedure } from "../sql/procedure.ts";
import { all, one, run } from "../sql/procedure.ts";
import { literal, sql } from "../sql/sql.ts";
import { columnsOf, insert, overwriting, type RowOf } from "../sql/table.ts";
import { dailyUsage, usageLimits } from "../sql/tables.ts";
import { dollars, micro, usageOfDay, usageView } from "./usage.ts";

type Limit = Held["limit"];

const period = "day";
const limitColumns = columnsOf(usageLimits);
const replacing = overwriting(usageLimits);
const dayColumns = columnsOf(dailyUsage);

function* dailyLimit(): Procedure<Limit> {
  const row = yield* one<RowOf<typeof usageLimits>>(
    sql`select ${limitColumns} from usage_limits where usage_limits.period = ${period}`,
  );
  const cost = row?.micro_usd ?? null;
  return { tokens: row?.tokens ?? null, costUsd: cost === null ? null : dollars(cost) };
}

export function* setDailyLimit({ tokens, costUsd }: Limit): Procedure<void> {
  const row = { period, tokens, micro_usd: costUsd === null ? null : micro(costUsd) };
  yield* run(sql`${insert(usageLimits, row)} ${replacing}`);
}

/** Whether a limit is reached today; null where there is none, or something is left. */
export function* heldToday(now: string): Procedure<Held | null> {
  const limit = yield* dailyLimit();
  if (limit.tokens === null && limit.costUsd === null) return null;
  const used = usageView(yield* usageOfDay(now.slice(0, 10)));
  const isReached =
    (limit.tokens !== null && used.tokens >= limit.tokens) ||
    (limit.costUsd !== null && (used.costUsd ?? 0) >= limit.costUsd);
  return isReached ? { limit, used, until: nextDay(now) } : null;
}

const nextDay = (now: string) =>
  new Date(Date.parse(`${now.slice(0, 10)}T00:00:00.000Z`) + 86_400_000).toISOString();

/** For what would start at once: whoever asked is told now, and not tomorrow. */
export function* refuseWhereHeld(now: string): Procedure<void> {
  const held = yield* heldToday(now);
  if (!held) return;
  const { limit, used, until } = held;
  const tokens = limit.tokens !== null && used.tokens >= limit.tokens;
  const [had, most] = tokens
    ? [`${used.tokens} tokens`, limit.tokens]
    : [`${used.costUsd ?? 0} USD`, `${limit.costUsd} USD`];
  throw new InboxError("limited", `tasks have used ${had} today; the daily limit of this bus is ${most}`, {
    hint: phrase`raise it (${call("costs.set", { usd: blank("N") })}), or queue the task (${call("tasks.push", { prompt: blank("PROMPT") })}, ${call("tasks.run")}): it starts after ${until}`,
    details: { limit: tokens ? "tokens" : "usd", until },
  });
}

export function* costsNow(now: string, days: number): Procedure<Costs> {
  const rows = yield* all<RowOf<typeof dailyUsage>>(
    sql`select ${dayColumns} from daily_usage order by daily_usage.day desc limit ${literal(days)}`,
  );
  return {
    limit: yield* dailyLimit(),
    today: usageView(yield* usageOfDay(now.slice(0, 10))),
    held: yield* heldToday(now),
    days: rows.map(({ day, ...used }) => ({ day, ...usageView(used) })),
  };
}
