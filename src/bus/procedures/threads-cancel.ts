/** [T8] Any agent may cancel a thread that has not ended; its holder and its creator are told. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { findLease, isHeld } from "../lease.ts";
import { firstLine, write } from "../message.ts";
import { endLease } from "../take-away.ts";
import { changeThread, hasEnded, lockThread, notNow, threadView } from "../thread.ts";
import { settle } from "../thread-end.ts";

export function* threadsCancel(
  tx: Context,
  input: ParsedOf<"threads.cancel">,
): Procedure<OutputOf<"threads.cancel">> {
  const { agent, artifacts } = input;
  const reason = input.reason ?? input.summary ?? (firstLine(input.body ?? "") || undefined);
  const thread = yield* lockThread(tx, input.thread);
  const now = yield* tx.clock();
  if (hasEnded(thread)) throw notNow(thread, "cancel");
  const lease = yield* findLease(thread.thread_id);
  const holder = isHeld(lease) ? lease.agent_id : thread.assigned_to;
  // Who cancels it knows. Where nobody else is concerned, the thread tells its agent.
  const others = [...new Set([holder, thread.created_by])].filter((name) => name !== agent);
  const [to = holder, creator] = others;
  yield* seen(tx, agent, now);
  const summary = reason === undefined ? "cancelled" : `cancelled: ${firstLine(reason)}`;
  const payload = { cancelled: true, reason: reason ?? null };
  const content = { summary, body: input.body ?? reason, payload, artifacts };
  const head = { thread: thread.thread_id, from: agent, kind: "control" } as const;
  const message = yield* write(tx, { ...head, to }, content, now);
  const copy = creator === undefined ? message : yield* write(tx, { ...head, to: creator }, content, now);
  if (creator !== undefined)
    yield* append(tx, { type: "message.sent", source: agent, thread, message: copy.row, now });
  if (isHeld(lease)) yield* endLease({ thread, lease, agent, now });
  const after = yield* changeThread(
    thread,
    { status: "cancelled", latest_message_id: copy.row.message_id },
    now,
  );
  yield* settle(after, now);
  yield* append(tx, {
    type: "thread.cancelled",
    source: agent,
    thread: after,
    message: message.row,
    payload: { reason: reason ?? null },
    now,
  });
  return { thread: threadView(after), message: message.view };
}
