/** [Q1] Queueing a task, with what its profile says. */
import { tasksPush } from "../../bus/procedures/tasks-push.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { Context } from "../../sql/procedure.ts";
import { complete } from "./new-task.ts";
import type { Workplace } from "./place.ts";

export const pushTo = async (place: Workplace, input: ParsedOf<"tasks.push">) => {
  const task = await complete(place, input, input.prompt);
  return (tx: Context) => tasksPush(tx, task);
};
