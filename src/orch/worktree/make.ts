/** [A1] Creating the worktree of a task, with the files that it shares with the checkout it was pushed from. */
import { dirname, join } from "node:path";
import type { TaskRow } from "../../bus/task.ts";
import { branchToBegin, type WorktreeRow } from "../../bus/worktree.ts";
import { makeOwnFolder } from "../../platform/own-files.ts";
import { removeTree } from "../../platform/remove-tree.ts";
import { fs } from "../../platform/system.ts";
import { git, line, succeeds, tryGit } from "./git.ts";

/** Where a worktree is to be, and on which branch. */
export type Spot = Pick<WorktreeRow, "base" | "into_branch"> & { path: string; branch: string };

/** Letters, digits and little else: a name may contain characters that a path or a branch cannot. */
const plainly = (name: string) =>
  name
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[.-]+|[.-]+$|\.lock$/g, "") || "task";

/** Only inside the folder that this program uses: a path in the database may come from anybody. */
export const pathFor = ({ name, task_number }: Pick<TaskRow, "name" | "task_number">, folder: string) =>
  join(folder, `${plainly(name)}-${task_number}`);

export async function spotFor(
  { name, task_number }: Pick<TaskRow, "name" | "task_number">,
  row: WorktreeRow,
  folder: string,
): Promise<Spot> {
  const { repository, base, into_branch } = row;
  const path = pathFor({ name, task_number }, folder);
  const isOver = row.state !== "kept" && row.state !== "planned";
  if (row.branch !== null && !isOver) return { path, branch: row.branch, base, into_branch };
  const wanted = `orch/${plainly(name)}`;
  // The branch is reused: what was on it before is merged or discarded.
  const taken = await succeeds(repository, ["show-ref", "--verify", "--quiet", `refs/heads/${wanted}`]);
  const branch = taken ? `${wanted}-${task_number}` : wanted;
  return { path, branch, ...(isOver ? await goingOn(row) : { base, into_branch }) };
}

/** [A4] It continues from where its work and that of others is now, and its next changes are meant for that branch. */
async function goingOn(row: WorktreeRow): Promise<Pick<Spot, "base" | "into_branch">> {
  const { repository, into_branch, merged_commit } = row;
  const commitOf = (what: string) =>
    line(repository, ["rev-parse", "--verify", "--quiet", `${what}^{commit}`]);
  const from = branchToBegin(row);
  const tip = from === null ? undefined : await commitOf(`refs/heads/${from}`);
  if (tip !== undefined) return { base: tip, into_branch: from };
  const merged = row.state === "merged" && merged_commit ? await commitOf(merged_commit) : undefined;
  return { base: merged ?? row.base, into_branch };
}

/** Creates it if it does not exist, and returns whether it did. One that was incomplete when its keeper died is created again. */
export async function makeWorktree({ repository, state }: WorktreeRow, spot: Spot): Promise<boolean> {
  const { path, branch, base } = spot;
  if (state === "kept" && (await succeeds(path, ["rev-parse", "--git-dir"]).catch(() => false))) return false;
  makeOwnFolder(dirname(path));
  await removeFolder(repository, path);
  const add = ["worktree", "add", "--force", "--quiet"];
  const there =
    state === "kept" &&
    (await succeeds(repository, ["show-ref", "--verify", "--quiet", `refs/heads/${branch}`]));
  // Lost with its folder: committed changes are still on the branch.
  if (there) await git(repository, [...add, path, branch]);
  else await git(repository, [...add, "--no-track", "-B", branch, path, base]);
  return true;
}

/** Deletes the folder with everything in it, and its record in the repository. */
export async function removeFolder(repository: string, path: string): Promise<void> {
  const removed = await tryGit(repository, ["worktree", "remove", "--force", "--force", path]).catch(
    () => undefined,
  );
  if (removed?.code === 0 && !fs().existsSync(path)) return;
  removeTree(path);
}

/** Deletes worktree and branch. */
export async function removeWorktree({ repository, path, branch }: WorktreeRow): Promise<void> {
  if (path !== null) await removeFolder(repository, path);
  if (branch !== null) await tryGit(repository, ["branch", "-D", "--quiet", branch]).catch(() => undefined);
}

/** Links to files and folders of the checkout. Returns what could not be shared, and why. */
export function shareFiles(repository: string, path: string, share: readonly string[]): string[] {
  const problems: string[] = [];
  for (const name of share) {
    const [from, to] = [join(repository, name), join(path, name)];
    if (!fs().existsSync(from)) problems.push(`${name} could not be shared: ${repository} does not have it.`);
    else if (!fs().lstatSync(to, { throwIfNoEntry: false })) {
      fs().mkdirSync(dirname(to), { recursive: true });
      fs().symlinkSync(from, to);
    }
  }
  return problems;
}
