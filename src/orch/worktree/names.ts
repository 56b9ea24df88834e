/** What lies in the folder of worktrees beside those of tasks. */

/** The beginning of the name of a worktree that a merge is made in. */
export const mergeFolder = "merge-";

/** The beginning of the name of the file that says who merges. */
export const mergeLock = "merging-";
