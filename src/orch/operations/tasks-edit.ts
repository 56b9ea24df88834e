/** [Q3] Editing a task, with its profile. */
import { tasksEdit } from "../../bus/procedures/tasks-edit.ts";
import { findTask } from "../../bus/task.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { budgetIn } from "../../contract/usage.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { chooseProfile } from "../profiles/profile-list.ts";
import { refuseBudget, refuseModel } from "./new-task.ts";
import { profilesAt, type Workplace } from "./place.ts";

/** An unknown profile is refused now, not when the task would start. */
export const editTo = (place: Workplace, input: ParsedOf<"tasks.edit">) => {
  const known = (name: string | undefined) =>
    chooseProfile(profilesAt(place).profiles, name, process.env.PATH ?? "");
  if (input.profile !== undefined) known(input.profile);
  return function* (tx: Context): Procedure<OutputOf<"tasks.edit">> {
    const { profile, worker } = yield* findTask(input.name);
    if (input.model !== undefined && worker === null)
      refuseModel(known(input.profile ?? profile ?? undefined));
    if (input.budget !== undefined)
      refuseBudget(budgetIn(input.budget)!, worker ?? known(input.profile ?? profile ?? undefined).runner);
    return yield* tasksEdit(tx, input);
  };
};
