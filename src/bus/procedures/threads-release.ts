/** The holder releases the thread; it is assigned again to whom it was sent. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, field, ownCall, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { leaseOfHolder, lockWithLease, releaseLease } from "../lease.ts";
import { forceRelease } from "../take-away.ts";
import { changeThread, threadView } from "../thread.ts";

export function* threadsRelease(
  tx: Context,
  input: ParsedOf<"threads.release">,
): Procedure<OutputOf<"threads.release">> {
  if (input.force) return yield* forceRelease(tx, input);
  if (input.reason !== undefined)
    throw new InboxError(
      "invalid_input",
      phrase`${field("reason")} is for releasing another agent's thread with ${field("force")}`,
      {
        hint: phrase`leave out ${field("reason")}; to say why you stop, use ${ownCall("threads.update", { thread: input.thread, summary: blank("why") })} first`,
      },
    );
  const locked = yield* lockWithLease(tx, input.thread);
  const lease = yield* leaseOfHolder("release", locked, input);
  if (lease instanceof InboxError) throw lease.code === "lease_conflict" ? heldByOther(lease, input) : lease;
  const { thread, now } = locked;
  yield* seen(tx, input.agent, now);
  yield* releaseLease(lease, now);
  const after = yield* changeThread(thread, { status: "pending", assigned_to: thread.addressed_to }, now);
  const payload = { attempt: lease.attempt, taken_from: null };
  yield* append(tx, { type: "thread.released", source: input.agent, thread: after, payload, now });
  return { thread: threadView(after) };
}

/** [L10] Its creator or a leader can take it from its holder. */
function heldByOther({ code, message, details }: InboxError, { thread }: { thread: string }): InboxError {
  return new InboxError(code, message, {
    hint: phrase`wait, or ask ${JSON.stringify(details?.holder)} to release it; its creator or a leader takes it away with ${ownCall("threads.release", { thread, force: true })}`,
    details,
  });
}
