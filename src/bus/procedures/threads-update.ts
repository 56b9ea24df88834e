/** [T6] Progress, or a question that blocks the work. Both go to the thread's creator. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { numbered } from "../event.ts";
import { leaseOfHolder, leaseView, lockWithLease } from "../lease.ts";
import { contentOf, firstLine, write } from "../message.ts";
import { bytesOf, spend } from "../quota.ts";
import { changeThread, threadView } from "../thread.ts";

export function* threadsUpdate(
  tx: Context,
  input: ParsedOf<"threads.update">,
): Procedure<OutputOf<"threads.update">> {
  const { agent, status } = input;
  if (status === "blocked" && input.summary === undefined)
    throw new InboxError("invalid_input", "a blocked update requires a summary that states what is missing", {
      hint: phrase`add ${field("summary", blank("Should admins log in by email?"))}`,
    });
  const summary = input.summary ?? (input.body ? firstLine(input.body) : "in progress");
  const content = contentOf({ ...input, summary });
  const locked = yield* lockWithLease(tx, input.thread);
  const lease = yield* leaseOfHolder("update", locked, input);
  if (lease instanceof InboxError) throw lease;
  const { thread, now } = locked;
  yield* spend(tx, agent, { messages: 1, bytes: () => bytesOf(content) }, now);
  yield* seen(tx, agent, now);
  const kind = status === "blocked" ? "question" : "progress";
  const message = yield* write(
    tx,
    { thread: thread.thread_id, from: agent, to: thread.created_by, kind },
    content,
    now,
  );
  const after = yield* changeThread(thread, { status, latest_message_id: message.row.message_id }, now);
  const nextEventId = yield* numbered(tx, {
    type: "thread.updated",
    source: agent,
    thread: after,
    message: message.row,
    now,
  });
  return { thread: threadView(after), message: message.view, lease: leaseView(lease, now), nextEventId };
}
