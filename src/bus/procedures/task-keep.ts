/** [Q4] [Q7] What a task's keeper says to the bus while it keeps it, and what is found where a keeper has died. */
import { idOf } from "../../contract/ids.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { expiryAfter, findLease, isHeld, saveLease } from "../lease.ts";
import { changeTask, lockTasks, type TaskRow, tasksWhere } from "../task.ts";
import { findThread, hasEnded } from "../thread.ts";
import { killedBy } from "./task-end.ts";

/** A keeper that is silent for longer is taken for dead. */
export const keepSeconds = 15;

/** What a keeper may go by: go on, or why it is to end. Undefined where the task is not its own any more. */
export type Kept = { row: TaskRow; end?: string } | undefined;

function* keptTask(number: number, token: string): Procedure<TaskRow | undefined> {
  const [row] = yield* tasksWhere(sql`tasks.task_number = ${number}`);
  return row && row.status === "running" && row.keeper_token === token ? row : undefined;
}

/** Whether the task is to end, without touching anything. */
export function* lookAtTask(_: Context, number: number, token: string): Procedure<Kept> {
  const row = yield* keptTask(number, token);
  return row && { row, ...(yield* wish(row)) };
}

function* wish(row: TaskRow): Procedure<{ end?: string }> {
  if (row.killed_by !== null) return { end: killedBy(row) };
  const thread = yield* findThread(idOf("thread", row.thread_id!));
  return thread.status === "cancelled" ? { end: "its thread was cancelled" } : {};
}

/** Keeps the task and its thread for a while longer, and notes which processes it has. */
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
  return { row: after, ...(yield* wish(after)) };
}

/** [Q7] Running tasks whose keeper has not been heard of in time. */
export function* lapsedTasks(tx: Context): Procedure<{ rows: TaskRow[]; now: string }> {
  const now = yield* tx.clock();
  const rows = yield* tasksWhere(
    sql`tasks.status = 'running' and tasks.worker is null and tasks.leased_until <= ${now}`,
  );
  return { rows, now };
}

/** Takes a lapsed task over: whoever kept it is fenced. Undefined where it lives after all, or somebody else was faster. */
export function* takeOver(tx: Context, lapsed: TaskRow, host: string): Procedure<string | undefined> {
  yield* lockTasks(tx);
  const row = yield* keptTask(lapsed.task_number, lapsed.keeper_token!);
  const now = yield* tx.clock();
  if (!row || row.leased_until! > now) return undefined;
  const token = crypto.randomUUID();
  yield* changeTask(row, { keeper_token: token, leased_until: expiryAfter(now, keepSeconds), host });
  return token;
}

/** It was marked as started, but nobody ever kept it: as if it had not been. */
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
