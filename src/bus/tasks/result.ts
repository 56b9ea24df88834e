/** [Q11] Whether a sub-agent has ended, and where its result lies in the parent's inbox. Changes nothing. */
import { InboxError } from "../../contract/errors.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { deliverable } from "../channel.ts";
import { findTask, type TaskRow } from "../task.ts";

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
    select messages.message_id from messages where messages.to_agent = ${agent} and messages.kind = 'result'
      and ${told(row)} and ${deliverable(now)} order by messages.message_id limit 100`);
  return { finished: true, success: row.success === 1, messages: rows.map((found) => found.message_id) };
}

/** By its thread, whoever worked on it; what never had one was told in its own name. */
const told = ({ thread_id, name, created_at }: TaskRow): Sql =>
  thread_id === null
    ? sql`messages.thread_id is null and messages.from_agent = ${name} and messages.created_at >= ${created_at}`
    : sql`messages.thread_id = ${thread_id}`;
