/** The holder gives the thread back to whom it was sent. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { leaseOfHolder, saveLease } from "../lease.ts";
import { changeThread, lockThread, threadView } from "../thread.ts";

export function* release(
  tx: Context,
  input: ParsedOf<"threads.release">,
): Procedure<OutputOf<"threads.release">> {
  const thread = yield* lockThread(tx, input.thread);
  const now = yield* tx.clock();
  const lease = yield* leaseOfHolder("release", thread, input, now);
  if (lease instanceof InboxError) throw lease;
  yield* seen(tx, input.agent, now);
  yield* saveLease({ ...lease, released_at: now });
  const after = yield* changeThread(thread, { status: "pending", assigned_to: thread.addressed_to }, now);
  const payload = { attempt: lease.attempt };
  yield* append(tx, { type: "thread.released", source: input.agent, thread: after, payload, now });
  return { thread: threadView(after) };
}
