/** [Q1] Queueing a task, completed by its profile. */
import { tasksPush } from "../../bus/procedures/tasks-push.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { refusalNow } from "../approval.ts";
import { complete } from "./new-task.ts";
import type { Workplace } from "./place.ts";

export const pushTo = async (place: Workplace, input: ParsedOf<"tasks.push">) => {
  const task = await complete(place, input, input.prompt);
  const trusted = task.worker !== undefined || refusalNow(place.db, process.env) === undefined;
  return function* (tx: Context): Procedure<OutputOf<"tasks.push">> {
    return { ...(yield* tasksPush(tx, task)), trusted };
  };
};
