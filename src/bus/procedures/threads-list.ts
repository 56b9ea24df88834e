/** [T9] Threads by whom they concern, newest first. */
import { numberOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, joined, literal, nothing, type Sql, sql } from "../../sql/sql.ts";
import { type ThreadRow, threadColumns, threadView } from "../thread.ts";
import { visible } from "../visible.ts";

export function* threadsList(
  tx: Context,
  input: ParsedOf<"threads.list">,
): Procedure<OutputOf<"threads.list">> {
  const nextEventId = yield* tx.settled(); // before everything else that is read
  const { agent, createdBy, assignedTo, run } = input;
  const statuses = [...new Set(input.status)];
  const page = (...conditions: Sql[]) => sql`select * from (
    select ${threadColumns} from threads ${conditions.length ? sql`where ${joined(conditions, " and ")}` : nothing}
    order by threads.thread_id desc limit ${literal(input.limit + 1)}) as page`;
  const common: Sql[] = visible.threads(tx);
  if (input.before !== undefined) common.push(sql`threads.thread_id < ${numberOf(input.before)}`);
  if (createdBy !== undefined) common.push(sql`threads.created_by = ${createdBy}`);
  if (assignedTo !== undefined) common.push(sql`threads.assigned_to = ${assignedTo}`);
  if (run !== undefined) common.push(sql`threads.run_id = ${run}`);
  // One part for each way in, so that each can walk its own index from the newest on.
  const somebody =
    agent !== undefined || createdBy !== undefined || assignedTo !== undefined || run !== undefined;
  const byStatus = statuses.length > 0 && !somebody;
  if (statuses.length && !byStatus) common.push(sql`threads.status in (${joined(statuses)})`);
  const pages = byStatus
    ? statuses.map((status) => page(...common, sql`threads.status = ${status}`))
    : agent !== undefined
      ? [fragment`threads.created_by`, fragment`threads.assigned_to`].map((side) =>
          page(...common, sql`${side} = ${agent}`),
        )
      : [page(...common)];
  const query = joined(pages, " union ");
  const rows = yield* all<ThreadRow>(sql`${query} order by thread_id desc limit ${literal(input.limit + 1)}`);
  return {
    threads: rows.slice(0, input.limit).map(threadView),
    hasMore: rows.length > input.limit,
    nextEventId,
  };
}
