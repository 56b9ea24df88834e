/** [Q1] Queueing a task. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { recipientOf, unknownAmong } from "../name-use.ts";
import { oneView } from "../task.ts";
import { addTask, type NewTask } from "../tasks/add.ts";
import { othersKept } from "../worktree.ts";

export function* tasksPush(
  tx: Context,
  input: NewTask,
): Procedure<Omit<OutputOf<"tasks.push">, "trusted" | "missing">> {
  // Read before the task exists: with the task, the names of its parent and its worker count as in use.
  const unknown = yield* unknownAmong(tx, [input.agent]);
  const recipient =
    input.worker === undefined ? undefined : yield* recipientOf(tx, input.worker, { strict: false });
  const row = yield* addTask(tx, input);
  const others = yield* othersKept(tx, row);
  const task = yield* oneView(row);
  return { task, ...unknown, ...(recipient && { recipient }), ...(others.length && { others }) };
}
