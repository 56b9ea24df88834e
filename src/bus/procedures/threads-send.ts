/** [T1] A new thread with its first message, or one more message in a thread. */
import { InboxError } from "../../contract/errors.ts";
import { idOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { maxAttemptsDefault } from "../../contract/thread.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { threads } from "../../sql/tables.ts";
import { recipientOf, seen } from "../agent.ts";
import { numbered } from "../event.ts";
import { reached } from "../gone.ts";
import { contentOf, write } from "../message.ts";
import { bytesOf, spend } from "../quota.ts";
import { changeThread, type ThreadRow, threadColumns, threadView } from "../thread.ts";
import { post } from "./threads-reply.ts";

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
    throw new InboxError("invalid_input", "a new thread needs --to and --subject", {
      hint: 'inbox send --to AGENT --subject "…" creates one; add --thread THREAD to write into an existing one',
    });
  const now = yield* tx.clock();
  const recipient = yield* recipientOf(tx, to, input.strict);
  const content = contentOf({ ...input, summary: input.summary ?? subject });
  yield* spend(tx, from, { messages: 1, bytes: () => bytesOf(content), threads: 1 }, now);
  yield* seen(tx, from, now);
  const row = yield* one<ThreadRow>(sql`
    ${insert(threads, {
      run_id: input.run ?? "default",
      task_id: input.task ?? "",
      subject,
      created_by: from,
      assigned_to: to,
      addressed_to: to,
      status: "pending",
      priority: input.priority ?? "normal",
      max_attempts: input.maxAttempts ?? maxAttemptsDefault,
      created_at: now,
      updated_at: now,
    })}
    returning ${threadColumns}`);
  const thread = row!;
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
