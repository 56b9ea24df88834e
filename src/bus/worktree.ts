/** [A1] Worktrees of tasks as they are stored: what was planned, where it is, what was changed and what became of it. */
import type { Worktree } from "../contract/worktree.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, run } from "../sql/procedure.ts";
import { joined, sql } from "../sql/sql.ts";
import { assignments, columnsOf, insert, type RowOf } from "../sql/table.ts";
import { worktrees } from "../sql/tables.ts";
import type { TaskRow } from "./task.ts";

export type WorktreeRow = RowOf<typeof worktrees>;
const columns = columnsOf(worktrees);

/** What a push knows of the repository around its folder. */
export type WorktreePlan = Pick<WorktreeRow, "repository" | "prefix" | "base" | "into_branch">;

/** What a task has changed. */
export type Changed = Pick<WorktreeRow, "tip" | "commits" | "files" | "insertions" | "deletions">;

export function* planWorktree(task_number: number, plan: WorktreePlan): Procedure<void> {
  yield* run(insert(worktrees, { task_number, state: "planned", ...plan }));
}

export function* worktreesOf(
  rows: readonly Pick<TaskRow, "task_number">[],
): Procedure<Map<number, WorktreeRow>> {
  if (!rows.length) return new Map();
  const found = yield* all<WorktreeRow>(sql`
    select ${columns} from worktrees
    where worktrees.task_number in (${joined(rows.map((row) => row.task_number))}) order by worktrees.task_number`);
  return new Map(found.map((row) => [row.task_number, row]));
}

export function* worktreeOf(task: number): Procedure<WorktreeRow | undefined> {
  return (yield* worktreesOf([{ task_number: task }])).get(task);
}

/** Those that have a folder somewhere, or should have none any more. */
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
