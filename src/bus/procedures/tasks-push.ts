/** [Q1] Queueing a task. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { oneView } from "../task.ts";
import { addTask, type NewTask } from "../tasks/add.ts";

export function* tasksPush(tx: Context, input: NewTask): Procedure<OutputOf<"tasks.push">> {
  return { task: yield* oneView(yield* addTask(tx, input)) };
}
