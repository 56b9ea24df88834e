/** [A1] [A2] What is stored about a task's worktree by its keeper, and by a merge or a discard. */
import type { OnBranch } from "../../contract/worktree.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { lockTasks, type TaskRow } from "../task.ts";
import { type Changed, changeWorktree, type WorktreeRow, worktreeOf } from "../worktree.ts";

/** Its keeper is about to create it: from now on it can be found, even if the keeper dies. */
export function* noteWorktree(
  tx: Context,
  { task_number, keeper_token }: TaskRow,
  made: Partial<Omit<WorktreeRow, "task_number">>,
): Procedure<boolean> {
  yield* lockTasks(tx);
  const still = yield* all(sql`
    select 1 as here from tasks where tasks.task_number = ${task_number} and tasks.keeper_token = ${keeper_token}`);
  if (!still.length) return false;
  yield* changeWorktree(task_number, made);
  return true;
}

/** It was merged or discarded: nobody needs its folder and its branch any more. */
export function* settleWorktree(
  tx: Context,
  { task_number, name }: Pick<TaskRow, "task_number" | "name">,
  by: string,
  change: Partial<Omit<WorktreeRow, "task_number">> & { state: "merged" | "discarded" },
): Procedure<void> {
  yield* lockTasks(tx);
  const now = yield* tx.clock();
  yield* changeWorktree(task_number, change);
  const { branch } = (yield* worktreeOf(task_number))!;
  const payload =
    change.state === "merged"
      ? { task: name, into: change.merged_into, commit: change.merged_commit }
      : { task: name, branch };
  yield* append(tx, { type: `task.${change.state}`, source: by, payload, now });
}

/** At the end of a task. Undefined if nothing was changed: then the keeper has removed worktree and branch. */
export function* recordChanges(row: TaskRow, changed: Changed): Procedure<OnBranch | undefined> {
  const state = changed.commits === 0 ? "empty" : "kept";
  yield* changeWorktree(row.task_number, { ...changed, state });
  const { branch, into_branch: into } = (yield* worktreeOf(row.task_number))!;
  return state === "empty" ? undefined : onBranch({ ...changed, branch, into_branch: into });
}

/** [A1] What was on its branch after an earlier attempt or turn, if this one has reported nothing new. */
export function* changesBefore({ task_number }: TaskRow): Procedure<OnBranch | undefined> {
  const row = yield* worktreeOf(task_number);
  return row?.state === "kept" && row.branch !== null && row.commits ? onBranch(row) : undefined;
}

const onBranch = (row: Changed & Pick<WorktreeRow, "branch" | "into_branch">): OnBranch => ({
  branch: row.branch!,
  into: row.into_branch,
  commits: row.commits!,
  files: row.files!,
  insertions: row.insertions!,
  deletions: row.deletions!,
});
