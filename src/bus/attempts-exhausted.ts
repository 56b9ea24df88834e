/** [L7] The lease of a thread has lapsed too often: the thread fails, its creator is told, and both commit with the refusal. */
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import { blank, field, phrase } from "../contract/phrase.ts";
import { plural } from "../contract/plural.ts";
import type { Context, Procedure, Refused } from "../sql/procedure.ts";
import { refused } from "../sql/procedure.ts";
import { append } from "./event.ts";
import { type LeaseRow, recordLoss, releaseLease } from "./lease.ts";
import { write } from "./message.ts";
import { changeThread, type ThreadRow } from "./thread.ts";

export function* failExhausted(
  tx: Context,
  thread: ThreadRow,
  lease: LeaseRow,
  now: string,
): Procedure<Refused> {
  const id = idOf("thread", thread.thread_id);
  const summary = `gave up after ${plural(lease.attempt, "attempt")}: the last lease, held by "${lease.agent_id}", expired`;
  const payload = { success: false, reason: "attempts_exhausted", attempts: lease.attempt };
  const head = {
    thread: thread.thread_id,
    from: lease.agent_id,
    to: thread.created_by,
    kind: "result",
  } as const;
  const message = yield* write({ ...tx, verified: false }, head, { summary, payload }, now);
  yield* recordLoss(lease, "", now);
  yield* releaseLease(lease, now);
  const after = yield* changeThread(
    thread,
    { status: "failed", latest_message_id: message.row.message_id },
    now,
  );
  const reason = "attempts_exhausted";
  yield* append(tx, {
    type: "thread.failed",
    source: lease.agent_id,
    thread: after,
    message: message.row,
    payload: { reason },
    now,
  });
  return refused(
    new InboxError(
      "invalid_state",
      `thread ${id} ${summary}; it is failed now and "${thread.created_by}" was told`,
      {
        hint: phrase`send it again with ${field("maxAttempts", blank("N"), "threads.send")} to allow more attempts`,
        details: { thread_id: id, status: "failed", reason },
      },
    ),
  );
}
