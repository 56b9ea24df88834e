/** Names of files in the folder of worktrees that are not worktrees of tasks. */

/** The prefix of a worktree that a merge is made in. */
export const mergeFolder = "merge-";

/** The prefix of the file that says which process is merging. */
export const mergeLock = "merging-";
