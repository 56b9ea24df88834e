/** [Q10] A task that has failed and will be retried waits for its next attempt. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { append } from "../event.ts";
import { expiryAfter } from "../expiry.ts";
import { findLease, isHeld, saveLease } from "../lease.ts";
import { changeTask } from "../task.ts";
import type { AtEnd, Ending } from "./end.ts";

/** The first pause; it doubles with each attempt. */
const pauseSeconds = 1;
const longestPauseSeconds = 300;

export function* tryAgain(tx: Context, { row, thread, now }: AtEnd, ending: Ending): Procedure<void> {
  const seconds = Math.min(longestPauseSeconds, pauseSeconds * 2 ** (row.attempt - 1));
  const not_before = expiryAfter(now, seconds);
  const error = ending.error ?? "it failed";
  yield* changeTask(row, {
    status: "waiting",
    not_before,
    keeper_token: null,
    leased_until: null,
    keeper: null,
    child: null,
    // A new attempt starts without a session, unless the task was asked to continue its session.
    session: row.follow_up === null ? null : row.session,
    error,
  });
  const lease = yield* findLease(thread.thread_id);
  if (isHeld(lease)) yield* saveLease({ ...lease, expires_at: expiryAfter(not_before, 60) });
  const payload = { task: row.name, attempt: row.attempt, error, not_before };
  yield* append(tx, { type: "task.retried", source: row.name, thread, payload, now });
}
