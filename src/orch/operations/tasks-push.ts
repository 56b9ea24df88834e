/** [Q1] Queueing a task, completed by its profile. */
import { tasksPush } from "../../bus/procedures/tasks-push.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { refusalNow } from "../approval.ts";
import { wayToGet } from "../profiles/built-in.ts";
import { placeOf } from "../profiles/profile-list.ts";
import { complete } from "./new-task.ts";
import { profilesAt, type Workplace } from "./place.ts";

export const pushTo = async (place: Workplace, input: ParsedOf<"tasks.push">) => {
  const task = await complete(place, input, input.prompt);
  const trusted = task.worker !== undefined || refusalNow(place.db, process.env) === undefined;
  const missing = missingProgram(place, task.profile);
  return function* (tx: Context): Procedure<OutputOf<"tasks.push">> {
    return { ...(yield* tasksPush(tx, task)), trusted, ...(missing && { missing }) };
  };
};

/** [Q8.4] Only reported: it may be installed before the task starts. */
function missingProgram(place: Workplace, profile: string | null): OutputOf<"tasks.push">["missing"] {
  const { runner } = (profile !== null && profilesAt(place).profiles.all.get(profile)) || {};
  const program = runner?.command[0];
  if (program === undefined || placeOf(program, process.env.PATH ?? "") !== null) return undefined;
  return { program, hint: wayToGet(runner!) };
}
