/** [Q3] One task. */
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { Task } from "../../contract/task.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { findTask, oneView } from "../task.ts";

export function* tasksShow(_: Context, { name }: ParsedOf<"tasks.show">): Procedure<Task> {
  return yield* oneView(yield* findTask(name));
}
