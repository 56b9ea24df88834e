/** [T9] Threads by agent, status and run, newest first. */
import { idOf, numberOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { activeStatuses } from "../../contract/thread.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
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
/** Threads that one walk of an index finds, and what else they have to be. */
interface Arm {
  by: Walked["by"];
  and: readonly Sql[];
}

export function* threadsList(tx: Context, input: Input): Procedure<OutputOf<"threads.list">> {
  const nextEventId = yield* tx.settled(); // before everything else that is read
  const before = input.before === undefined ? undefined : numberOf(input.before);
  const shown = visible.threads(tx);
  const page = ({ by, and }: Arm) => {
    const conditions = [...and, ...shown];
    if (by.length) conditions.unshift(tx.walk({ by, number: threadNumber, before }));
    else if (before !== undefined) conditions.unshift(sql`threads.thread_id < ${before}`);
    return sql`select * from (
      select threads.thread_id from threads ${conditions.length ? sql`where ${joined(conditions, " and ")}` : nothing}
      order by ${newestFirst(by)} limit ${literal(input.limit + 1)}) as page`;
  };
  const pages = joined(armsOf(input).map(page), " union ");
  const rows = yield* all<ThreadRow>(sql`
    select ${threadColumns} from (${pages} order by thread_id desc limit ${literal(input.limit + 1)}) as newest
      join threads on threads.thread_id = newest.thread_id order by newest.thread_id desc`);
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

/** One arm for each kind of filter, so that each can walk its own index from the newest thread on. */
function armsOf({ agent, assignedTo, createdBy, run, status }: Input): Arm[] {
  const statuses = status?.length ? [...new Set(status)] : undefined;
  const inStatus = () => (statuses ? [sql`threads.status in (${joined(statuses)})`] : []);
  const assignedBy = (name: string, and: readonly Sql[]): Arm[] =>
    walksOfAssigned(name, statuses).map((by) => ({ by, and }));
  const filters = [
    { column: threadColumn.created, value: createdBy },
    { column: threadColumn.run, value: run },
  ].filter((filter): filter is { column: Sql; value: string } => filter.value !== undefined);
  const are = (those = filters) => those.map(({ column, value }) => sql`${column} = ${value}`);
  if (agent !== undefined) {
    const both = assignedTo === undefined ? are() : [sql`threads.assigned_to = ${assignedTo}`, ...are()];
    const created = { by: [{ column: threadColumn.created, value: agent }], and: [...both, ...inStatus()] };
    return [created, ...assignedBy(agent, both)];
  }
  if (assignedTo !== undefined) return assignedBy(assignedTo, are());
  const [first] = filters;
  if (first) return [{ by: [first], and: [...are(filters.slice(1)), ...inStatus()] }];
  if (statuses) return statuses.map((value) => ({ by: [{ column: threadColumn.status, value }], and: [] }));
  return [{ by: [], and: [] }];
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
