/** A message to an existing thread, by default to the other side of it. */
import type { ArtifactInput } from "../../contract/artifact.ts";
import type { Kind } from "../../contract/message.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Recipient } from "../../contract/recipient.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { seen } from "../agent.ts";
import { reached } from "../ended-agent.ts";
import { numbered } from "../event.ts";
import { contentOf, type Written, write } from "../message.ts";
import { recipientOf } from "../name-use.ts";
import { bytesOf, spend } from "../quota.ts";
import { changeThread, lockThread, type ThreadRow, threadView } from "../thread.ts";

export function threadsReply(
  tx: Context,
  input: ParsedOf<"threads.reply">,
): Procedure<OutputOf<"threads.reply">> {
  return postInThread(tx, input);
}

interface Post {
  from: string;
  to?: string;
  thread: string;
  kind: Kind;
  summary?: string;
  body?: string;
  payload?: Record<string, unknown>;
  strict: boolean;
  artifacts: ArtifactInput[];
}

export function* postInThread(tx: Context, input: Post): Procedure<OutputOf<"threads.reply">> {
  const content = contentOf(input);
  const thread = yield* lockThread(tx, input.thread);
  const now = yield* tx.clock();
  const to = input.to ?? otherSide(thread, input.from);
  const recipient = yield* recipientOf(tx, to, { strict: input.strict });
  yield* spend(tx, input.from, { messages: 1, bytes: () => bytesOf(content) }, now);
  yield* seen(tx, input.from, now);
  const head = { thread: thread.thread_id, from: input.from, to, kind: input.kind };
  const message = yield* write(tx, head, content, now);
  const after = yield* changeThread(thread, { latest_message_id: message.row.message_id }, now);
  return yield* posted(tx, { type: "message.sent", thread: after, message, recipient, now });
}

interface Posted {
  type: "message.sent" | "thread.created";
  /** The thread as it is with the message in it. */
  thread: ThreadRow;
  message: Written;
  recipient: Recipient;
  now: string;
  /** The number of its event, if it was drawn before. */
  event?: number;
}

/** Appends the event of a message that was written to a thread, and returns both. */
export function* posted(
  tx: Context,
  { type, thread, message, recipient, now, event }: Posted,
): Procedure<OutputOf<"threads.reply">> {
  const { row, view } = message;
  const said = { type, source: view.fromAgent, thread, message: row, now };
  const nextEventId = yield* numbered(tx, said, event);
  return {
    thread: threadView(thread),
    message: view,
    recipient: yield* reached(recipient, message),
    nextEventId,
  };
}

const otherSide = (thread: ThreadRow, from: string) =>
  thread.assigned_to === from ? thread.created_by : thread.assigned_to;
