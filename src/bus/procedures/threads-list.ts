/** [T9] Threads by agent, status and run, newest first. */
import { idOf, numberOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { activeStatuses } from "../../contract/thread.ts";
import { mergedRows } from "../../sql/merged.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, joined, literal, nothing, type Sql, sql } from "../../sql/sql.ts";
import { columnsOf } from "../../sql/table.ts";
import type { Walked } from "../../sql/walk.ts";
import { newestFirst, threadNumber, walksOfAssigned } from "../assigned.ts";
import { leaseView, type ShownLease, shownLease } from "../lease.ts";
import { unknownAmong } from "../name-use.ts";
import { type ThreadRow, threadColumns, threadView } from "../thread.ts";
import { visible } from "../visible.ts";

/** Each is followed by the number in an index of its own. */
const threadColumn = {
  created: fragment`threads.created_by`,
  run: fragment`threads.run_id`,
  status: fragment`threads.status`,
};

type Input = ParsedOf<"threads.list">;
export function* threadsList(tx: Context, input: Input): Procedure<OutputOf<"threads.list">> {
  const nextEventId = yield* tx.settled(); // before everything else that is read
  const before = input.before === undefined ? undefined : numberOf(input.before);
  const { walks, conditions } = yield* walksOf(input);
  const limit = input.limit + 1;
  const asked = [...conditions, ...visible.threads(tx)];
  const rows =
    walks.length > 1
      ? yield* mergedRows<ThreadRow>({
          columns: threadColumns,
          table: fragment`threads`,
          number: threadNumber,
          walks: (beyond = before) =>
            walks.map((by) => ({
              where: tx.walk({ by, number: threadNumber, before: beyond }),
              order: newestFirst(by),
            })),
          conditions: asked,
          newest: true,
          limit,
        })
      : yield* ofOneWalk(tx, { by: walks[0] ?? [], before, conditions: asked, limit });
  const listed = rows.slice(0, input.limit);
  const { agent, createdBy, assignedTo } = input;
  const names = listed.length ? [] : [agent, createdBy, assignedTo].filter((name) => name !== undefined);
  return {
    threads: listed.map(threadView),
    ...(input.leases && { leases: yield* leasesOf(tx, listed) }),
    hasMore: rows.length > input.limit,
    ...(yield* unknownAmong(tx, names)),
    nextEventId,
  };
}

function* ofOneWalk(
  tx: Context,
  {
    by,
    before,
    conditions,
    limit,
  }: Pick<Walked, "by"> & { before?: number; conditions: Sql[]; limit: number },
): Procedure<ThreadRow[]> {
  if (by.length) conditions.unshift(tx.walk({ by, number: threadNumber, before }));
  else if (before !== undefined) conditions.unshift(sql`threads.thread_id < ${before}`);
  return yield* all<ThreadRow>(sql`
    select ${threadColumns} from threads ${conditions.length ? sql`where ${joined(conditions, " and ")}` : nothing}
    order by ${newestFirst(by)} limit ${literal(limit)}`);
}

interface Filter {
  column: Sql;
  value: string;
}

/** With no more threads than this, it is the filter whose threads are read, and the others are asked of these. */
const few = 500;

function* isFew({ column, value }: Filter): Procedure<boolean> {
  const row = yield* one<{ count: number }>(sql`
    select count(*) as count from (select 1 from threads where ${column} = ${value} limit ${literal(few)}) as found`);
  return row!.count < few;
}

/** The walks that find the threads, and what these have to be besides. */
function* walksOf(input: Input): Procedure<{ walks: Walked["by"][]; conditions: Sql[] }> {
  const { agent, assignedTo, createdBy, run, status } = input;
  const statuses = status?.length ? [...new Set(status)] : undefined;
  const named = (column: Sql, value: string | undefined): Filter[] =>
    value === undefined ? [] : [{ column, value }];
  const filters = [...named(threadColumn.created, createdBy), ...named(threadColumn.run, run)];
  const inStatus = () => (statuses ? [sql`threads.status in (${joined(statuses)})`] : []);
  const are = (those: readonly Filter[]) => those.map(({ column, value }) => sql`${column} = ${value}`);
  if (agent === undefined && assignedTo === undefined) {
    const [first, ...others] = filters;
    if (first) return { walks: [[first]], conditions: [...are(others), ...inStatus()] };
    const byStatus = statuses?.map((value) => [{ column: threadColumn.status, value }]);
    return { walks: byStatus ?? [], conditions: [] };
  }
  const ofAgent = () =>
    agent === undefined ? [] : [sql`(threads.created_by = ${agent} or threads.assigned_to = ${agent})`];
  const toAgent = () => (assignedTo === undefined ? [] : [sql`threads.assigned_to = ${assignedTo}`]);
  for (const filter of filters)
    if (yield* isFew(filter)) {
      const others = are(filters.filter((other) => other !== filter));
      return { walks: [[filter]], conditions: [...others, ...ofAgent(), ...toAgent(), ...inStatus()] };
    }
  if (agent === undefined) return { walks: walksOfAssigned(assignedTo!, statuses), conditions: are(filters) };
  const created = [{ column: threadColumn.created, value: agent }];
  const conditions = [...toAgent(), ...are(filters), ...inStatus()];
  return { walks: [created, ...walksOfAssigned(agent, statuses)], conditions };
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
