/** [A11] What all tasks together may use on one day (UTC). When the limit is reached, nothing more is started. */
import { InboxError } from "../contract/errors.ts";
import { blank, ownCall, phrase } from "../contract/phrase.ts";
import { type Costs, type Held, raising, reachedIn } from "../contract/usage.ts";
import { dayEnd } from "../contract/usage-text.ts";
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

/** Changes the limits that are given, and returns all limits that apply then. */
export function* setDailyLimit({ tokens, costUsd }: Partial<Limit>): Procedure<Limit> {
  const before = yield* dailyLimit();
  const limit = {
    tokens: tokens === undefined ? before.tokens : tokens,
    costUsd: costUsd === undefined ? before.costUsd : costUsd,
  };
  const micro_usd = limit.costUsd === null ? null : micro(limit.costUsd);
  yield* run(sql`${insert(usageLimits, { period, tokens: limit.tokens, micro_usd })} ${replacing}`);
  return limit;
}

/** The limit that is reached today; null if there is no limit, or some of it is left. */
export function* heldToday(now: string): Procedure<Held | null> {
  const limit = yield* dailyLimit();
  if (limit.tokens === null && limit.costUsd === null) return null;
  const used = usageView(yield* usageOfDay(now.slice(0, 10)));
  if (!reachedIn({ limit, used }).length) return null;
  const isStopped = limit.tokens === 0 || limit.costUsd === 0;
  return { limit, used, until: isStopped ? null : nextDay(now) };
}

const nextDay = (now: string) =>
  new Date(Date.parse(`${now.slice(0, 10)}T00:00:00.000Z`) + 86_400_000).toISOString();

/**
 * For tasks that would start at once: the caller is refused now instead of waiting until tomorrow. The hint may offer
 * to queue a new task; another turn of a finished one cannot be queued.
 */
export function* refuseWhereHeld(now: string, what: "task" | "turn"): Procedure<void> {
  const held = yield* heldToday(now);
  if (!held) return;
  const { limit, used, until } = held;
  const [unit] = reachedIn(held);
  const [had, most] =
    unit === "tokens"
      ? [`${used.tokens} tokens`, `${limit.tokens} tokens`]
      : [`${used.costUsd ?? 0} USD`, `${limit.costUsd} USD`];
  throw new InboxError("limited", `tasks have used ${had} today; the daily limit of this bus is ${most}`, {
    hint: phrase`raise the limit (${raising(held)})${until === null ? "" : waiting[what]}`,
    details: { limit: unit, until },
  });
}

const waiting = {
  task: phrase`, or queue the task (${ownCall("tasks.push", { prompt: blank("PROMPT") })}, ${ownCall("tasks.run")}): it starts after ${dayEnd}`,
  turn: `, or send it again after ${dayEnd}`,
};

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
