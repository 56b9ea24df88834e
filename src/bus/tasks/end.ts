/** [Q5] The end of a task: its result is delivered to the parent's inbox, once, and the tasks below it end too. */

import { idOf } from "../../contract/ids.ts";
import type { ReviewOutcome } from "../../contract/review.ts";
import type { FailureReason } from "../../contract/task.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { fragment, sql } from "../../sql/sql.ts";
import { agentTopic } from "../../sql/topics.ts";
import { isGone } from "../ended-agent.ts";
import { append } from "../event.ts";
import { acknowledge, lastMessageBy } from "../message.ts";
import { killLine } from "../procedures/tasks-kill.ts";
import { tokensRevoke } from "../procedures/tokens-revoke.ts";
import { closeQuestionsOf } from "../question.ts";
import {
  changeTask,
  isUnstarted,
  isUnstartedRow,
  lockTasks,
  markOf,
  type TaskRow,
  tasksWhere,
} from "../task.ts";
import { hasEnded, lockThread, type ThreadRow } from "../thread.ts";
import { type Metered, overBudget, recordUsage } from "../usage.ts";
import { type Changed, changeWorktree } from "../worktree.ts";
import { tryAgain } from "./again.ts";
import { buryMailOf } from "./mail.ts";
import { type Concluded, deliver, tellMore, tellUnstarted } from "./tell.ts";
import { changesBefore, recordChanges } from "./worktrees.ts";

/** The outcome of one attempt. */
export interface Ending {
  success: boolean;
  /** The final message. */
  final?: string;
  /** [Q5.7] How many bytes of it are missing. */
  cut?: number;
  /** Why it failed, for people and for programs. */
  error?: string;
  reason?: FailureReason;
  /** [Q15] Tools it asked for and was refused. */
  refused?: readonly string[];
  /** The output that it had printed so far. */
  partial?: string;
  session?: string;
  /** [A1] What is on the branch of its worktree now. */
  changed?: Changed;
  /** [A12] What its reviewer said. */
  review?: ReviewOutcome;
  /** [A11] What its programs used in this attempt. */
  usage?: Metered;
  /** Notices for the reader of the result. */
  notices?: readonly string[];
  /** It is not retried: it was killed, or its program does not exist. */
  forGood?: boolean;
}

/** A task that ends, with the thread that it ran in. */
export interface AtEnd {
  row: TaskRow;
  thread: ThreadRow;
  now: string;
}

/** What happened to the task: its parent was told, it will be retried, or it is no longer this keeper's. */
export type Ended = { outcome: "finished"; success: boolean } | { outcome: "again" | "stale" };

export function* endTask(tx: Context, number: number, token: string, ending: Ending): Procedure<Ended> {
  yield* lockTasks(tx);
  const [row] = yield* tasksWhere(sql`tasks.task_number = ${number}`);
  if (row?.status !== "running" || row.keeper_token !== token) return { outcome: "stale" };
  const thread = yield* lockThread(tx, idOf("thread", row.thread_id!));
  const now = yield* tx.clock();
  if (row.token_id !== null) yield* tokensRevoke(tx, { id: `tok_${row.token_id}` });
  if (ending.usage) yield* recordUsage(tx, row, markOf(token), ending.usage);
  const killed = whyKilled(row, thread);
  const again =
    !ending.success &&
    !ending.forGood &&
    ending.reason !== "budget" &&
    !killed &&
    !hasEnded(thread) &&
    row.attempt <= row.retries;
  if (again) {
    // If there will be no other attempt, this is the outcome.
    if (ending.changed) yield* changeWorktree(row.task_number, ending.changed);
    yield* tryAgain(tx, { row, thread, now }, ending);
    return { outcome: "again" };
  }
  return {
    outcome: "finished",
    success: yield* conclude(tx, { row, thread, now }, orKilled(ending, killed)),
  };
}

/** Why a task has to end. */
export interface End {
  error: string;
  reason: FailureReason;
}

export const whyKilled = (row: TaskRow, thread: ThreadRow): End | undefined =>
  row.killed_by !== null
    ? { error: killedBy(row), reason: "killed" }
    : thread.status === "cancelled"
      ? { error: "its thread was cancelled", reason: "cancelled" }
      : undefined;

