/** [A2] What a task has changed, so far or in the end. */
import type { WorktreeRow } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import { withoutTokens } from "../../contract/secret.ts";
import { fs } from "../../platform/system.ts";
import { beginOf, type FileChange, numstat } from "./gather.ts";
import { git, line, succeeds, tryGit } from "./git.ts";
import { treeOf } from "./snapshot.ts";

export interface Changes {
  branch: string;
  base: string;
  commits: { commit: string; subject: string }[];
  changes: FileChange[];
  patch: string;
  /** The patch is longer. */
  cut: boolean;
}

export type MadeWorktree = WorktreeRow & { branch: string; path: string };

/** `share` lists files that were only shared with it, `limit` is the number of bytes of the patch that are shown. */
export async function changesIn(
  row: MadeWorktree,
  { share = [], limit }: { share?: readonly string[]; limit: number },
): Promise<Changes> {
  const { repository, branch, path } = row;
  const lives = (row.state === "kept" || row.state === "planned") && fs().existsSync(path);
  const tip = lives ? await line(path, ["rev-parse", "HEAD"]) : (row.tip ?? undefined);
  if (tip === undefined || !(await succeeds(repository, ["cat-file", "-e", `${tip}^{commit}`])))
    throw new InboxError("not_found", `what is on ${branch} is not in ${repository} any more`, {
      hint: `its worktree was ${row.state}`,
    });
  const now = lives ? await treeOf(path, share) : tip;
  const begin = await beginOf(row, tip);
  // Regardless of the user's configuration: parsers of patches expect these prefixes.
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
  const both = ["--no-color", "--no-ext-diff", "--no-textconv", ...prefixes, begin, now];
  const log = await git(repository, ["log", "--reverse", "--format=%H%x09%s", "-z", `${begin}..${tip}`]);
  const patch = await tryGit(repository, ["diff", ...both], { limit });
  return {
    branch,
    base: begin,
    commits: log
      .split("\0")
      .filter(Boolean)
      .map((one) => {
        const [commit = "", subject = ""] = one.split("\t", 2);
        return { commit, subject };
      }),
    changes: numstat(await git(repository, ["diff", "--numstat", "-z", "--no-renames", ...both])),
    patch: withoutTokens(patch.stdout.toWellFormed().replaceAll("\u0000", "\ufffd")),
    cut: patch.cut,
  };
}
