/** [T1] A new thread with its first message, or another message in a thread. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { field, phrase } from "../../contract/phrase.ts";
import { maxAttemptsDefault } from "../../contract/thread.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run, together } from "../../sql/procedure.ts";
import { alike } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { threads } from "../../sql/tables.ts";
import { eventNumberOf, seen } from "../agent.ts";
import { isGone } from "../ended-agent.ts";
import { contentOf, orderOf, write } from "../message.ts";
import { recipientOf } from "../name-use.ts";
import { bytesOf, spend } from "../quota.ts";
import type { ThreadRow } from "../thread.ts";
import { posted, postInThread } from "./threads-reply.ts";

type Input = ParsedOf<"threads.send">;
type Output = OutputOf<"threads.send">;

export function* threadsSend(tx: Context, input: Input): Procedure<Output> {
  if (input.thread === undefined) return yield* create(tx, input);
  const misplaced = (["subject", "run", "task", "priority", "maxAttempts"] as const).find(
    (key) => input[key] !== undefined,
  );
  if (misplaced)
    throw new InboxError(
      "invalid_input",
      phrase`${field(misplaced)} is for a new thread and cannot be combined with ${field("thread")}`,
      {
        hint: phrase`leave out ${field(misplaced)} to add to the thread, or leave out ${field("thread")} to create a new one`,
      },
    );
  return yield* postInThread(tx, { ...input, thread: input.thread, kind: input.kind ?? "progress" });
}

function* create(tx: Context, input: Input): Procedure<Output> {
  const { from } = input;
  // Without a thread they are required.
  const [to, subject] = [input.to!, input.subject!];
  yield* tx.lock(...orderOf({ to }));
  const [thread_id, latest_message_id, event, gone, now] = yield* together(
    tx.number("threads"),
    tx.number("messages"),
    eventNumberOf(tx, from),
    isGone(tx, to),
    tx.clock(),
  );
  const recipient = yield* recipientOf(tx, to, { strict: input.strict });
  const content = contentOf({ ...input, summary: input.summary ?? subject });
  yield* spend(tx, from, { messages: 1, bytes: () => bytesOf(content), threads: 1 }, now);
  yield* seen(tx, from, now);
  const thread: ThreadRow = {
    thread_id,
    run_id: input.run ?? "default",
    // A task without an id of its own gets the id of its thread.
    task_id: input.task ?? idOf("thread", thread_id),
    subject,
    created_by: from,
    assigned_to: to,
    addressed_to: to,
    status: "pending",
    priority: input.priority ?? "normal",
    max_attempts: input.maxAttempts ?? maxAttemptsDefault,
    latest_message_id,
    created_at: now,
    updated_at: now,
  };
  yield* run(alike(insert(threads, thread)));
  const known = { number: latest_message_id, gone };
  const head = { thread: thread_id, from, to, kind: input.kind ?? "task", taskId: thread.task_id, known };
  const message = yield* write(tx, head, content, now);
  return yield* posted(tx, { type: "thread.created", thread, message, recipient, now, event });
}
