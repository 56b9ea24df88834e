/**
 * Which threads an agent could work on, best first: what fetch lists and a bare claim takes.
 * Each part of the union walks one index in order and stops at the limit, so that the time does not grow
 * with the number of threads; one query with `in (...)` would collect and sort them all.
 */
import { activeStatuses, type Status } from "../contract/thread.ts";
import { asking } from "../sql/asking.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, isThere, one } from "../sql/procedure.ts";
import { apart, flat, fragment, joined, literal, nothing, type Sql, sql, word } from "../sql/sql.ts";
import { columnsOf } from "../sql/table.ts";
import { hasLapsed, type ShownLease, shownLease } from "./lease.ts";
import { isActive, type ThreadRow, threadColumns } from "./thread.ts";

export interface Candidate {
  thread: ThreadRow;
  lease: ShownLease | null;
  claimable: boolean;
}

interface Wanted {
  /** The agent's own name and its pools'. */
  names: readonly string[];
  statuses: readonly Status[];
  /** Only threads with something this agent has not read. */
  unreadBy?: string;
  limit: number;
}

type JoinedRow = ThreadRow & { priority_rank: number } & (ShownLease | Record<keyof ShownLease, null>);

const columns = fragment`${threadColumns}, threads.priority_rank, ${columnsOf(shownLease)}`;
const heldLease = fragment`leases.thread_id = threads.thread_id and leases.released_at is null`;
const bestFirst = fragment`order by threads.priority_rank, threads.thread_id`;

export function* candidates(wanted: Wanted, now: string): Procedure<Candidate[]> {
  const found = new Map<number, JoinedRow>();
  for (const name of wanted.names) {
    const rows = yield* all<JoinedRow>(candidatesFor(name, wanted, now));
    for (const row of rows) found.set(row.thread_id, row);
  }
  return [...found.values()]
    .sort((a, b) => a.priority_rank - b.priority_rank || a.thread_id - b.thread_id)
    .slice(0, wanted.limit)
    .map((row) => candidateOf(row, now));
}

export interface Best {
  thread: ThreadRow;
  /** The attempt of its last lease, if it is pending and was pending when it was selected: then no agent holds it. Else undefined. */
  attempt: number | undefined;
}

type BestRow = ThreadRow & { attempt: number | null; seen_at: string };

/** Evaluated once, before any scan: usually no lease at all has lapsed. */
const firstExpiry = fragment`(select min(held.expires_at) from leases as held where held.released_at is null)`;
const lastAttempt = fragment`(select leases.attempt from leases where leases.thread_id = threads.thread_id)`;

const place = fragment`threads.thread_id, threads.priority_rank, threads.updated_at`;

/**
 * The best pending thread of an agent, in one look at an index, where no other transaction runs. Undefined also if some lease has
 * lapsed: its thread may be better. Asked together with that, it is one statement less for each claim.
 */
const bestPending = (tx: Context, name: string): Procedure<Best | undefined> =>
  asking(apart(sql`${pendingThreads} ${name} ${bestOfThem}`), ([found]) => {
    const row = found as (ThreadRow & { attempt: number | null; lapses: string | null }) | undefined;
    if (!row || (row.lapses !== null && row.lapses <= (tx.time() as string))) return undefined;
    return { thread: row, attempt: row.attempt ?? 1 };
  });

const pendingThreads = flat(fragment`
  select ${threadColumns}, ${lastAttempt} as attempt, ${firstExpiry} as lapses from threads where threads.assigned_to =`);
const bestOfThem = flat(fragment`and threads.status = 'pending' ${bestFirst} limit 1`);

/**
 * Locks the best candidate that no other transaction has locked, in one step; callers that share a transaction get one
 * each. Undefined also if all candidates are locked.
 */
