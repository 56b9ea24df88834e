/** [T9] Threads by agent, status and run, newest first. */
import { idOf, numberOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { activeStatuses } from "../../contract/thread.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, joined, literal, nothing, type Sql, sql } from "../../sql/sql.ts";
import { columnsOf } from "../../sql/table.ts";
import { leaseView, type ShownLease, shownLease } from "../lease.ts";
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
  // One query for each kind of filter, so that each can walk its own index from the newest thread on.
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
  const listed = rows.slice(0, input.limit);
  return {
    threads: listed.map(threadView),
    ...(input.leases && { leases: yield* leasesOf(tx, listed) }),
    hasMore: rows.length > input.limit,
    nextEventId,
  };
}

/** Leases that expire soonest come first. */
function* leasesOf(
  tx: Context,
  rows: readonly ThreadRow[],
): Procedure<NonNullable<OutputOf<"threads.list">["leases"]>> {
  const held = rows.filter(({ status }) => activeStatuses.includes(status)).map((row) => row.thread_id);
  if (!held.length) return [];
  const now = yield* tx.clock();
  const found = yield* all<ShownLease & { thread_id: number }>(sql`
    select leases.thread_id, ${columnsOf(shownLease)} from leases
    where leases.released_at is null and leases.thread_id in (${joined(held)})
    order by leases.expires_at, leases.thread_id`);
  return found.map((row) => ({ threadId: idOf("thread", row.thread_id), ...leaseView(row, now) }));
}
