/** [L10] A thread is taken from whoever has it: given back by force, or given to another. Whoever lost it is told. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { isKnown, recipientOf, seen } from "../agent.ts";
import { append } from "../event.ts";
import { reached } from "../gone.ts";
import { findLease, isHeld, type LeaseRow, recordLoss, saveLease } from "../lease.ts";
import { firstLine, type Written, write } from "../message.ts";
import { changeThread, hasEnded, lockThread, notNow, type ThreadRow, threadView } from "../thread.ts";
import { settle } from "./finish.ts";

/** Somebody decides about a thread that is in somebody's hands. */
interface Taking {
  thread: ThreadRow;
  lease: LeaseRow | undefined;
  agent: string;
  reason?: string;
  now: string;
}

export function* forceRelease(
  tx: Context,
  { agent, thread: id, reason, leaseToken }: ParsedOf<"threads.release">,
): Procedure<OutputOf<"threads.release">> {
  if (leaseToken !== undefined)
    throw new InboxError("invalid_input", "a lease token is the holder's, and force is for others", {
      hint: "give one of the two",
    });
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

export function* reassign(
  tx: Context,
  { agent, thread: id, to, reason, strict }: ParsedOf<"threads.reassign">,
): Procedure<OutputOf<"threads.reassign">> {
  const thread = yield* lockThread(tx, id);
  const now = yield* tx.clock();
  if (hasEnded(thread)) throw notNow(thread, "reassign");
  yield* notOfSubAgent(thread, "reassign");
  if (thread.assigned_to === to)
    throw new InboxError("invalid_state", `thread ${id} is assigned to "${to}" already`, {
      hint: phrase`name another agent; ${call("threads.release", { thread: id, force: true })} gives it back to whom it was first sent`,
      details: { thread_id: id, status: thread.status, assigned_to: to },
    });
  const lease = yield* findLease(thread.thread_id);
  const taking = { thread, lease, agent, reason, now };
  const recipient = yield* recipientOf(tx, to, strict);
  yield* seen(tx, agent, now);
  yield* settle(thread, now);
  if (isHeld(lease)) yield* endLease(taking);
  const lost = yield* tellLoser(tx, taking, to);
  const head = { thread: thread.thread_id, from: agent, to, kind: "task" } as const;
  const payload = { reassigned_from: thread.assigned_to };
  const given = yield* write(tx, head, { summary: thread.subject, body: reason, payload }, now);
  const change = { status: "pending", assigned_to: to, addressed_to: to, ...latest(given) } as const;
  const after = yield* changeThread(thread, change, now);
  const details = { from: thread.assigned_to, reason: reason ?? null };
  yield* append(tx, {
    type: "thread.reassigned",
    source: agent,
    thread: after,
    message: given.row,
    payload: details,
    now,
  });
  return {
    thread: threadView(after),
    message: given.view,
    recipient: yield* reached(recipient, given),
    lost: lost ? lost.row.to_agent : null,
  };
}

const latest = ({ row }: Written) => ({ latest_message_id: row.message_id });

/** Whoever held it, or had it before it could claim it; the members of a pool have lost nothing that was theirs. */
function* tellLoser(tx: Context, taking: Taking, to: string): Procedure<Written | undefined> {
  const { thread, lease, agent, now } = taking;
  const loser = isHeld(lease) ? lease.agent_id : thread.assigned_to;
  if (loser === agent || (!isHeld(lease) && !(yield* isKnown(tx, loser)))) return undefined;
  const told = yield* tell(tx, taking, loser, `reassigned to "${to}": stop working on it`);
  const after = { ...thread, latest_message_id: told.row.message_id };
  yield* append(tx, { type: "message.sent", source: agent, thread: after, message: told.row, now });
  return told;
}

function* tell(tx: Context, taking: Taking, to: string, what: string): Procedure<Written> {
  const { thread, agent: from, reason, now } = taking;
  const head = { thread: thread.thread_id, from, to, kind: "control" } as const;
  const summary = reason === undefined ? what : `${what} (${firstLine(reason)})`;
  const payload = { taken: true, by: from, reason: reason ?? null };
  return yield* write(tx, head, { summary, body: reason, payload }, now);
}

/** Its holder is fenced, as by a take-over. */
function* endLease({ lease, agent, now }: Taking): Procedure<void> {
  if (lease!.agent_id !== agent) yield* recordLoss(lease!, agent, now);
  yield* saveLease({ ...lease!, released_at: now });
}

/** A sub-agent cannot be told to let go of what it was started for: it is ended. */
function* notOfSubAgent(thread: ThreadRow, command: string): Procedure<void> {
  const task = yield* one<{ name: string }>(sql`
    select tasks.name from tasks
    where tasks.thread_id = ${thread.thread_id} and tasks.worker is null and tasks.status <> 'finished'`);
  if (!task) return;
  const id = idOf("thread", thread.thread_id);
  throw new InboxError(
    "invalid_state",
    `${command} is not possible: ${id} is the work of the sub-agent "${task.name}"`,
    {
      hint: phrase`${call("tasks.kill", { name: task.name })} ends it; then assign the work anew`,
      details: { thread_id: id, task: task.name },
    },
  );
}