/** [Q3] A program can exit with success after its task was killed, if it hears first of a killed task below it. It counts as killed. */
const orKilled = (ending: Ending, killed: End | undefined): Ending =>
  killed && ending.success ? { ...ending, ...killed, success: false, partial: ending.final } : ending;

export function* conclude(tx: Context, at: AtEnd, ending: Ending): Procedure<boolean> {
  const { row, thread, now } = at;
  const said = yield* explicitResult(row, thread);
  const success = said?.success ?? ending.success;
  const error = success ? null : (said?.error ?? ending.error ?? "it failed");
  const reason = success ? null : said ? "failed" : (ending.reason ?? "exit");
  const outcome: Concluded = { success, error, reason };
  const branch = ending.changed ? yield* recordChanges(row, ending.changed) : yield* changesBefore(row);
  const known = { branch, excess: yield* overBudget(row) };
  if (said) yield* tellMore(tx, at, known);
  else yield* deliver(tx, at, { ...ending, ...known }, outcome);
  const review_json = ending.review === undefined ? null : JSON.stringify(ending.review);
  yield* finishTask(tx, { ...row, session: ending.session ?? row.session, review_json }, outcome, now);
  // A parent that has finished collects nothing any more; its mail must not wait for the next agent of that name.
  if (yield* isGone(tx, row.parent)) {
    const [parent] = row.parent_number === null ? [] : yield* tasksWhere(isNumbered(row.parent_number));
    if (parent) yield* clearResults(parent, now);
    yield* buryMailOf(tx, row.parent, now, parent && knowing(parent));
  }
  return success;
}

const isNumbered = (number: number) => sql`tasks.task_number = ${number}`;

/** [Q14.5] Who knows that a task was killed: who did it, and its parent, which gets its result. */
const knowing = ({ killed_by, parent }: TaskRow): string[] => (killed_by === null ? [] : [killed_by, parent]);

/**
 * [Q14.5] Nobody has to decide about the results of tasks below a killed one that were killed, too: they say only that. Whoever
 * killed it has settled them, and not the task, which never saw them.
 */
function* clearResults({ name, killed_by, task_number }: TaskRow, now: string): Procedure<void> {
  if (killed_by === null) return;
  const which = sql`kind = 'result' and thread_id in (
    select child.thread_id from tasks as child where child.parent_number = ${task_number} and child.reason = 'killed')`;
  yield* acknowledge({ agent: killed_by, names: [name], which, now });
}

/** Its own done or fail is the result; its final message is then only in the transcript. */
function* explicitResult(
  row: TaskRow,
  thread: ThreadRow,
): Procedure<{ success: boolean; error?: string } | undefined> {
  if (thread.status !== "done" && thread.status !== "failed") return undefined;
  const result = yield* lastMessageBy(
    thread.thread_id,
    thread.assigned_to,
    fragment`and messages.kind = 'result'`,
  );
  if (thread.status === "done") return { success: true };
  return { success: false, error: result?.summary ?? `"${row.name}" failed` };
}

function* finishTask(
  tx: Context,
  row: TaskRow,
  { success, error, reason }: Concluded,
  now: string,
): Procedure<TaskRow> {
  const after = yield* changeTask(row, {
    status: "finished",
    finished_at: now,
    success: success ? 1 : 0,
    error,
    reason,
    env_json: null,
    follow_up: null,
    session: row.session,
    review_json: row.review_json,
    keeper_token: null,
    leased_until: null,
    not_before: null,
  });
  const payload = { task: row.name, success, error, ...(reason !== null && { reason }) };
  yield* append(tx, { type: "task.finished", source: row.parent, payload, now });
  if (row.worker === null) {
    const how = reason === "killed" ? "was killed" : "has finished";
    yield* closeQuestionsOf(tx, row, `closed: ${row.name} ${how}`, now);
    yield* endBelow(tx, row, now);
    yield* clearInbox(tx, row, now);
  }
  if (!success) yield* skipDependents(tx, row, now);
  return after;
}