export function* lockBest(tx: Context, names: readonly string[]): Procedure<Best | undefined> {
  const pending = tx.embedded && names.length === 1 ? yield* bestPending(tx, names[0]!) : undefined;
  if (pending) return pending;
  const limit = fragment`${bestFirst} limit ${literal(tx.rivals)}`;
  const lapsed = !tx.embedded || (yield* isThere(someLapsed(tx.time())));
  const arms = names.flatMap((name) => [
    sql`select * from (select ${place} from threads
      where threads.assigned_to = ${name} and threads.status = 'pending' ${limit}) as s`,
    ...(lapsed ? lapsedArms(place, name, tx.time(), limit) : []),
  ]);
  const row = yield* one<BestRow>(
    apart(sql`
      select ${threadColumns}, found.updated_at as seen_at,
        ${lastAttempt} as attempt
      from (${joined(arms, " union ")} order by priority_rank, thread_id limit ${literal(tx.rivals)}) as found
        join threads on threads.thread_id = found.thread_id
      order by found.priority_rank, found.thread_id limit 1 ${tx.forUpdateFreeThreads}`),
  );
  if (!row) return undefined;
  // If the thread has changed since it was selected, what was read with it may be older than the thread.
  const sure = row.status === "pending" && row.updated_at === row.seen_at;
  return { thread: row, attempt: sure ? (row.attempt ?? 1) : undefined };
}

/** Where a statement costs no round trip this is asked first: with the six arms for lapsed leases the query took 19 µs instead of 5. */
const someLapsed = (now: Sql | string) =>
  sql`select 1 as some from leases where leases.released_at is null and leases.expires_at <= ${now} limit 1`;

const lapsedArms = (columns: Sql, name: string, now: Sql | string, rest: Sql) =>
  [fragment`threads.assigned_to`, fragment`threads.addressed_to`].flatMap((whose) =>
    activeStatuses.map(
      (status) => sql`select * from (
        select ${columns} from threads join leases on ${heldLease}
        where ${whose} = ${name} and threads.status = ${word(`'${status}'`)} and leases.expires_at <= ${now} and ${firstExpiry} <= ${now} ${rest}) as l`,
    ),
  );

function candidatesFor(name: string, { statuses, unreadBy, limit }: Wanted, now: string): Sql {
  const unread = unreadBy === undefined ? nothing : unreadCondition(unreadBy);
  const inStatus = statuses.map(
    (status) => sql`select * from (
      select ${columns} from threads left join leases on ${heldLease}
      where threads.assigned_to = ${name} and threads.status = ${status} ${unread} ${bestFirst} limit ${literal(limit)}) as s`,
  );
  const lapsed = lapsedArms(columns, name, now, sql`${unread} ${bestFirst} limit ${literal(limit)}`);
  return sql`${joined([...inStatus, ...lapsed], " union ")} order by priority_rank, thread_id limit ${literal(limit)}`;
}

/**
 * [T5] A message by another agent, after the read cursor, that was not collected. The offset makes a database server look
 * for it thread by thread: else it may join all threads with all messages, and sort them.
 */
const unreadCondition = (agent: string) => sql`and exists (
  select 1 from messages where messages.thread_id = threads.thread_id and messages.from_agent <> ${agent}
    and messages.acked_at is null and messages.message_id > coalesce((
      select thread_reads.last_read_message_id from thread_reads
      where thread_reads.thread_id = threads.thread_id and thread_reads.agent_id = ${agent}), 0) limit 1 offset 0)`;

function candidateOf(row: JoinedRow, now: string): Candidate {
  const { priority_rank, agent_id, attempt, claimed_at, expires_at, ...thread } = row;
  const lease = agent_id === null ? null : { agent_id, attempt, claimed_at, expires_at };
  return { thread, lease, claimable: lease ? hasLapsed(lease, now) : thread.status === "pending" };
}

/** When the next lease among an agent's candidates expires: nothing is written then, so a waiter must check by itself. */
export function* nextLapse(names: readonly string[], now: string): Procedure<string | undefined> {
  const earliest = (whose: Sql) => sql`
    select min(leases.expires_at) as at from threads join leases on ${heldLease}
    where ${whose} in (${joined(names)}) and ${isActive} and leases.expires_at > ${now}`;
  const row = yield* one<{ at: string | null }>(sql`
    select min(at) as at from (${earliest(fragment`threads.assigned_to`)}
      union all ${earliest(fragment`threads.addressed_to`)}) as either`);
  return row?.at ?? undefined;
}
