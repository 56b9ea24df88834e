/** [A1] What a task has changed: uncommitted changes are committed, so that nothing is lost, and everything is counted. */
import { basename } from "node:path";
import type { Changed, WorktreeRow } from "../../bus/worktree.ts";
import { fs } from "../../platform/system.ts";
import { git, line, succeeds } from "./git.ts";
import { identity, stage } from "./snapshot.ts";

export interface Gathered {
  changed: Changed;
  /** Why the branch does not contain everything; then the worktree must be kept. */
  problem?: string;
}

/** `subject` is the subject of a commit of uncommitted changes. */
export async function gather(row: WorktreeRow, share: readonly string[], subject: string): Promise<Gathered> {
  const path = row.path!;
  const busy = await unfinished(path);
  const problem = busy ?? (await commitRest(path, share, subject)) ?? (await follow(row));
  const tip = (await git(path, ["rev-parse", "HEAD"])).trim();
  return { changed: await count(row, tip), ...(problem !== undefined && { problem }) };
}

/** In the middle of a merge or rebase: a commit now would contain conflict markers. */
async function unfinished(path: string): Promise<string | undefined> {
  if ((await git(path, ["ls-files", "--unmerged"])) !== "") return "it has unresolved conflicts";
  for (const name of ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD"]) {
    const file = await line(path, ["rev-parse", "--path-format=absolute", "--git-path", name]);
    if (file !== undefined && fs().existsSync(file))
      return `it is in the middle of a ${basename(name).split(/[-_]/)[0]!.toLowerCase()}`;
  }
  return undefined;
}

async function commitRest(
  path: string,
  share: readonly string[],
  subject: string,
): Promise<string | undefined> {
  const foreign = await stage(path, share);
  if (!(await succeeds(path, ["diff", "--cached", "--quiet", "HEAD"])))
    await git(path, [...(await identity(path)), "commit", "--quiet", "--no-verify", "-m", subject]);
  return foreign.length
    ? `${foreign.join(", ")} is a repository of its own and cannot be committed`
    : undefined;
}

/** Its branch is the commit that is checked out, even if it has switched to another branch meanwhile. */
async function follow({ path, branch }: WorktreeRow): Promise<string | undefined> {
  const here = await line(path!, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  if (here === branch) return undefined;
  if (!(await succeeds(path!, ["merge-base", "--is-ancestor", `refs/heads/${branch}`, "HEAD"])))
    return `its worktree is on ${here ?? "no branch"}, which does not contain ${branch}`;
  await git(path!, ["checkout", "--quiet", "-B", branch!]);
  return undefined;
}

/** From the commit where it began, or where it last merged the work of others. */
export async function beginOf(
  { repository, base, into_branch: into }: WorktreeRow,
  tip: string,
): Promise<string> {
  const shared =
    into === null ? undefined : await line(repository, ["merge-base", `refs/heads/${into}`, tip]);
  if (shared === undefined) return base;
  return (await succeeds(repository, ["merge-base", "--is-ancestor", base, shared])) ? shared : base;
}

export async function count(row: WorktreeRow, tip: string): Promise<Changed> {
  const { repository, base, into_branch: into } = row;
  const others =
    into !== null && (await succeeds(repository, ["show-ref", "--verify", "--quiet", `refs/heads/${into}`]))
      ? [`^refs/heads/${into}`]
      : [];
  const commits = Number(await git(repository, ["rev-list", "--count", tip, `^${base}`, ...others]));
  const lines = numstat(
    await git(repository, ["diff", "--numstat", "-z", "--no-renames", await beginOf(row, tip), tip]),
  );
  const sum = (which: "insertions" | "deletions") => lines.reduce((all, one) => all + (one[which] ?? 0), 0);
  return { tip, commits, files: lines.length, insertions: sum("insertions"), deletions: sum("deletions") };
}

export interface FileChange {
  path: string;
  /** Null for a binary file. */
  insertions: number | null;
  deletions: number | null;
}

/** The lines of `git diff --numstat -z`. */
export const numstat = (text: string): FileChange[] =>
  text.split("\0").flatMap((one) => {
    const [, more, less, path] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(one) ?? [];
    if (path === undefined) return [];
    const number = (word: string | undefined) => (word === "-" ? null : Number(word));
    return [{ path, insertions: number(more), deletions: number(less) }];
  });
