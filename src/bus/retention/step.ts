/** [Y1] One short transaction of retention: it deletes a page of one kind, if the rows are still due. */
import type { RetentionKind } from "../../contract/retention.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, alone } from "../../sql/procedure.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { wordsReached } from "../search.ts";
import { lockTasks } from "../task.ts";
import { deleteUnacked, deletions } from "./delete.ts";
import { duePage, type Kept, listed, type RowPosition } from "./due.ts";
import { deleteEvents, dueEvents, type EventCut } from "./events.ts";
import { type Kind, kindsOn, type RowKind } from "./kinds.ts";
import { dueInTopic, type TopicCut } from "./topics.ts";

export interface Step {
  count: number;
  /** Where the next one begins; undefined where nothing is left. */
  next: RowPosition | undefined;
  /** What is over the limit up to there, and was kept. */
  kept: Kept;
}

export interface Wanted {
  cut: RowPosition;
  after: RowPosition | undefined;
  host: string | undefined;
}

/** What is due now, without deleting it. */
export function* countDue(tx: Context, kind: RowKind, { host, ...range }: Wanted): Procedure<Step> {
  const { refs, ...page } = yield* duePage(tx, kindsOn(host)[kind], range);
  return { ...page, count: refs.length };
}

export function* deleteDue(tx: Context, kind: RowKind, { host, ...range }: Wanted): Procedure<Step> {
  // Locks: no other process deletes, dead letters are not requeued, and no task changes.
  yield* alone(tx, "gc");
  if (kind === "tasks" || kind === "transcripts") yield* lockTasks(tx);
  const found = kindsOn(host)[kind];
  const { refs, ...page } = yield* duePage(tx, found, range);
  if (!refs.length) return { ...page, count: 0 };
  const threadsBy = inThreads[kind];
  const free = threadsBy ? yield* stillFree(tx, found, range, yield* lockThreads(tx, threadsBy(refs))) : refs;
  if (!free.length) return { ...page, count: 0 };
  const now = yield* tx.clock();
  yield* deletions[kind](tx, free, now);
  // Deletions from the person's inbox have an event of their own.
  if (kind !== "entries") yield* applied(tx, kind, free.length, now);
  return { ...page, count: free.length };
}

/** Of the kinds that have threads: each with its thread, if it has one. */
const inThreads: Partial<Record<RowKind, (refs: readonly number[]) => Sql>> = {
  threads: (refs) => sql`
    select threads.thread_id as ref, threads.thread_id from threads where threads.thread_id in (${listed(refs)})`,
  tasks: (refs) => sql`
    select tasks.task_number as ref, tasks.thread_id from tasks where tasks.task_number in (${listed(refs)})`,
};

/**
 * A message may be added to a thread that has ended. The caller that adds it has locked the thread, and locked
 * threads are skipped.
 */
function* lockThreads(tx: Context, query: Sql): Procedure<Set<number>> {
  const rows = yield* all<{ ref: number; thread_id: number | null }>(sql`${query} order by 1`);
  const threads = rows.flatMap(({ thread_id }) =>
    thread_id !== null && tx.free(`thread:${thread_id}`) ? [thread_id] : [],
  );
  for (const thread of threads) yield* tx.own(`thread:${thread}`);
  const locked = threads.length
    ? yield* all<{ thread_id: number }>(sql`
        select threads.thread_id from threads where threads.thread_id in (${listed(threads)})
        order by threads.thread_id ${tx.forDeleteFree}`)
    : [];
  const ours = new Set(locked.map(({ thread_id }) => thread_id));
  return new Set(
    rows.flatMap(({ ref, thread_id }) => (thread_id === null || ours.has(thread_id) ? [ref] : [])),
  );
}

/** Read again, under the locks. */
function* stillFree(
  tx: Context,
  kind: Kind,
  range: Pick<Wanted, "cut" | "after">,
  locked: ReadonlySet<number>,
): Procedure<number[]> {
  const { refs } = yield* duePage(tx, kind, range);
  return refs.filter((ref) => locked.has(ref));
}

/** [U8] Search words are derived from events: events that were not indexed yet are kept until they are. */
export function* deleteDueEvents(tx: Context, cut: EventCut): Procedure<{ count: number; more: boolean }> {
  yield* alone(tx, "gc");
  const { count, last, more } = yield* dueEvents(tx, cut, { upTo: yield* wordsReached(tx) });
  if (!count) return { count, more: false };
  yield* applied(tx, "events", count, yield* tx.clock());
  yield* deleteEvents(last);
  return { count, more };
}

export function* deleteDueInTopic(tx: Context, cut: TopicCut): Procedure<{ count: number; more: boolean }> {
  yield* alone(tx, "gc");
  const { ids, more } = yield* dueInTopic(tx, cut, 0);
  if (!ids.length) return { count: 0, more: false };
  const count = yield* deleteUnacked(tx, ids);
  if (count) yield* applied(tx, "topics", count, yield* tx.clock());
  return { count, more: more && count > 0 };
}

function* applied(tx: Context, kind: RetentionKind | "expired", count: number, now: string): Procedure<void> {
  yield* append(tx, { type: "retention.applied", source: "gc", payload: { kind, count }, now });
}
