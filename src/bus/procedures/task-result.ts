/** [Q11] Whether a sub-agent has ended, and where its result lies in the parent's inbox. Changes nothing. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { deliverable } from "../channel.ts";
import { findTask } from "../task.ts";

export function* resultOf(
  tx: Context,
  agent: string,
  name: string,
): Procedure<{ finished: boolean; success: boolean; messages: number[] }> {
  const row = yield* findTask(name);
  if (row.status !== "finished") return { finished: false, success: false, messages: [] };
  const now = yield* tx.clock();
  const rows = yield* all<{ message_id: number }>(sql`
    select messages.message_id from messages where messages.to_agent = ${agent} and messages.kind = 'result'
      and messages.from_agent = ${name} and ${deliverable(now)} order by messages.message_id limit 100`);
  return { finished: true, success: row.success === 1, messages: rows.map((found) => found.message_id) };
}
