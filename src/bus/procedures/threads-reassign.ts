/** [L10] A thread is given to another agent. The agent that lost it is told. */

import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { ownCall, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { isKnown, seen } from "../agent.ts";
import { reached } from "../ended-agent.ts";
import { append } from "../event.ts";
import { findLease, isHeld } from "../lease.ts";
import { type Written, write } from "../message.ts";
import { recipientOf } from "../name-use.ts";
import { endLease, latest, notOfSubAgent, type Taking, tell } from "../take-away.ts";
import { changeThread, hasEnded, lockThread, notNow, threadView } from "../thread.ts";
import { settle } from "../thread-end.ts";

export function* threadsReassign(
  tx: Context,
  { agent, thread: id, to, reason, strict }: ParsedOf<"threads.reassign">,
): Procedure<OutputOf<"threads.reassign">> {
  const thread = yield* lockThread(tx, id);
  const now = yield* tx.clock();
  if (hasEnded(thread)) throw notNow(thread, "reassign");
  yield* notOfSubAgent(thread, "reassign");
  if (thread.assigned_to === to)
    throw new InboxError("invalid_state", `thread ${id} is already assigned to "${to}"`, {
      hint: phrase`choose another agent; ${ownCall("threads.release", { thread: id, force: true })} returns it to its original recipient`,
      details: { thread_id: id, status: thread.status, assigned_to: to },
    });
  const lease = yield* findLease(thread.thread_id);
  const taking = { thread, lease, agent, reason, now };
  const recipient = yield* recipientOf(tx, to, { strict });
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

/** The holder, or the agent it was assigned to; members of a pool have lost nothing that was theirs. */
function* tellLoser(tx: Context, taking: Taking, to: string): Procedure<Written | undefined> {
  const { thread, lease, agent, now } = taking;
  const loser = isHeld(lease) ? lease.agent_id : thread.assigned_to;
  if (loser === agent || (!isHeld(lease) && !(yield* isKnown(tx, loser)))) return undefined;
  const told = yield* tell(tx, taking, loser, `reassigned to "${to}": stop working on it`);
  const after = { ...thread, latest_message_id: told.row.message_id };
  yield* append(tx, { type: "message.sent", source: agent, thread: after, message: told.row, now });
  return told;
}
