/** [T1] A new thread with its first message, or one more message in a thread. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import { maxAttemptsDefault } from "../../contract/thread.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { recipientOf, seen } from "../agent.ts";
import { numbered } from "../event.ts";
import { reached } from "../gone.ts";
import { contentOf, write } from "../message.ts";
import { changeThread, type ThreadRow, threadColumns, threadView } from "../thread.ts";
import { post } from "./reply.ts";

type Input = ParsedOf<"threads.send">;
type Output = OutputOf<"threads.send">;

export function* send(tx: Context, input: Input): Procedure<Output> {
  if (input.thread === undefined) return yield* create(tx, input);
  const misplaced = (["subject", "run", "task", "priority", "maxAttempts"] as const).find(
    (key) => input[key] !== undefined,
  );
  if (misplaced)
    throw new InboxError(
      "invalid_input",
      `${misplaced} belongs to a new thread, but ${input.thread} exists`,
      {
        hint: `leave out ${misplaced} to add to the thread; a new thread is made without thread, with to and subject`,
      },
    );
  return yield* post(tx, { ...input, thread: input.thread, kind: input.kind ?? "progress" });
}

function* create(tx: Context, input: Input): Procedure<Output> {
  const { from, to, subject } = input;
  if (to === undefined || subject === undefined)
    throw new InboxError("invalid_input", phrase`a new thread needs ${field("to")} and ${field("subject")}`, {
      hint: phrase`${call("threads.send", { to: blank("AGENT"), subject: blank("…") })} creates one; add ${field("thread", blank("THREAD"))} to write into an existing one`,
    });
  const now = yield* tx.clock();
  const recipient = yield* recipientOf(tx, to, input.strict);
  yield* seen(tx, from, now);
  const row = yield* one<ThreadRow>(sql`
    insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, priority,
      max_attempts, created_at, updated_at)
    values (${input.run ?? "default"}, ${input.task ?? ""}, ${subject}, ${from}, ${to}, ${to}, 'pending',
      ${input.priority ?? "normal"}, ${input.maxAttempts ?? maxAttemptsDefault}, ${now}, ${now})
    returning ${threadColumns}`);
  const thread = row!;
  const content = contentOf({ ...input, summary: input.summary ?? subject });
  const kind = input.kind ?? "task";
  // A task without an id of its own is called like its thread.
  const task_id = input.task ?? idOf("thread", thread.thread_id);
  const message = yield* write(
    tx,
    { thread: thread.thread_id, from, to, kind, taskId: task_id },
    content,
    now,
  );
  const after = yield* changeThread(thread, { task_id, latest_message_id: message.row.message_id }, now);
  const nextEventId = yield* numbered(tx, {
    type: "thread.created",
    source: from,
    thread: after,
    message: message.row,
    now,
  });
  return {
    thread: threadView(after),
    message: message.view,
    recipient: yield* reached(recipient, message),
    nextEventId,
  };
}
