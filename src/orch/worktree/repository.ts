/** [A1] The repository around a folder, as a task's worktree needs it; or why there can be no worktree. */
import type { WorktreePlan } from "../../bus/worktree.ts";
import { line, succeeds } from "./git.ts";
import { snapshot } from "./snapshot.ts";

const pushedSubject = "Uncommitted changes when the task was pushed";

export type Found = { plan: WorktreePlan } | { problem: string };

export interface Look {
  /** Include the uncommitted changes of the checkout. */
  withChanges: boolean;
  /** It was asked for explicitly: then a folder that git does not track yet is accepted, too. */
  insist: boolean;
}

export async function repositoryAt(cwd: string, { withChanges, insist }: Look): Promise<Found> {
  if (Bun.which("git") === null) return { problem: "git is not installed" };
  if (!(await isFolder(cwd))) return { problem: `there is no folder ${cwd}` };
  const where = await line(cwd, ["rev-parse", "--is-inside-work-tree", "--show-toplevel", "--show-prefix"]);
  const [inside, repository, prefix = ""] = where?.split("\n") ?? [];
  if (inside !== "true" || !repository) return { problem: `${cwd} is in no git repository` };
  const [head, into_branch, above] = await Promise.all([
    line(cwd, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]),
    line(cwd, ["symbolic-ref", "--quiet", "--short", "HEAD"]),
    line(cwd, ["rev-parse", "--show-superproject-working-tree"]),
  ]);
  if (head === undefined) return { problem: `the repository ${repository} has no commit yet` };
  if (above) return { problem: `${repository} is a submodule of ${above}` };
  // Commits in a submodule of a worktree exist only in that worktree, and would be lost with it.
  if (await succeeds(repository, ["cat-file", "-e", `${head}:.gitmodules`]))
    return { problem: `the repository ${repository} has submodules` };
  const folder = prefix.replace(/\/$/, "");
  if (!insist && folder !== "" && !(await succeeds(repository, ["cat-file", "-e", `${head}:${folder}`])))
    return { problem: `the repository ${repository} does not have the folder ${folder}` };
  const base = withChanges ? await snapshot(repository, head, { subject: pushedSubject }) : head;
  return { plan: { repository, prefix: folder, base, into_branch: into_branch ?? null } };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Bun.file(path).stat()).isDirectory();
  } catch {
    return false;
  }
}
