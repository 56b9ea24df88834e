/** [Q1] Queueing a task. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { recipientOf } from "../name-use.ts";
import { oneView } from "../task.ts";
import { addTask, type NewTask } from "../tasks/add.ts";
import { othersKept } from "../worktree.ts";

export function* tasksPush(
  tx: Context,
  input: NewTask,
): Procedure<Omit<OutputOf<"tasks.push">, "trusted" | "missing">> {
  // Read before the task exists: with the task, its worker's name counts as in use.
  const recipient =
    input.worker === undefined ? undefined : yield* recipientOf(tx, input.worker, { strict: false });
  const row = yield* addTask(tx, input);
  const others = yield* othersKept(tx, row);
  const task = yield* oneView(row);
  return { task, ...(recipient && { recipient }), ...(others.length && { others }) };
}
