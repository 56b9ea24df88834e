/** [A1] A worktree: a separate checkout and branch that a task works in. */
import * as v from "valibot";
import { choice } from "./fields.ts";
import { plural } from "./plural.ts";

/** `auto`: for a task that may edit, if its folder is in a git repository. */
export const worktreesAsked = ["auto", "yes", "no"] as const;
export type WorktreeAsked = (typeof worktreesAsked)[number];

/** `empty`: its task changed nothing, so it was removed when the task ended. */
export const worktreeStates = ["planned", "kept", "empty", "merged", "discarded"] as const;
export type WorktreeState = (typeof worktreeStates)[number];

export const worktreeAsked = () =>
  v.optional(
    choice(
      worktreesAsked,
      "give it a git worktree and branch of its own: auto: if it may edit and its folder is in a git repository (default); yes: always; no: it works in its folder",
    ),
  );

/** What a result says about the branch of a task. */
export type OnBranch = { branch: string; into: string | null } & Record<
  "commits" | "files" | "insertions" | "deletions",
  number
>;

export const branchLine = ({ branch, commits, files, insertions, deletions }: OnBranch): string =>
  `Its changes are on the branch ${branch}: ${plural(commits, "commit")}, ${plural(files, "file")}, +${insertions} -${deletions}.`;

/** [A2] Another task of the same name, whose branch was neither merged nor discarded. */
export const keptBranch = () => v.strictObject({ id: v.string(), branch: v.string() });
export type KeptBranch = v.InferOutput<ReturnType<typeof keptBranch>>;

export const worktree = () =>
  v.strictObject({
    state: v.picklist(worktreeStates),
    /** Null before it was started. */
    branch: v.nullable(v.string()),
    path: v.nullable(v.string()),
    /** The checkout it was made for. */
    repository: v.string(),
    /** The commit that it started from, and the branch that was checked out there. */
    base: v.string(),
    into: v.nullable(v.string()),
    /** What was changed, once the task has ended. */
    commits: v.nullable(v.number()),
    files: v.nullable(v.number()),
    insertions: v.nullable(v.number()),
    deletions: v.nullable(v.number()),
    mergedInto: v.nullable(v.string()),
    mergedCommit: v.nullable(v.string()),
  });
export type Worktree = v.InferOutput<ReturnType<typeof worktree>>;
