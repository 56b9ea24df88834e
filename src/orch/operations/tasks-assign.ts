import { refuseWhereHeld } from "../../bus/daily-limit.ts";
import { unknownAmong } from "../../bus/name-use.ts";
import { addTask } from "../../bus/tasks/add.ts";
import { releaseTasks } from "../../bus/tasks/release.ts";
import { othersKept } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { complete } from "./new-task.ts";
import { profilesAt, type Workplace } from "./place.ts";

/** The profile comes first here: a single argument that is the name of a profile means that the prompt was forgotten. */
function refuseProfileAlone(place: Workplace, profile: string | undefined, message: string): void {
  if (profile !== undefined || !profilesAt(place).profiles.all.has(message)) return;
  throw new InboxError("invalid_input", `"${message}" is a profile, and no prompt was given`, {
    hint: "give the profile, then the prompt",
  });
}

/** [Q11] Push and run in one. Tasks that were queued before stay queued, and the limit of the queue does not apply. */
export const assignTo = async (place: Workplace, { message, ...input }: ParsedOf<"tasks.assign">) => {
  refuseProfileAlone(place, input.profile, message);
  const task = await complete(place, input, message);
  return function* (tx: Context): Procedure<OutputOf<"tasks.assign">> {
    // Read before the task exists: with the task, the name of its parent counts as in use.
    const unknown = yield* unknownAmong(tx, [input.agent]);
    const row = yield* addTask(tx, task);
    if (row.worker === null) yield* refuseWhereHeld(row.created_at, "task");
    yield* releaseTasks(tx, { agent: input.agent, names: [row.name], inTurn: false, now: row.created_at });
    const others = yield* othersKept(tx, row);
    return {
      success: true,
      terminalId: row.name,
      parent: row.parent,
      ...unknown,
      ...(others.length && { others }),
    };
  };
};
