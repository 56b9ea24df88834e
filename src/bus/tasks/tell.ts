/** [Q5] What a task's parent is told about its end. */

import type { Excess } from "../../contract/usage.ts";
import { excessLine } from "../../contract/usage-text.ts";
import { branchLine, type OnBranch } from "../../contract/worktree.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { isGone } from "../ended-agent.ts";
import { append } from "../event.ts";
import { findLease, isHeld, releaseLease } from "../lease.ts";
import { firstLine, write } from "../message.ts";
import type { TaskRow } from "../task.ts";
import { changeThread, hasEnded } from "../thread.ts";
import { settle } from "../thread-end.ts";
import { usageInPayload, usageOf } from "../usage.ts";
import type { AtEnd, Ending } from "./end.ts";
import { withRemarks } from "./remarks.ts";
import { changesBefore } from "./worktrees.ts";

/** How it is known to have ended. */
export type Concluded = Pick<TaskRow, "error" | "reason"> & { success: boolean };

/** What the bus itself knows, however a task has ended. */
export interface Known {
  /** [A1] Its changes, if it has a branch with any. */
  branch?: OnBranch;
  /** [A11] */
  excess?: Excess;
}

const inPayload = ({ branch, excess }: Known) => ({
  ...(branch && { worktree: branch }),
  ...(excess && { over_budget: excess }),
});

/** The text of a failure. */
const failure = (row: TaskRow, { error, reason }: Concluded, partial: string | undefined) => ({
  from: row.name,
  success: false,
  error,
  reason,
  partial_output: partial ?? "",
});

export function* deliver(
  tx: Context,
  { row, thread, now }: AtEnd,
  ending: Ending & Known,
  outcome: Concluded,
): Procedure<void> {
  const { success, error } = outcome;
  const used = yield* usageOf(row.task_number);
  const payload = {
    ...(success ? { from: row.name, success: true } : failure(row, outcome, ending.partial)),
    ...(success && ending.cut && { cut: ending.cut }),
    ...(ending.refused?.length && { refused: ending.refused }),
    ...inPayload(ending),
    ...(ending.review && { review: ending.review }),
    ...usageInPayload(used),
    // A success has them in its text.
    ...(!success && ending.notices?.length && { notices: ending.notices }),
  };
  const final = ending.final ?? "";
  const body = success ? withRemarks(row, final, { ...ending, used }) : JSON.stringify(payload);
  const summary = success ? firstLine(final) || "(it finished without a final message)" : firstLine(error!);
  const head = { thread: thread.thread_id, from: row.name, to: row.parent, kind: "result" } as const;
  // The system itself saw it end, so the sender counts as verified.
  const message = yield* write({ ...tx, verified: true }, head, { summary, body, payload }, now);
  const lease = yield* findLease(thread.thread_id);
  if (isHeld(lease)) yield* releaseLease(lease, now);
  const status = hasEnded(thread) ? thread.status : success ? "done" : "failed";
  const after = yield* changeThread(thread, { status, latest_message_id: message.row.message_id }, now);
  yield* settle(after, now);
  const type = hasEnded(thread) ? "message.sent" : success ? "thread.done" : "thread.failed";
  yield* append(tx, { type, source: row.name, thread: after, message: message.row, now });
}

/** The sub-agent has reported its result itself, before it was known what is on its branch and what it has used. */
export function* tellMore(tx: Context, { row, thread, now }: AtEnd, known: Known): Procedure<void> {
  const { branch, excess } = known;
  const lines = [...(branch ? [branchLine(branch)] : []), ...(excess ? [excessLine(excess)] : [])];
  if (!lines.length) return;
  const head = { thread: thread.thread_id, from: row.name, to: row.parent, kind: "progress" } as const;
  const content = { summary: lines.join(" "), body: "", payload: inPayload(known) };
  const message = yield* write({ ...tx, verified: true }, head, content, now);
  yield* append(tx, { type: "message.sent", source: row.name, thread, message: message.row, now });
}

/** The failure of a task that never had a thread, or has none yet for its next turn. */
export function* tellUnstarted(tx: Context, row: TaskRow, outcome: Concluded, now: string): Procedure<void> {
  if (yield* isGone(tx, row.parent)) return;
  const branch = yield* changesBefore(row);
  const payload = { ...failure(row, outcome, undefined), ...inPayload({ branch }) };
  const head = { thread: null, from: row.name, to: row.parent, kind: "result", taskId: row.name } as const;
  const content = { summary: firstLine(outcome.error!), body: JSON.stringify(payload), payload };
  const message = yield* write({ ...tx, verified: true }, head, content, now);
  yield* append(tx, { type: "message.sent", source: row.name, message: message.row, now });
}