/** [Q14] Control messages that told it to stop are acked. The senders of all other mail are told that nobody collected it. */
function* clearInbox(tx: Context, row: TaskRow, now: string): Procedure<void> {
  const { name, thread_id } = row;
  yield* clearResults(row, now);
  if (thread_id !== null)
    yield* acknowledge({
      agent: name,
      names: [name],
      which: sql`thread_id = ${thread_id} and kind = 'control'`,
      now,
    });
  yield* buryMailOf(tx, name, now, knowing(row));
}

/** Other tasks may have ended together with one that was ended before. */
function* isStillLive({ task_number }: TaskRow): Procedure<boolean> {
  const live = yield* one(
    sql`select 1 as here from tasks where tasks.task_number = ${task_number} and tasks.status <> 'finished'`,
  );
  return live !== undefined;
}

/** Tasks that a sub-agent has queued or started end with it, because nobody would get their results. */
function* endBelow(tx: Context, row: TaskRow, now: string): Procedure<void> {
  const below = yield* tasksWhere(sql`tasks.parent = ${row.name} and tasks.status <> 'finished'`);
  for (const child of below) {
    if (!(yield* isStillLive(child))) continue;
    const error = `its parent "${row.name}" has finished`;
    if (isUnstartedRow(child))
      yield* finishTask(tx, child, { success: false, error, reason: "cancelled" }, now);
    else yield* killLine(tx, child, { by: row.name, reason: error, now });
  }
}

/** [Q10] Tasks that depend on a failed task never start, and their parent is told. */
function* skipDependents(tx: Context, failed: TaskRow, now: string): Procedure<void> {
  const rows = yield* tasksWhere(sql`${isUnstarted} and tasks.task_number in (
    select task_dependencies.task_number from task_dependencies where task_dependencies.after_number = ${failed.task_number})`);
  for (const row of rows) {
    if (!(yield* isStillLive(row))) continue;
    const error = `skipped: its dependency "${failed.name}" did not succeed`;
    yield* failUnstarted(tx, row, { error, reason: "skipped" }, now);
  }
}

/** A task that was to start, or to be retried, is dropped, and its parent is told. */
export function* failUnstarted(
  tx: Context,
  row: TaskRow,
  { error, reason }: { error: string; reason: FailureReason },
  now: string,
): Procedure<void> {
  if (row.thread_id !== null) {
    const thread = yield* lockThread(tx, idOf("thread", row.thread_id));
    yield* conclude(tx, { row, thread, now }, { success: false, error, reason });
    return;
  }
  const outcome: Concluded = { success: false, error, reason };
  yield* tellUnstarted(tx, row, outcome, now);
  yield* finishTask(tx, row, outcome, now);
}

/** [Q3] Removed on request: this is not a failure, and nobody waits for its result. Tasks that depend on it are skipped. */
export function* removeUnstarted(tx: Context, row: TaskRow, by: string, now: string): Procedure<TaskRow> {
  const removed = { success: 0, error: `removed by "${by}"`, reason: "cancelled", env_json: null } as const;
  if (row.thread_id !== null) {
    yield* failUnstarted(tx, row, removed, now);
    return { ...row, ...removed, status: "finished", finished_at: now };
  }
  const after = yield* changeTask(row, { status: "finished", finished_at: now, ...removed });
  yield* append(tx, { type: "task.removed", source: by, payload: { task: row.name }, now });
  tx.wake(agentTopic(row.parent)); // nobody will deliver the result that a caller waits for
  if (row.worker === null) yield* clearInbox(tx, row, now);
  yield* skipDependents(tx, row, now);
  return after;
}

/** Whether its thread was cancelled while it waited to be retried; then the task has ended too. */
export function* endedMeanwhile(tx: Context, row: TaskRow, now: string): Procedure<boolean> {
  const thread = yield* lockThread(tx, idOf("thread", row.thread_id!));
  if (!hasEnded(thread)) return false;
  const ending = { success: false, error: "its thread was cancelled", reason: "cancelled" } as const;
  yield* conclude(tx, { row, thread, now }, ending);
  return true;
}

export const killedBy = ({ killed_by, kill_reason }: Pick<TaskRow, "killed_by" | "kill_reason">) =>
  kill_reason ? `killed by "${killed_by}": ${kill_reason}` : `killed by "${killed_by}"`;
