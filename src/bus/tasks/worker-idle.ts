/** [Q12] A worker of a pool that has ended its last thread: whether it is idle, and how its gate sends it back to work. */

import { idOf } from "../../contract/ids.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { fragment, joined, sql } from "../../sql/sql.ts";
import { newestFirst, threadNumber, walksOfAssigned } from "../assigned.ts";
import { append } from "../event.ts";
import { firstLine, lastMessageBy, write } from "../message.ts";
import { findThread } from "../thread.ts";

/** A task that a worker has ended, by its thread. */
export interface Worked {
  worker: string;
  task: string;
  thread: number;
}

/** How often in a row the gate of its pool has refused to let it be idle; undefined if it is not idle, or not in that pool. */
export function* refusalsOf(
  tx: Context,
  { worker, thread }: Worked,
  pool: string,
): Procedure<number | undefined> {
  const busy = yield* one(sql`
    select 1 as here where not exists (
        select 1 from pool_members where pool_members.agent_id = ${worker} and pool_members.pool = ${pool})
      or exists (select 1 from leases where leases.agent_id = ${worker} and leases.released_at is null)
      or exists (select 1 from threads where threads.assigned_to in (${worker}, ${pool}) and threads.status = 'pending')`);
  if (busy) return undefined;
  const arms = walksOfAssigned(worker).map(
    (by) => sql`select * from (
      select threads.thread_id from threads join tasks on tasks.thread_id = threads.thread_id
      where ${tx.walk({ by, number: threadNumber, before: thread })} and tasks.worker is not null
      order by ${newestFirst(by)} limit 1) as newest`,
  );
  const before = yield* one<{ thread_id: number }>(
    sql`${joined(arms, " union ")} order by thread_id desc limit 1`,
  );
  if (!before) return 0;
  const last = yield* lastMessageBy(before.thread_id, pool, fragment`and messages.kind = 'control'`);
  return Number(last?.payload.refusal ?? 0);
}

/** Sent to its inbox, where it looks for work. */
export function* sendBackToWork(
  tx: Context,
  { worker, task, thread: id }: Worked,
  { pool, refusal, feedback }: { pool: string; refusal: number; feedback: string },
): Procedure<void> {
  const now = yield* tx.clock();
  const thread = yield* findThread(idOf("thread", id));
  const head = { thread: id, from: pool, to: worker, kind: "control" } as const;
  const payload = { gate: "idle", pool, task, refusal };
  const content = { summary: firstLine(feedback), body: feedback, payload };
  // The system itself ran the gate, so the sender counts as verified.
  const message = yield* write({ ...tx, verified: true }, head, content, now);
  yield* append(tx, { type: "message.sent", source: pool, thread, message: message.row, now });
}
