/** [A1] [A2] What its keeper and whoever merges say of a task's worktree. */
import { plural } from "../../contract/plural.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { lockTasks, type TaskRow } from "../task.ts";
import { type Changed, changeWorktree, type WorktreeRow, worktreeOf } from "../worktree.ts";

/** Its keeper is about to make it: from now on it can be found, whatever happens to the keeper. */
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

/** What a result says of the branch that a task has worked on. */
export type OnBranch = { branch: string; into: string | null } & Record<
  "commits" | "files" | "insertions" | "deletions",
  number
>;

/** At a task's end. Undefined where nothing was changed: the keeper has removed worktree and branch. */
export function* recordChanges(row: TaskRow, changed: Changed): Procedure<OnBranch | undefined> {
  const state = changed.commits === 0 ? "empty" : "kept";
  yield* changeWorktree(row.task_number, { ...changed, state });
  const { branch, into_branch: into } = (yield* worktreeOf(row.task_number))!;
  if (state === "empty") return undefined;
  const { commits, files, insertions, deletions } = changed;
  return {
    branch: branch!,
    into,
    commits: commits!,
    files: files!,
    insertions: insertions!,
    deletions: deletions!,
  };
}

export const branchLine = ({ branch, commits, files, insertions, deletions }: OnBranch): string =>
  `Its changes are on the branch ${branch}: ${plural(commits, "commit")}, ${plural(files, "file")}, +${insertions} -${deletions}.`;
