/** [Q1] Queueing a task. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { recipientOf } from "../agent.ts";
import { oneView } from "../task.ts";
import { addTask, type NewTask } from "../tasks/add.ts";
import { othersKept } from "../worktree.ts";

export function* tasksPush(tx: Context, input: NewTask): Procedure<OutputOf<"tasks.push">> {
  // Before the task is there: a task's worker is a name that somebody uses.
  const recipient = input.worker === undefined ? undefined : yield* recipientOf(tx, input.worker, false);
  const row = yield* addTask(tx, input);
  const others = yield* othersKept(tx, row);
  return { task: yield* oneView(row), ...(recipient && { recipient }), ...(others.length && { others }) };
}
