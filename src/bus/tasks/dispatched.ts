/** [Q10] Tasks that were given to running workers: how they end, and how a worker is told to stop. */
import { idOf } from "../../contract/ids.ts";
import { plural } from "../../contract/plural.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { findLease, isHeld } from "../lease.ts";
import { firstLine, write } from "../message.ts";
import { isLive, isRunning, tasksWhere } from "../task.ts";
import { changeThread, hasEnded, lockThread, type ThreadRow } from "../thread.ts";
import { type AtEnd, conclude, killedBy } from "./end.ts";
import type { Worked } from "./worker-idle.ts";

/** The thread says how the task ended. Returns which worker ended which task. */
export function* endDispatched(tx: Context, now: string): Procedure<Worked[]> {
  const rows = yield* tasksWhere(sql`${isRunning} and tasks.worker is not null`);
  const ended: Worked[] = [];
  for (const row of rows.filter(isLive)) {
    const thread = yield* lockThread(tx, idOf("thread", row.thread_id!));
    const overdue =
      row.timeout_ms !== null && Date.parse(now) - Date.parse(row.started_at!) >= row.timeout_ms;
    if (!hasEnded(thread) && !overdue && row.killed_by === null) continue;
    ended.push({ worker: thread.assigned_to, task: row.name, thread: thread.thread_id });
    const why = overdue
      ? `it exceeded its timeout of ${plural(row.timeout_ms! / 1000, "second")}`
      : "its thread was cancelled";
    const error = row.killed_by === null ? why : killedBy(row);
    const reason = row.killed_by !== null ? "killed" : overdue ? "timeout" : "cancelled";
    const after = hasEnded(thread) ? thread : yield* callOff(tx, { row, thread, now }, error);
    yield* conclude(tx, { row, thread: after, now }, { success: false, error, reason, forGood: true });
  }
  return ended;
}

/** The worker that has claimed it is told to stop; if nobody has, there is nobody to tell. */
function* callOff(tx: Context, { row, thread, now }: AtEnd, error: string): Procedure<ThreadRow> {
  const lease = yield* findLease(thread.thread_id);
  if (!isHeld(lease)) return thread;
  const from = row.killed_by ?? row.parent;
  const head = { thread: thread.thread_id, from, to: lease.agent_id, kind: "control" } as const;
  const content = { summary: `cancelled: ${firstLine(error)}`, payload: { cancelled: true, reason: error } };
  const message = yield* write(tx, head, content, now);
  const after = yield* changeThread(thread, { latest_message_id: message.row.message_id }, now);
  yield* append(tx, { type: "message.sent", source: from, thread: after, message: message.row, now });
  return after;
}
