/** [Q1] Queueing a task. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { recipientOf } from "../agent.ts";
import { oneView } from "../task.ts";
import { addTask, type NewTask } from "../tasks/add.ts";

export function* tasksPush(tx: Context, input: NewTask): Procedure<OutputOf<"tasks.push">> {
  // Before the task is there: a task's worker is a name that somebody uses.
  const recipient = input.worker === undefined ? undefined : yield* recipientOf(tx, input.worker, false);
  const task = yield* oneView(yield* addTask(tx, input));
  return recipient ? { task, recipient } : { task };
}
