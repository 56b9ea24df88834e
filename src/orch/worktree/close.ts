/**
 * [A1] The end of a task's work in its worktree: uncommitted changes are committed and counted; a worktree without
 * changes is removed.
 */
import { firstLine } from "../../bus/message.ts";
import type { TaskRow } from "../../bus/task.ts";
import type { Ending } from "../../bus/tasks/end.ts";
import { asInboxError } from "../../contract/errors.ts";
import type { MadeWorktree } from "./changes.ts";
import { gather } from "./gather.ts";
import { removeWorktree } from "./make.ts";

/** What the end of the task reports about it. Never throws. */
export async function closeWorktree(
  task: TaskRow,
  row: MadeWorktree,
  share: readonly string[],
): Promise<Required<Pick<Ending, "notices">> & Pick<Ending, "changed">> {
  try {
    if (task.review_of !== null) {
      // Changes that a reviewer has made to its checkout are discarded.
      await removeWorktree(row);
      return {
        changed: { tip: row.base, commits: 0, files: 0, insertions: 0, deletions: 0 },
        notices: [],
      };
    }
    const { changed, problem } = await gather(row, share, `${task.name}: ${firstLine(task.prompt)}`);
    if (changed.commits === 0 && problem === undefined) await removeWorktree(row);
    if (problem === undefined) return { changed, notices: [] };
    return {
      changed: { ...changed, commits: changed.commits || 1 },
      notices: [`Check its worktree ${row.path}: ${problem}.`],
    };
  } catch (error) {
    const why = asInboxError(error).message;
    return {
      notices: [`What it has changed could not be read: ${why}. Its worktree ${row.path} was kept.`],
    };
  }
}
