/** [L6] The holder's lease, extended from now. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { expiryAfter, leaseOfHolder, leaseView, saveLease } from "../lease.ts";
import { lockThread, threadView } from "../thread.ts";

export function* renew(tx: Context, input: ParsedOf<"threads.renew">): Procedure<OutputOf<"threads.renew">> {
  const thread = yield* lockThread(tx, input.thread);
  const now = yield* tx.clock();
  const lease = yield* leaseOfHolder("renew", thread, input, now);
  if (lease instanceof InboxError) throw lease;
  yield* seen(tx, input.agent, now);
  const renewed = { ...lease, expires_at: expiryAfter(now, input.leaseSeconds) };
  yield* saveLease(renewed);
  const payload = { attempt: renewed.attempt, expires_at: renewed.expires_at };
  yield* append(tx, { type: "lease.renewed", source: input.agent, thread, payload, now });
  return { thread: threadView(thread), lease: leaseView(renewed, now) };
}
