/** [A2] What a task has changed, so far or in the end. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { withoutTokens } from "../../contract/secret.ts";
import type { Engine } from "../../engines/engine.ts";
import { fs } from "../../platform/system.ts";
import { beginOf, numstat } from "../worktree/gather.ts";
import { git, line, succeeds, tryGit } from "../worktree/git.ts";
import { treeOf } from "../worktree/snapshot.ts";
import { findWorktree, profileOf } from "./ended-worktree.ts";
import type { Workplace } from "./place.ts";

/** Bytes of a patch that are shown. */
const patchLimit = 1024 * 1024;

export async function diffOf(
  engine: Engine,
  place: Workplace,
  { name }: ParsedOf<"tasks.diff">,
): Promise<OutputOf<"tasks.diff">> {
  const { task, row } = await findWorktree(engine, place, name);
  const { repository, branch, path } = row;
  const lives = (row.state === "kept" || row.state === "planned") && fs().existsSync(path);
  const tip = lives ? await line(path, ["rev-parse", "HEAD"]) : (row.tip ?? undefined);
  if (tip === undefined || !(await succeeds(repository, ["cat-file", "-e", `${tip}^{commit}`])))
    throw new InboxError("not_found", `what "${name}" has changed is not in ${repository} any more`, {
      hint: `its worktree was ${row.state}`,
    });
  const now = lives ? await treeOf(path, profileOf(place, task)?.share) : tip;
  const begin = await beginOf(row, tip);
  // Whatever the user has configured: readers of patches go by these names.
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
  const both = ["--no-color", "--no-ext-diff", "--no-textconv", ...prefixes, begin, now];
  const log = await git(repository, ["log", "--reverse", "--format=%H%x09%s", "-z", `${begin}..${tip}`]);
  const patch = await tryGit(repository, ["diff", ...both], { limit: patchLimit });
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
