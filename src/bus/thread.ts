/** Threads as they are stored, and the few statements that touch one. */
import { InboxError } from "../contract/errors.ts";
import { idOf, numberOf } from "../contract/ids.ts";
import { call, phrase } from "../contract/phrase.ts";
import {
  activeStatuses,
  allowedNow,
  endedStatuses,
  isEndedStatus,
  openStatuses,
  type Status,
  type Thread,
} from "../contract/thread.ts";
import { asking } from "../sql/asking.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { one } from "../sql/procedure.ts";
import { alike, nothing, type Sql, sql, word } from "../sql/sql.ts";
import { assignments, columnsOf, part, type RowOf } from "../sql/table.ts";
import { threads } from "../sql/tables.ts";

export type ThreadRow = RowOf<typeof threads>;
export const threadColumns = columnsOf(threads);

export const threadView = (row: ThreadRow): Thread => ({
  threadId: idOf("thread", row.thread_id),
  runId: row.run_id,
  taskId: row.task_id,
  subject: row.subject,
  createdBy: row.created_by,
  assignedTo: row.assigned_to,
  status: row.status,
  priority: row.priority,
  maxAttempts: row.max_attempts,
  latestMessageId: row.latest_message_id === null ? null : idOf("message", row.latest_message_id),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The fact that tells who has created a thread: its end is plain if this process knows that. */
export const creatorOf = (thread: number) => `creator:${thread}`;

export const findThread = (id: string): Procedure<ThreadRow> => found(id, nothing);

/** The thread, locked until the end of the transaction, so that all changes to it are in one order. */
export function* lockThread(tx: Context, id: string): Procedure<ThreadRow> {
  yield* ownThread(tx, id);
  return yield* found(id, tx.forUpdate);
}

/** No other caller in this transaction uses the thread until this procedure has ended. */
export const ownThread = (tx: Context, id: string) => tx.own(owned(numberOf(id)));

/**
 * The row that a statement has locked, for the use of this procedure alone. Undefined if another caller in this
 * transaction has used it: then the row may be older than what that caller wrote.
 */
export function* adopt<T extends ThreadRow>(tx: Context, row: T): Procedure<T | undefined> {
  const name = owned(row.thread_id);
  const untouched = tx.untouched(name);
  yield* tx.own(name);
  return untouched ? row : undefined;
}

/** The first of these that no other transaction has locked. */
export function* lockFirstFree(tx: Context, ids: readonly number[]): Procedure<ThreadRow | undefined> {
  for (const id of ids) {
    if (!tx.free(owned(id))) continue;
    yield* tx.own(owned(id));
    const row = yield* one<ThreadRow>(
      sql`select ${threadColumns} from threads where threads.thread_id = ${id} ${tx.forUpdateFree}`,
    );
    if (row) return row;
  }
  return undefined;
}

/** In the words of SQLite's indexes, which say why it is not `in`: only so it finds that an index holds all of these. */
const inAny = (statuses: readonly Status[]) =>
  word(`(${statuses.map((status) => `threads.status = '${status}'`).join(" or ")})`);
export const isEnded = inAny(endedStatuses);
export const isActive = inAny(activeStatuses);
export const isOpen = inAny(openStatuses);

const owned = (thread: number) => `thread:${thread}`;

const found = (id: string, lock: Sql): Procedure<ThreadRow> =>
  asking(
    alike(sql`select ${threadColumns} from threads where threads.thread_id = ${numberOf(id)} ${lock}`),
    ([row]) => (row as ThreadRow | undefined) ?? noThread(id),
  );

export function noThread(id: string): never {
  throw new InboxError("not_found", `there is no thread ${id}`);
}

const changeable = part(
  threads,
  ...(["status", "assigned_to", "addressed_to", "latest_message_id", "task_id", "updated_at"] as const),
);

/** The number of a thread's newest message, if only the database knows it so far. */
export const newestMessageIn = (thread: number) =>
  sql`(select max(messages.message_id) from messages where messages.thread_id = ${thread})`;

/** The same change where the newest message is the one that is being written. */
export const newestMessage = (thread: number, message: number | Sql, status: Status, now: string) =>
  alike(sql`update threads set status = ${status}, latest_message_id = ${message}, updated_at = ${now}
    where thread_id = ${thread}`);

/** Writes only what has changed: writing a column updates all its indexes, even if the value is the same. */
export function changeThread(
  thread: ThreadRow,
  change: Partial<Omit<RowOf<typeof changeable>, "updated_at">>,
  now: string,
): Procedure<ThreadRow> {
  const different: Record<string, string | number | null> = { updated_at: now };
  for (const name in change) {
    const value = change[name as keyof typeof change]!;
    if (value !== thread[name as keyof ThreadRow]) different[name] = value;
  }
  const changed = assignments(changeable, different);
  const update = alike(sql`update threads set ${changed} where thread_id = ${thread.thread_id}`);
  update.blind = true;
  return asking(update, () => ({ ...thread, ...change, updated_at: now }));
}

export const hasEnded = (thread: ThreadRow) => isEndedStatus(thread.status);

/** [T3] Says what was asked, what the status is, and what is possible instead. */
/** `why`: what the status alone does not say. */
export function notNow(thread: ThreadRow, command: string, why?: string): InboxError {
  const id = idOf("thread", thread.thread_id);
  const possible = allowedNow[thread.status].join(", ");
  const state = hasEnded(thread) ? `has ended (status: ${thread.status})` : `is ${thread.status}`;
  return new InboxError(
    "invalid_state",
    `"${command}" is not possible: thread ${id} ${state}${why === undefined ? "" : `, and ${why}`}`,
    {
      hint: hasEnded(thread)
        ? phrase`an ended thread cannot be claimed, updated or ended again; ${call("threads.show", { thread: id })} shows it; to continue the work, send a new thread`
        : `possible now: ${possible}`,
      details: { thread_id: id, status: thread.status, allowed: allowedNow[thread.status] },
    },
  );
}
