/** [Q11] Whether a sub-agent has finished, and which message in the parent's inbox is its result. Changes nothing. */
import { InboxError } from "../../contract/errors.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, type Sql, sql } from "../../sql/sql.ts";
import { messagesTo, oldestMessages } from "../../sql/walk.ts";
import { deliverable } from "../channel.ts";
import { lastMessageBy } from "../message.ts";
import { findTask, type TaskRow, tasksWhere } from "../task.ts";

export function* resultOf(
  tx: Context,
  agent: string,
  name: string,
): Procedure<{ finished: boolean; success: boolean; messages: number[] }> {
  const row = yield* findTask(name);
  if (row.parent !== agent)
    throw new InboxError(
      "invalid_input",
      `"${name}" works for "${row.parent}": its result does not come to you`,
      {
        hint: phrase`${call("tasks.queue")} shows your own`,
      },
    );
  if (row.status !== "finished") return { finished: false, success: false, messages: [] };
  const now = yield* tx.clock();
  const rows = yield* all<{ message_id: number }>(sql`
    select messages.message_id from messages where ${messagesTo(tx, agent)} and messages.kind = 'result'
      and ${told(row)} and ${deliverable(now)} ${oldestMessages} limit 100`);
  return { finished: true, success: row.success === 1, messages: rows.map((found) => found.message_id) };
}

/** How a task ended, as its result says it; `text` is empty if there was none. */
export interface ResultText {
  finished: boolean;
  success: boolean;
  error: string | null;
  text: string;
  thread: number | null;
}

/** [A12] For the caller that started it and waits for it, without taking the result out of the inbox. */
export function* resultTextOf(_: Context, { task_number }: TaskRow): Procedure<ResultText> {
  const [row] = yield* tasksWhere(sql`tasks.task_number = ${task_number}`);
  if (!row) return { finished: true, success: false, error: "it is gone", text: "", thread: null };
  const { status, success, error, thread_id: thread } = row;
  const said =
    thread === null
      ? undefined
      : yield* lastMessageBy(thread, row.name, fragment`and messages.kind = 'result'`);
  const text = said?.body || said?.summary || "";
  return { finished: status === "finished", success: success === 1, error, text, thread };
}

/** Found by its thread, whoever worked on it. The result of a task that never had a thread has the task's name as its sender. */
const told = ({ thread_id, name, created_at }: TaskRow): Sql =>
  thread_id === null
    ? sql`messages.thread_id is null and messages.from_agent = ${name} and messages.created_at >= ${created_at}`
    : sql`messages.thread_id = ${thread_id}`;
