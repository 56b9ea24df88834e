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

const threadNumber = fragment`threads.thread_id`;
/** Those with an index in the order of the threads. */
const threadColumn = {
  assigned: fragment`threads.assigned_to`,
  created: fragment`threads.created_by`,
  run: fragment`threads.run_id`,
  status: fragment`threads.status`,
};

export function* threadsList(
  tx: Context,
  input: ParsedOf<"threads.list">,
): Procedure<OutputOf<"threads.list">> {
  const nextEventId = yield* tx.settled(); // before everything else that is read
  const { agent, createdBy, assignedTo, run } = input;
  const statuses = [...new Set(input.status)];
  const before = input.before === undefined ? undefined : numberOf(input.before);
  const common: Sql[] = visible.threads(tx);
  const page = (by: readonly Sql[], order: Sql) => {
    const conditions = [...by, ...common];
    return sql`select * from (
      select ${threadColumns} from threads ${conditions.length ? sql`where ${joined(conditions, " and ")}` : nothing}
      order by ${order} threads.thread_id desc limit ${literal(input.limit + 1)}) as page`;
  };
  const walk = (column: Sql, value: string) =>
    page([tx.walk({ column, number: threadNumber, value, before })], sql`${column} desc,`);
  // One query for each kind of filter, so that each can walk its own index from the newest thread on.
  const filters = (
    [
      [threadColumn.assigned, assignedTo],
      [threadColumn.created, createdBy],
      [threadColumn.run, run],
    ] as const
  ).flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]));
  const first = agent === undefined ? filters.shift() : undefined;
  for (const { column, value } of filters) common.push(sql`${column} = ${value}`);
  const byStatus = statuses.length > 0 && agent === undefined && !first;
  if (statuses.length && !byStatus) common.push(sql`threads.status in (${joined(statuses)})`);
  const pages = byStatus
    ? statuses.map((status) => walk(threadColumn.status, status))
    : agent !== undefined
      ? [threadColumn.created, threadColumn.assigned].map((side) => walk(side, agent))
      : first
        ? [walk(first.column, first.value)]
        : [page(before === undefined ? [] : [sql`threads.thread_id < ${before}`], nothing)];
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
