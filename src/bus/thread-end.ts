/** [T7] The two ways in which a holder ends a thread, and what happens to a result that comes too late ([L4]). */
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Context, Procedure, Refused } from "../sql/procedure.ts";
import { ending, nothingToAsk, refused, run } from "../sql/procedure.ts";
import { alike, fragment, sql } from "../sql/sql.ts";
import { seen } from "./agent.ts";
import { append, type TellingOf } from "./event.ts";
import { type LeaseRow, type Locked, leaseOfHolder, releaseLease } from "./lease.ts";
import {
  acknowledging,
  type Content,
  contentOf,
  firstLine,
  isWhole,
  lastMessageBy,
  sameContent,
  type Written,
  write,
} from "./message.ts";
import {
  changeThread,
  newestMessage,
  newestMessageIn,
  ownThread,
  type ThreadRow,
  threadView,
} from "./thread.ts";
import { asksFor, lockToEnd, questionsIn, type Review } from "./thread-to-end.ts";

export type EndInput = ParsedOf<"threads.done">;
/** How a thread is to be ended, as data. */
export interface End {
  input: EndInput;
  status: EndStatus;
}

type Output = OutputOf<"threads.done">;

export type EndStatus = "done" | "failed";

export const endingContent = (input: EndInput, status: EndStatus): Content =>
  contentOf({
    ...input,
    summary: input.summary ?? (input.body ? firstLine(input.body) : status),
    payload: status === "failed" ? { ...input.payload, success: false } : input.payload,
  });

export function* endThread(tx: Context, { input, status }: End): Procedure<Output | Refused> {
  const { agent } = input;
  const command = status === "done" ? "done" : "fail";
  const content = endingContent(input, status);
  yield* ownThread(tx, input.thread);
  const found = yield* lockToEnd(tx, input.thread);
  const { thread, now, review, asks } = found;
  if (thread.status === status) {
    const result = yield* lastMessageBy(thread.thread_id, agent, fragment`and messages.kind = 'result'`);
    if (result && sameContent(result, content))
      return { thread: threadView(thread), message: result, already: true };
  }
  if (status === "done") refuseUnreviewed(thread, review);
  const lease = yield* leaseOfHolder(command, found, input);
  if (lease instanceof InboxError) {
    if (lease.code !== "lease_lost") throw lease;
    return yield* keepLate(tx, { thread, agent, content, lost: lease, command, now });
  }
  yield* seen(tx, agent, now);
  const message = yield* writeLast(tx, { thread, lease, agent, content, status, asks, now });
  const after = { ...thread, status, latest_message_id: message.row.message_id, updated_at: now };
  return { thread: threadView(after), message: message.view };
}

/** [A12] Its parent gets one result, with the review in it: what the sub-agent says at the end of its turn is reviewed first. */
function refuseUnreviewed({ task_id }: ThreadRow, task: Review | undefined): void {
  if (task && task.name === task_id)
    throw new InboxError("invalid_state", `"${task_id}" is reviewed by ${task.review} before it is done`, {
      hint: "give the result as your final message and end your turn; the review follows by itself",
    });
}

interface Ending extends Omit<Locked, "lease"> {
  lease: LeaseRow;
  agent: string;
  content: Content;
  status: EndStatus;
  asks: boolean;
}

interface Closing extends Pick<Ending, "thread" | "status" | "lease" | "agent"> {
  message: TellingOf;
}

/**
 * Writes the result and ends the thread in one step: the other statements find the number of the message in the database.
 * Where there are no round trips it is drawn first, which is faster than to look for it twice.
 */
function* writeLast(
  tx: Context,
  { thread, lease, agent, content, status, asks, now }: Ending,
): Procedure<Written> {
  const { thread_id, created_by, task_id: taskId } = thread;
  const number = tx.embedded ? yield* tx.number("messages") : undefined;
  const known = number === undefined ? {} : { taskId, known: { number, gone: false } };
  const head = { thread: thread_id, from: agent, to: created_by, kind: "result", ...known } as const;
  const message_id = number ?? newestMessageIn(thread_id);
  const told = { kind: head.kind, to_agent: head.to, summary: content.summary, message_id };
  const after = { ...thread, status, updated_at: now };
  const [, message] = yield* ending(
    isWhole(tx, head, content) ? tx : { ...tx, final: false },
    asks ? settle(after, now) : nothingToAsk,
    write(tx, head, content, now),
    closing(tx, { thread: after, status, lease, agent, message: told }, now),
  );
  return message;
}

/** What ends with its result: the lease, the thread, and the event that says so. */
function* closing(
  tx: Context,
  { thread, status, lease, agent, message }: Closing,
  now: string,
): Procedure<void> {
  yield* releaseLease(lease, now);
  yield* run(newestMessage(thread.thread_id, message.message_id, status, now));
  yield* append(tx, { type: `thread.${status}`, source: agent, thread, message, now });
}

/** [T11] An ended thread no longer asks for anything. This is part of ending it, and has no event of its own. */
export function* settle(thread: ThreadRow, now: string): Procedure<void> {
  const which = asksFor(thread.thread_id);
  yield* run(acknowledging({ agent: thread.assigned_to, names: [thread.assigned_to], which, now }));
  // [U11] Nor does the person have to answer its questions any more.
  yield* run(alike(sql`update entries set needs = null where ${questionsIn(thread.thread_id)}`));
}

interface LateResult {
  thread: ThreadRow;
  agent: string;
  content: Content;
  lost: InboxError;
  command: string;
  now: string;
}

/** The result of a fenced holder is not discarded: it is kept in the thread, marked as late, and the refusal says so. */
function* keepLate(
  tx: Context,
  { thread, agent, content, lost, command, now }: LateResult,
): Procedure<Refused> {
  const marked = { ...content, payload: { ...content.payload, late: true, command } };
  const before = yield* lastMessageBy(thread.thread_id, agent, fragment`and messages.kind = 'event'`);
  let kept = before && sameContent(before, marked) ? before.messageId : undefined;
  if (!kept) {
    const head = { thread: thread.thread_id, from: agent, to: thread.created_by, kind: "event" } as const;
    const message = yield* write(tx, head, marked, now);
    yield* seen(tx, agent, now);
    const after = yield* changeThread(thread, { latest_message_id: message.row.message_id }, now);
    const payload = { late: true };
    yield* append(tx, {
      type: "message.sent",
      source: agent,
      thread: after,
      message: message.row,
      payload,
      now,
    });
    kept = message.view.messageId;
  }
  return refused(
    new InboxError(
      "lease_lost",
      `${lost.message}; your result was kept in the thread as ${kept}, marked as late`,
      {
        hint: lost.hint,
        details: { ...lost.details, kept_as: kept },
      },
    ),
  );
}
