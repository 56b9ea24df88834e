/** [L10] A thread is taken from its holder: released by force, or reassigned. The agent that lost it is told. */

import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { ownCall, phrase } from "../contract/phrase.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { one } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { seen } from "./agent.ts";
import { append } from "./event.ts";
import { findLease, isHeld, type LeaseRow, recordLoss, releaseLease } from "./lease.ts";
import { firstLine, type Written, write } from "./message.ts";
import { changeThread, hasEnded, lockThread, notNow, type ThreadRow, threadView } from "./thread.ts";

/** An agent decides about a thread that another agent holds. */
export interface Taking {
  thread: ThreadRow;
  lease: LeaseRow | undefined;
  agent: string;
  reason?: string;
  now: string;
}

export function* forceRelease(
  tx: Context,
  { agent, thread: id, reason }: ParsedOf<"threads.release">,
): Procedure<OutputOf<"threads.release">> {
  const thread = yield* lockThread(tx, id);
  const now = yield* tx.clock();
  const lease = yield* findLease(thread.thread_id);
  if (!isHeld(lease) || hasEnded(thread)) throw notNow(thread, "releasing it by force");
  yield* notOfSubAgent(thread, "releasing it by force");
  const taking = { thread, lease, agent, reason, now };
  yield* seen(tx, agent, now);
  yield* endLease(taking);
  const told = yield* tell(tx, taking, lease.agent_id, `released by "${agent}": stop working on it`);
  const change = { status: "pending", assigned_to: thread.addressed_to, ...latest(told) } as const;
  const after = yield* changeThread(thread, change, now);
  const payload = { attempt: lease.attempt, taken_from: lease.agent_id, reason: reason ?? null };
  yield* append(tx, {
    type: "thread.released",
    source: agent,
    thread: after,
    message: told.row,
    payload,
    now,
  });
  return { thread: threadView(after), message: told.view };
}

export const latest = ({ row }: Written) => ({ latest_message_id: row.message_id });

export function* tell(tx: Context, taking: Taking, to: string, what: string): Procedure<Written> {
  const { thread, agent: from, reason, now } = taking;
  const head = { thread: thread.thread_id, from, to, kind: "control" } as const;
  const summary = reason === undefined ? what : `${what} (${firstLine(reason)})`;
  const payload = { taken: true, by: from, reason: reason ?? null };
  return yield* write(tx, head, { summary, body: reason, payload }, now);
}

/** The holder is fenced, as by a take-over. */
export function* endLease({ lease, agent, now }: Taking): Procedure<void> {
  if (lease!.agent_id !== agent) yield* recordLoss(lease!, agent, now);
  yield* releaseLease(lease!, now);
}

/** A sub-agent cannot be told to give up the task it was started for: it is ended instead. */
export function* notOfSubAgent(thread: ThreadRow, command: string): Procedure<void> {
  const task = yield* one<{ name: string }>(sql`
    select tasks.name from tasks
    where tasks.thread_id = ${thread.thread_id} and tasks.worker is null and tasks.status <> 'finished'`);
  if (!task) return;
  const id = idOf("thread", thread.thread_id);
  throw new InboxError(
    "invalid_state",
    `${command} is not possible: ${id} is the work of the sub-agent "${task.name}"`,
    {
      hint: phrase`${ownCall("tasks.kill", { name: task.name })} ends it; then assign the work again`,
      details: { thread_id: id, task: task.name },
    },
  );
}
