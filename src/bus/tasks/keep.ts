/** [Q4] [Q7] What a task's keeper reports to the bus, and what is found after a keeper has died. */

import { idOf } from "../../contract/ids.ts";
import { excessError } from "../../contract/usage-text.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../../sql/table.ts";
import { tasks } from "../../sql/tables.ts";
import { expiryAfter } from "../expiry.ts";
import { findLease, isHeld, saveLease } from "../lease.ts";
import { changeTask, isRunning, lockTasks, markOf, type TaskRow, tasksWhere } from "../task.ts";
import { findThread, hasEnded } from "../thread.ts";
import { type Metered, overBudget, recordUsage } from "../usage.ts";
import { announceUsage } from "./announce.ts";
import { type End, whyKilled } from "./end.ts";

/** A keeper that is silent for longer counts as dead. */
export const keepSeconds = 15;

/** Whether the keeper goes on, or why it has to end the task. Undefined if the task is no longer its own. */
export type Kept = { row: TaskRow; end?: End } | undefined;

function* keptTask(number: number, token: string): Procedure<TaskRow | undefined> {
  const [row] = yield* tasksWhere(sql`tasks.task_number = ${number}`);
  return row && row.status === "running" && row.keeper_token === token ? row : undefined;
}

/** Whether the task has to end; changes nothing. */
export function* lookAtTask(_: Context, number: number, token: string): Procedure<Kept> {
  const row = yield* keptTask(number, token);
  return row && { row, ...(yield* wish(row)) };
}

function* wish(row: TaskRow): Procedure<{ end?: End }> {
  const killed = whyKilled(row, yield* findThread(idOf("thread", row.thread_id!)));
  if (killed) return { end: killed };
  const excess = yield* overBudget(row);
  return excess ? { end: { error: excessError(excess), reason: "budget" } } : {};
}

/** [A11] What its programs have used so far; the answer says whether that exceeds a budget. */
export function* noteUsage(tx: Context, number: number, token: string, used: Metered): Procedure<Kept> {
  yield* lockTasks(tx);
  const row = yield* keptTask(number, token);
  if (!row) return undefined;
  yield* recordUsage(tx, row, markOf(token), used);
  yield* announceUsage(tx, row);
  return { row, ...(yield* wish(row)) };
}

/** Extends the lease of the task and of its thread, and stores which processes it has. */
export function* keepTask(
  tx: Context,
  number: number,
  token: string,
  processes: Partial<Pick<TaskRow, "keeper" | "child" | "folder" | "token_id">> = {},
): Procedure<Kept> {
  yield* lockTasks(tx);
  const row = yield* keptTask(number, token);
  if (!row) return undefined;
  const now = yield* tx.clock();
  const until = expiryAfter(now, keepSeconds);
  const after = yield* changeTask(row, { leased_until: until, ...processes });
  const lease = yield* findLease(row.thread_id!);
  if (isHeld(lease) && lease.agent_id === row.name) {
    const thread = yield* findThread(idOf("thread", row.thread_id!));
    if (!hasEnded(thread)) yield* saveLease({ ...lease, expires_at: until });
  }
  if (after.keeper === row.keeper) yield* announceUsage(tx, after);
  return { row: after, ...(yield* wish(after)) };
}

/** The columns of a running task that tell whether its keeper lives. */
const kept = part(tasks, "task_number", "keeper_token", "keeper", "host", "leased_until");
const keptColumns = columnsOf(kept);
export type KeptTask = Omit<RowOf<typeof kept>, "leased_until"> & { lapsed: boolean };

/** [Q7] The tasks that have a keeper, or should have one. */
export function* keptTasks(tx: Context): Procedure<KeptTask[]> {
  const now = yield* tx.clock();
  const rows = yield* all<RowOf<typeof kept>>(sql`
    select ${keptColumns} from tasks where ${isRunning} and tasks.worker is null order by tasks.task_number`);
  return rows.map(({ leased_until, ...row }) => ({ ...row, lapsed: leased_until! <= now }));
}

/** The keepers on a host whose task has to end or to be interrupted, and who may not know it yet. */
export function* keepersToTell(_: Context, host: string): Procedure<string[]> {
  const rows = yield* all<{ keeper: string }>(sql`
    select tasks.keeper from tasks join threads on threads.thread_id = tasks.thread_id
    where ${isRunning} and tasks.host = ${host} and tasks.keeper is not null
      and (tasks.killed_by is not null or tasks.interrupt_id is not null or threads.status = 'cancelled') order by tasks.task_number`);
  return rows.map(({ keeper }) => keeper);
}

/**
 * Takes over a task whose keeper has died, or counts as dead; the old keeper is fenced. Undefined if that keeper
 * lives after all, or another process was faster.
 */
export function* takeOver(tx: Context, kept: KeptTask, certain: boolean): Procedure<TaskRow | undefined> {
  yield* lockTasks(tx);
  const row = yield* keptTask(kept.task_number, kept.keeper_token!);
  const now = yield* tx.clock();
  if (!row || (!certain && row.leased_until! > now)) return undefined;
  const keeper_token = `${markOf(kept.keeper_token!)}.${crypto.randomUUID()}`;
  return yield* changeTask(row, { keeper_token, leased_until: expiryAfter(now, keepSeconds) });
}

/** The task was marked as started, but no keeper ever took it: undone as if it had not been started. */
export function* unstart(tx: Context, number: number, token: string): Procedure<void> {
  yield* lockTasks(tx);
  const row = yield* keptTask(number, token);
  if (!row) return;
  yield* changeTask(row, {
    status: "waiting",
    attempt: row.attempt - 1,
    keeper_token: null,
    leased_until: null,
    started_at: null,
  });
}
