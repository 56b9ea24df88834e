/** [T8] Any agent may cancel a thread that has not ended; its holder is told. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { findLease, isHeld, saveLease } from "../lease.ts";
import { firstLine, write } from "../message.ts";
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
  const to = isHeld(lease) ? lease.agent_id : thread.assigned_to;
  yield* seen(tx, agent, now);
  const summary = reason === undefined ? "cancelled" : `cancelled: ${firstLine(reason)}`;
  const payload = { cancelled: true, reason: reason ?? null };
  const head = { thread: thread.thread_id, from: agent, to, kind: "control" } as const;
  const message = yield* write(tx, head, { summary, body: input.body ?? reason, payload, artifacts }, now);
  if (isHeld(lease)) yield* saveLease({ ...lease, released_at: now });
  const after = yield* changeThread(
    thread,
    { status: "cancelled", latest_message_id: message.row.message_id },
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
