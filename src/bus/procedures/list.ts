/** [T9] Threads by whom they concern, newest first. */
import { numberOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, list as joined, type Sql, sql } from "../../sql/sql.ts";
import { type ThreadRow, threadColumns, threadView } from "../thread.ts";

export function* list(_: Context, input: ParsedOf<"threads.list">): Procedure<OutputOf<"threads.list">> {
  const conditions: Sql[] = [];
  if (input.before !== undefined) conditions.push(sql`threads.thread_id < ${numberOf(input.before)}`);
  if (input.createdBy !== undefined) conditions.push(sql`threads.created_by = ${input.createdBy}`);
  if (input.assignedTo !== undefined) conditions.push(sql`threads.assigned_to = ${input.assignedTo}`);
  if (input.run !== undefined) conditions.push(sql`threads.run_id = ${input.run}`);
  if (input.status !== undefined)
    conditions.push(sql`threads.status in (${joined([...new Set(input.status)])})`);
  const page = (more: Sql[]) => {
    const where = [...conditions, ...more];
    return sql`select * from (select ${threadColumns} from threads
      ${where.length ? sql`where ${joined(where, " and ")}` : fragment``}
      order by threads.thread_id desc limit ${input.limit + 1}) as page`;
  };
  // One part for each side, so that each can walk its own index from the newest on.
  const query =
    input.agent === undefined
      ? page([])
      : sql`${page([sql`threads.created_by = ${input.agent}`])} union ${page([sql`threads.assigned_to = ${input.agent}`])}`;
  const rows = yield* all<ThreadRow>(sql`${query} order by thread_id desc limit ${input.limit + 1}`);
  return { threads: rows.slice(0, input.limit).map(threadView), hasMore: rows.length > input.limit };
}
