/**
 * [A11] The usage of tasks as it is stored: by task, including all tasks below it, and by day. A keeper reports what
 * its attempt has used so far; the difference to what was counted before is added to the task, to the tasks above it
 * and to the day.
 */
import { type Budget, type Excess, excessOver, type Usage, type UsageReport } from "../contract/usage.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { one, run } from "../sql/procedure.ts";
import { fragment, sql } from "../sql/sql.ts";
import { columnsOf, insert, overwriting, part, type RowOf } from "../sql/table.ts";
import { dailyUsage, tasks, taskUsage } from "../sql/tables.ts";
import { threadTopic } from "../sql/topics.ts";
import { byTask } from "./by-task.ts";

export type UsageRow = RowOf<typeof taskUsage>;
const usageColumns = columnsOf(taskUsage);
// Each row is read before it is replaced, under the lock of all tasks.
const replacingTask = overwriting(taskUsage);
const replacingDay = overwriting(dailyUsage);

/** What a program has reported for a whole session, needed when it is resumed. */
export interface SessionCount {
  id: string;
  used: UsageReport;
}

/** What a keeper reports about its attempt. */
export interface Metered {
  /** Of all programs that the attempt has started. */
  used: UsageReport;
  session?: SessionCount;
}

type Amounts = Omit<RowOf<typeof dailyUsage>, "day">;

export const micro = (usd: number) => Math.round(usd * 1e6);
export const dollars = (microUsd: number) => microUsd / 1e6;

const amountsOf = (used: UsageReport): Amounts => ({
  input_tokens: Math.round(used.inputTokens),
  cached_tokens: Math.round(used.cachedTokens),
  output_tokens: Math.round(used.outputTokens),
  micro_usd: used.costUsd === null ? null : micro(used.costUsd),
  turns: Math.round(used.turns),
});

const nothing: Amounts = { input_tokens: 0, cached_tokens: 0, output_tokens: 0, micro_usd: null, turns: 0 };

/** Money that nobody reported is null; if one side has reported it, that stays. */
const plus = (a: number | null, b: number | null) => (a === null && b === null ? null : (a ?? 0) + (b ?? 0));

export const added = (a: Amounts, b: Amounts, sign: 1 | -1 = 1): Amounts => ({
  input_tokens: a.input_tokens + sign * b.input_tokens,
  cached_tokens: a.cached_tokens + sign * b.cached_tokens,
  output_tokens: a.output_tokens + sign * b.output_tokens,
  micro_usd: plus(a.micro_usd, b.micro_usd === null ? null : sign * b.micro_usd),
  turns: a.turns + sign * b.turns,
});

const ownOf = ({ input_tokens, cached_tokens, output_tokens, micro_usd, turns }: UsageRow): Amounts => ({
  input_tokens,
  cached_tokens,
  output_tokens,
  micro_usd,
  turns,
});

const belowOf = (row: UsageRow): Amounts => ({
  input_tokens: row.below_input_tokens,
  cached_tokens: row.below_cached_tokens,
  output_tokens: row.below_output_tokens,
  micro_usd: row.below_micro_usd,
  turns: row.below_turns,
});

export const usageView = (amounts: Amounts): Usage => ({
  tokens: amounts.input_tokens + amounts.output_tokens,
  inputTokens: amounts.input_tokens,
  cachedTokens: amounts.cached_tokens,
  outputTokens: amounts.output_tokens,
  costUsd: amounts.micro_usd === null ? null : dollars(amounts.micro_usd),
  turns: amounts.turns,
});

export function* usagesOf(rows: readonly { task_number: number }[]): Procedure<Map<number, UsageRow>> {
  return yield* byTask<UsageRow>(fragment`task_usage`, usageColumns, rows);
}

export function* usageOf(task: number): Procedure<UsageRow | undefined> {
  return (yield* usagesOf([{ task_number: task }])).get(task);
}

const isNothing = (amounts: Amounts) =>
  amounts.micro_usd === null && Object.values(amounts).every((value) => !value);

/** The usage in views of a task: its own, and including all tasks below it. */
export function usageViews(row: UsageRow | undefined): { usage: Usage | null; usageTotal: Usage | null } {
  if (!row) return { usage: null, usageTotal: null };
  const own = ownOf(row);
  const total = added(own, belowOf(row));
  return {
    usage: isNothing(own) ? null : usageView(own),
    usageTotal: isNothing(total) ? null : usageView(total),
  };
}

const budgeted = part(
  tasks,
  "task_number",
  "parent_number",
  "thread_id",
  "status",
  "budget_tokens",
  "budget_micro_usd",
);
const budgetedColumns = columnsOf(budgeted);
export type Budgeted = RowOf<typeof budgeted>;

export const budgetView = ({ budget_tokens, budget_micro_usd }: Budgeted): Budget | null =>
  budget_tokens === null && budget_micro_usd === null
    ? null
    : { tokens: budget_tokens, costUsd: budget_micro_usd === null ? null : dollars(budget_micro_usd) };

export const budgetColumns = (budget: Budget | null) => ({
  budget_tokens: budget?.tokens ?? null,
  budget_micro_usd: budget === null || budget.costUsd === null ? null : micro(budget.costUsd),
});

