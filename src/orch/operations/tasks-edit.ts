/** [Q3] Editing a task, with its profile. */
import { tasksEdit } from "../../bus/procedures/tasks-edit.ts";
import { findTask } from "../../bus/task.ts";
import { InboxError } from "../../contract/errors.ts";
import { noLimit } from "../../contract/limit.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { field, phrase } from "../../contract/phrase.ts";
import { noSetting } from "../../contract/task.ts";
import { budgetIn } from "../../contract/usage.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { chooseProfile } from "../profiles/profile-list.ts";
import { refuseBudget, refuseModel } from "./new-task.ts";
import { profilesAt, type Workplace } from "./place.ts";

/** An unknown profile is refused now, not when the task would start. */
export const editTo = (place: Workplace, input: ParsedOf<"tasks.edit">) => {
  const known = (name: string | undefined) =>
    chooseProfile(profilesAt(place).profiles, name, process.env.PATH ?? "");
  return function* (tx: Context): Procedure<OutputOf<"tasks.edit">> {
    const { profile, worker } = yield* findTask(input.name);
    for (const key of ["profile", "model"] as const)
      if (worker !== null && input[key] !== undefined) throw ofWorker(worker, key);
    if (input.profile !== undefined) known(input.profile);
    if (input.model !== undefined && input.model !== noSetting)
      refuseModel(known(input.profile ?? profile ?? undefined));
    if (input.budget !== undefined && input.budget !== noLimit)
      refuseBudget(budgetIn(input.budget)!, worker ?? known(input.profile ?? profile ?? undefined).runner);
    return yield* tasksEdit(tx, input);
  };
};

/** [Q8] A worker runs already, with a program and a model of its own. */
const ofWorker = (worker: string, key: "profile" | "model") =>
  new InboxError("invalid_input", phrase`${field(key)} has no effect: "${worker}" is already running`, {
    hint: phrase`leave out ${field(key)}; it is for tasks for which a sub-agent is started`,
  });
