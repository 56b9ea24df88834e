/**
 * [A2] Merging the branch of a task: in a separate worktree, then the check, then the branch moves, but only if it
 * has not moved since the merge began. A failure before that has changed nothing.
 */
import { join } from "node:path";
import type { WorktreeRow } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import { field, phrase } from "../../contract/phrase.ts";
import { makeOwnFolder } from "../../platform/own-files.ts";
import { complaint, git, line, succeeds, tryGit } from "./git.ts";
import { removeFolder, shareFiles } from "./make.ts";
import { mergeFolder } from "./names.ts";
import { identity } from "./snapshot.ts";
import { runStep, type Step } from "./step.ts";

export interface Merge {
  row: WorktreeRow;
  tip: string;
  into: string;
  how: "merge" | "squash" | "rebase";
  /** The subject of the commit that is made. */
  message: string;
  /** The branch may be checked out: that checkout is updated. */
  updateCheckout: boolean;
  /** The folder for worktrees. */
  folder: string;
  share: readonly string[];
  prepare: readonly string[] | null;
  check: readonly string[] | null;
  step: Omit<Step, "cwd">;
}

export type Merged =
  | { merged: true; commit: string; already: boolean }
  | { merged: false; reason: "conflict"; conflicts: string[] }
  | { merged: false; reason: "prepare" | "check"; error: string; output: string };

/** How often the merge is repeated because others have moved the branch meanwhile. */
const triesAllowed = 5;

export async function mergeBranch(merge: Merge): Promise<Merged> {
  const { row, into, tip, updateCheckout } = merge;
  const { repository } = row;
  const checkout = await checkoutOf(repository, into);
  if (checkout !== undefined && !updateCheckout) throw checkedOut(into, checkout);
  for (let tries = 0; tries < triesAllowed; tries++) {
    const old = await line(repository, ["rev-parse", "--verify", "--quiet", `refs/heads/${into}`]);
    if (old === undefined)
      throw new InboxError("not_found", `the repository ${repository} has no branch ${into}`, {
        hint: phrase`give another with ${field("into")}, or create it: git branch ${into} ${row.base.slice(0, 12)}`,
      });
    if (await succeeds(repository, ["merge-base", "--is-ancestor", tip, old]))
      return { merged: true, commit: old, already: true };
    const made = await inOwnWorktree(merge, old, (path) => combine(merge, old, path));
    if (typeof made !== "string") return made;
    if (made === old) return { merged: true, commit: old, already: true };
    if (await move(merge, { from: old, to: made }, checkout))
      return { merged: true, commit: made, already: false };
  }
  throw new InboxError(
    "conflict",
    `the branch ${into} was moved by others during each of ${triesAllowed} merges`,
    {
      hint: "try again",
    },
  );
}

async function inOwnWorktree<T>(
  { row: { repository }, folder }: Merge,
  at: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  makeOwnFolder(folder);
  const path = join(folder, `${mergeFolder}${crypto.randomUUID()}`);
  try {
    await git(repository, ["worktree", "add", "--quiet", "--detach", path, at]);
    return await work(path);
  } finally {
    await removeFolder(repository, path);
  }
}

/** The commit that the branch will point to after the check. */
async function combine(merge: Merge, old: string, path: string): Promise<string | Merged> {
  const { row, tip, how, message, share, prepare, check, step } = merge;
  const who = await identity(path);
  const words = {
    merge: ["merge", "--quiet", "--no-ff", "--no-verify", "-m", message, tip],
    squash: ["merge", "--quiet", "--squash", tip],
    rebase: ["rebase", "--quiet", old, tip],
  }[how];
  const said = await tryGit(path, [...who, ...words]);
  if (said.code !== 0) {
    const conflicts = await git(path, ["diff", "--name-only", "--diff-filter=U", "-z"]);
    if (conflicts === "")
      throw new InboxError("invalid_state", `git could not merge ${row.branch}: ${complaint(said)}`);
    return { merged: false, reason: "conflict", conflicts: conflicts.split("\0").filter(Boolean).sort() };
  }
  if (how === "squash" && !(await succeeds(path, ["diff", "--cached", "--quiet", "HEAD"])))
    await git(path, [...who, "commit", "--quiet", "--no-verify", "-m", message]);
  const made = (await git(path, ["rev-parse", "HEAD"])).trim();
  if (made === old || (!prepare && !check)) return made;
  shareFiles(row.repository, path, share);
  for (const [reason, command] of [
    ["prepare", prepare],
    ["check", check],
  ] as const) {
    if (!command) continue;
    const { ok, error, output } = await runStep(command, { ...step, cwd: path });
    if (!ok) return { merged: false, reason, error, output };
  }
  return made;
}

/** False if another process has moved the branch meanwhile. */
async function move(
  { row: { repository, branch }, into }: Merge,
  { from, to }: { from: string; to: string },
  checkout: string | undefined,
): Promise<boolean> {
  if (checkout === undefined)
    return succeeds(repository, ["update-ref", "-m", `merge ${branch}`, `refs/heads/${into}`, to, from]);
  // A checkout is updated as a whole or not at all, and never loses uncommitted changes.
  const said = await tryGit(checkout, ["merge", "--ff-only", "--quiet", to]);
  if (said.code === 0) return true;
  if ((await line(repository, ["rev-parse", `refs/heads/${into}`])) !== from) return false;
  throw new InboxError("conflict", `the checkout ${checkout} cannot be updated: ${complaint(said)}`, {
    hint: "commit or stash the changes there, then merge again; nothing was changed",
  });
}

/** The checkout of a branch, if there is one. */
async function checkoutOf(repository: string, branch: string): Promise<string | undefined> {
  const list = await git(repository, ["worktree", "list", "--porcelain"]);
  for (const one of list.split("\n\n")) {
    const lines = one.split("\n");
    if (lines.includes(`branch refs/heads/${branch}`))
      return lines.find((word) => word.startsWith("worktree "))?.slice("worktree ".length);
  }
  return undefined;
}

const checkedOut = (into: string, checkout: string) =>
  new InboxError(
    "invalid_state",
    `the branch ${into} is checked out in ${checkout}, which would have to be updated too`,
    {
      hint: phrase`${field("updateCheckout", true)} does that, unless uncommitted changes there are in the way; ${field("into")} merges into another branch`,
      details: { checkout },
    },
  );