/** Adds what is new to the task, to all tasks above it, and to today. A repeated report adds nothing. */
export function* recordUsage(
  tx: Context,
  task: Budgeted,
  mark: string,
  { used, session }: Metered,
): Procedure<void> {
  const before = yield* usageOf(task.task_number);
  const counted = before?.attempt_mark === mark ? amountsOf(JSON.parse(before.attempt_json!)) : nothing;
  const more = added(amountsOf(used), counted, -1);
  const kept = session === undefined ? (before?.session_json ?? null) : JSON.stringify(session);
  yield* addToTask(
    task.task_number,
    before,
    { own: more, below: nothing },
    {
      attempt_mark: mark,
      attempt_json: JSON.stringify(used),
      session_json: kept,
    },
  );
  yield* addElsewhere(tx, task, more);
}

/** A program reports additional usage itself. */
export function* addUsage(tx: Context, task: Budgeted, used: UsageReport): Procedure<void> {
  const more = amountsOf(used);
  yield* addToTask(task.task_number, yield* usageOf(task.task_number), { own: more, below: nothing });
  yield* addElsewhere(tx, task, more);
}

/** To today, and to all above a task. */
function* addElsewhere(tx: Context, task: Budgeted, more: Amounts): Procedure<void> {
  if (isNothing(more)) return;
  const now = yield* tx.clock();
  yield* addToDay(now.slice(0, 10), more);
  for (let above = yield* taskAbove(task); above; above = yield* taskAbove(above)) {
    const { task_number, status, thread_id } = above;
    yield* addToTask(task_number, yield* usageOf(task_number), { own: nothing, below: more });
    // The keeper checks whether that exceeds the budget.
    if (status === "running" && thread_id !== null) tx.wake(threadTopic(thread_id));
  }
}

/** The task of the agent that pushed it; undefined if that is not a sub-agent, or retention has deleted it. */
function* taskAbove({ parent_number }: Budgeted): Procedure<Budgeted | undefined> {
  if (parent_number === null) return undefined;
  return yield* one<Budgeted>(
    sql`select ${budgetedColumns} from tasks where tasks.task_number = ${parent_number}`,
  );
}

type Counted = Pick<UsageRow, "attempt_mark" | "attempt_json" | "session_json">;

function* addToTask(
  task_number: number,
  before: UsageRow | undefined,
  more: { own: Amounts; below: Amounts },
  counted: Counted = before ?? { attempt_mark: null, attempt_json: null, session_json: null },
): Procedure<void> {
  const own = added(before ? ownOf(before) : nothing, more.own);
  const below = added(before ? belowOf(before) : nothing, more.below);
  const { attempt_mark, attempt_json, session_json } = counted;
  const row: UsageRow = {
    task_number,
    ...own,
    below_input_tokens: below.input_tokens,
    below_cached_tokens: below.cached_tokens,
    below_output_tokens: below.output_tokens,
    below_micro_usd: below.micro_usd,
    below_turns: below.turns,
    attempt_mark,
    attempt_json,
    session_json,
  };
  yield* run(sql`${insert(taskUsage, row)} ${replacingTask}`);
}

const dayColumns = columnsOf(dailyUsage);

export function* usageOfDay(day: string): Procedure<Amounts> {
  const row = yield* one<RowOf<typeof dailyUsage>>(
    sql`select ${dayColumns} from daily_usage where daily_usage.day = ${day}`,
  );
  return row ?? nothing;
}

function* addToDay(day: string, more: Amounts): Procedure<void> {
  const row = { day, ...added(yield* usageOfDay(day), more) };
  yield* run(sql`${insert(dailyUsage, row)} ${replacingDay}`);
}

/** What a task has used beyond its budget, including all tasks below it. */
export function* overBudget(task: Budgeted): Procedure<Excess | undefined> {
  const { budget_tokens, budget_micro_usd } = task;
  if (budget_tokens === null && budget_micro_usd === null) return undefined;
  const { usageTotal } = usageViews(yield* usageOf(task.task_number));
  return usageTotal === null ? undefined : excessOver(budgetView(task)!, usageTotal);
}

/** What its program had counted for this session before. */
export const countOf = (row: UsageRow | undefined, session: string): UsageReport | undefined => {
  const kept = row?.session_json ? (JSON.parse(row.session_json) as SessionCount) : undefined;
  return kept?.id === session ? kept.used : undefined;
};

/** The dollars that a task may still spend: of its own budget, and of the budgets of the tasks above it. */
export function* moneyLeft(task: Budgeted): Procedure<number | undefined> {
  let least: number | undefined;
  for (let each: Budgeted | undefined = task; each; each = yield* taskAbove(each)) {
    if (each.budget_micro_usd === null) continue;
    const { usageTotal } = usageViews(yield* usageOf(each.task_number));
    const left = Math.max(0, dollars(each.budget_micro_usd - micro(usageTotal?.costUsd ?? 0)));
    least = Math.min(left, least ?? left);
  }
  return least;
}

/** For the reader of a result: what the task has used, including all tasks below it. */
export function usageInPayload(row: UsageRow | undefined) {
  const { usageTotal: total } = usageViews(row);
  return total && { usage: { tokens: total.tokens, cost_usd: total.costUsd, turns: total.turns } };
}
