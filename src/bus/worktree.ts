/**
 * [A1] Worktrees of tasks as they are stored: what was planned, where it is, what was changed, and whether it was
 * merged or discarded.
 */
import { idOf } from "../contract/ids.ts";
import type { KeptBranch, Worktree } from "../contract/worktree.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, run } from "../sql/procedure.ts";
import { fragment, sql } from "../sql/sql.ts";
import { assignments, columnsOf, insert, type RowOf } from "../sql/table.ts";
import { worktrees } from "../sql/tables.ts";
import { byTask } from "./by-task.ts";
import type { TaskRow } from "./task.ts";
import { and, visible } from "./visible.ts";

export type WorktreeRow = RowOf<typeof worktrees>;
const columns = columnsOf(worktrees);

/** What a push finds out about the repository around its folder. */
export type WorktreePlan = Pick<WorktreeRow, "repository" | "prefix" | "base" | "into_branch">;

/** What a task has changed. */
export type Changed = Pick<WorktreeRow, "tip" | "commits" | "files" | "insertions" | "deletions">;

export function* planWorktree(task_number: number, plan: WorktreePlan): Procedure<void> {
  yield* run(insert(worktrees, { task_number, state: "planned", ...plan }));
}

export function* worktreesOf(
  rows: readonly Pick<TaskRow, "task_number">[],
): Procedure<Map<number, WorktreeRow>> {
  return yield* byTask<WorktreeRow>(fragment`worktrees`, columns, rows);
}

export function* worktreeOf(task: number): Procedure<WorktreeRow | undefined> {
  return (yield* worktreesOf([{ task_number: task }])).get(task);
}

/**
 * [A4] The branch that another turn starts from: its own while that is kept, the one it was merged into, else the one
 * it was pushed from. Null if no branch was checked out there, and before the task was started.
 */
export const branchToBegin = ({ state, branch, merged_into, into_branch }: WorktreeRow): string | null =>
  state === "kept" || state === "planned" ? branch : state === "merged" ? merged_into : into_branch;

/** [A2] Other tasks of the same name whose branches are kept, and which the name alone does not select. */
export function* othersKept(
  tx: Context,
  { name, task_number }: Pick<TaskRow, "name" | "task_number">,
): Procedure<KeptBranch[]> {
  const rows = yield* all<{ task_number: number; branch: string }>(sql`
    select worktrees.task_number, worktrees.branch from tasks join worktrees on worktrees.task_number = tasks.task_number
    where tasks.name = ${name} and tasks.task_number <> ${task_number} and tasks.status = 'finished'
      and worktrees.state = 'kept' and worktrees.branch is not null ${and(visible.tasks(tx))} order by tasks.task_number`);
  return rows.map((row) => ({ id: idOf("task", row.task_number), branch: row.branch }));
}

/** Worktrees that have a folder, or whose folder is to be removed. */
export function* madeWorktrees(_: Context): Procedure<(WorktreeRow & Pick<TaskRow, "name" | "host">)[]> {
  return yield* all(sql`
    select ${columns}, tasks.name, tasks.host from worktrees join tasks on tasks.task_number = worktrees.task_number
    where worktrees.path is not null order by worktrees.task_number`);
}

export function* changeWorktree(
  task: number,
  change: Partial<Omit<WorktreeRow, "task_number">>,
): Procedure<void> {
  yield* run(sql`update worktrees set ${assignments(worktrees, change)} where task_number = ${task}`);
}

export const worktreeView = (row: WorktreeRow | undefined): Worktree | null =>
  row === undefined
    ? null
    : {
        state: row.state,
        branch: row.branch,
        path: row.path,
        repository: row.repository,
        base: row.base,
        into: row.into_branch,
        commits: row.commits,
        files: row.files,
        insertions: row.insertions,
        deletions: row.deletions,
        mergedInto: row.merged_into,
        mergedCommit: row.merged_commit,
      };
