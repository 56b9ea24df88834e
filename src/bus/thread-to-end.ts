/** [T7] A thread that is to be ended, under its lock, and what has to be known of it. */
import { numberOf } from "../contract/ids.ts";
import { asking } from "../sql/asking.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { one, together } from "../sql/procedure.ts";
import { alike, flat, fragment, type Sql, sql } from "../sql/sql.ts";
import { columnsOf } from "../sql/table.ts";
import { leases } from "../sql/tables.ts";
import { type LeaseRow, type Locked, lockOwned } from "./lease.ts";
import { open } from "./message.ts";
import type { TaskRow } from "./task.ts";
import { noThread, type ThreadRow, threadColumns } from "./thread.ts";

/** The messages of a thread that ask for something. */
export const asksFor = (thread: number | Sql) =>
  fragment`messages.thread_id = ${thread} and messages.kind in ('task', 'answer')`;

/** [U11] The entries of its open questions. */
export const questionsIn = (thread: number | Sql) =>
  fragment`entries.thread_id = ${thread} and entries.needs = 'answer'`;

export const reviewed = (thread: number | Sql) => fragment`
  from tasks where tasks.thread_id = ${thread} and tasks.status <> 'finished' and tasks.review is not null`;

export type Review = Pick<TaskRow, "name" | "review">;

export interface ToEnd extends Locked {
  /** The review of the task that it belongs to, if the task is reviewed before it ends. */
  review: Review | undefined;
  /** Whether something in it asks for an answer; true if nobody has looked. */
  asks: boolean;
}

/** There is rarely a review, but reading it later would cost another round trip. */
function* toEndFromServer(tx: Context, id: string): Procedure<ToEnd> {
  const [locked, review] = yield* together(lockOwned(tx, id), pendingReview(numberOf(id)));
  return { ...locked, review, asks: true };
}

const pendingReview = (thread: number): Procedure<Review | undefined> =>
  one<Review>(alike(sql`select tasks.name, tasks.review ${reviewed(thread)}`));

const thisThread = fragment`threads.thread_id`;
/** Where there is no lease, this is the thread's number still. */
const leaseBeside = columnsOf(leases, { thread_id: thisThread });
const threadToEnd = flat(fragment`
  select ${threadColumns}, ${leaseBeside},
    (select tasks.name ${reviewed(thisThread)}) as review_name, (select tasks.review ${reviewed(thisThread)}) as review,
    exists (select 1 from messages where ${open} and ${asksFor(thisThread)})
      or exists (select 1 from entries where ${questionsIn(thisThread)}) as asks
  from threads left join leases on leases.thread_id = threads.thread_id`);

type EndingRow = ThreadRow & LeaseRow & { review_name: string | null; review: string | null; asks: number };

/**
 * Everything at once, where there are no row locks: each statement takes a microsecond of our own, whatever it asks. That
 * nothing asks for an answer saves two more.
 */
const toEnd = (tx: Context, id: string): Procedure<ToEnd> =>
  asking(alike(sql`${threadToEnd} where threads.thread_id = ${numberOf(id)}`), ([found]) => {
    const row = (found as EndingRow | undefined) ?? noThread(id);
    const { review_name: name, review, asks } = row;
    return {
      thread: row,
      lease: row.agent_id === null ? undefined : row,
      now: tx.time() as string,
      review: name === null ? undefined : { name, review },
      asks: asks === 1,
    };
  });

/** Call `ownThread` before. */
export function lockToEnd(tx: Context, id: string): Procedure<ToEnd> {
  if (tx.embedded) return toEnd(tx, id);
  return toEndFromServer(tx, id);
}
