/** [T9] One thread with its lease and all its messages. Changes nothing: messages are collected after they were shown. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, field, phrase, variable } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { latestEventOf } from "../event.ts";
import { findLease, isHeld, leaseView } from "../lease.ts";
import { messagesOf } from "../message.ts";
import { findThread, threadView } from "../thread.ts";

export function* threadsShow(
  tx: Context,
  input: ParsedOf<"threads.show">,
): Procedure<OutputOf<"threads.show">> {
  if (input.markRead && input.agent === undefined)
    throw new InboxError("invalid_input", "marking as read requires an agent", {
      hint: phrase`add ${field("agent", blank("NAME"))}, or set ${variable("INBOX_AGENT")}`,
    });
  const thread = yield* findThread(input.thread);
  const now = yield* tx.clock();
  const lease = yield* findLease(thread.thread_id);
  return {
    thread: threadView(thread),
    lease: isHeld(lease) ? leaseView(lease, now) : null,
    messages: yield* messagesOf(thread.thread_id),
    nextEventId: yield* latestEventOf(thread.thread_id),
  };
}
