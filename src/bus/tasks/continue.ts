/** [A4] A finished sub-agent continues: its session gets a message, as another turn of the same task. */
import { InboxError } from "../../contract/errors.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { refuseWhereHeld } from "../daily-limit.ts";
import { append } from "../event.ts";
import { spend } from "../quota.ts";
import { changeTask, liveTask, lockTasks, type TaskRow, tasksWhere } from "../task.ts";
import { overBudget } from "../usage.ts";

/** The caller has checked that its program can resume. The turn starts at once, in a new thread. */
export function* continueTask(
  tx: Context,
  task: Pick<TaskRow, "task_number" | "name">,
  by: string,
  followUp: string,
): Procedure<TaskRow> {
  yield* lockTasks(tx);
  const [row] = yield* tasksWhere(sql`tasks.task_number = ${task.task_number}`);
  const other = yield* liveTask(task.name);
  if (row?.status !== "finished" || row.session === null || other)
    throw new InboxError(
      "invalid_state",
      `"${task.name}" cannot resume: it is ${other?.status ?? row?.status ?? "gone"}`,
      { hint: phrase`${call("tasks.show", { name: task.name })} shows it` },
    );
  const now = yield* tx.clock();
  yield* refuseSpent(row);
  yield* refuseWhereHeld(now, "turn");
  yield* spend(tx, by, { bytes: () => Buffer.byteLength(followUp), subAgents: 1 }, now);
  const after = yield* changeTask(row, {
    status: "waiting",
    in_turn: 0,
    follow_up: followUp,
    thread_id: null,
    attempt: 0,
    killed_by: null,
    kill_reason: null,
    started_at: null,
    finished_at: null,
    success: null,
    error: null,
    reason: null,
    review_json: null,
    keeper: null,
    child: null,
    interrupt_id: null,
    token_id: null,
  });
  yield* append(tx, { type: "task.continued", source: by, payload: { task: row.name }, now });
  return after;
}

/** [A11] Its budget is already used up: the turn would end as soon as it began. */
function* refuseSpent(row: TaskRow): Procedure<void> {
  if ((yield* overBudget(row)) === undefined) return;
  throw new InboxError("invalid_state", `"${row.name}" cannot go on: it has used up its budget`, {
    hint: phrase`give it a larger one, for all its turns together: ${field("budget", blank("TOKENS|USD"), "tasks.send")}`,
  });
}
