/** The state of a checkout, including uncommitted changes and new files, without changing anything in it. */
import { join } from "node:path";
import { removeTree } from "../../platform/remove-tree.ts";
import { fs } from "../../platform/system.ts";
import { git, line } from "./git.ts";

/** As a tree, without ignored files and nested repositories. */
export async function treeOf(checkout: string, without: readonly string[] = []): Promise<string> {
  const folder = fs().mkdtempSync(join(require("node:os").tmpdir(), "restante-index-"));
  const index = join(folder, "index");
  try {
    const own = await line(checkout, ["rev-parse", "--path-format=absolute", "--git-path", "index"]);
    // A copy of the index knows which files are unchanged and need not be read.
    if (own !== undefined && fs().existsSync(own)) fs().copyFileSync(own, index);
    await stage(checkout, without, index);
    return (await git(checkout, ["write-tree"], { index })).trim();
  } finally {
    removeTree(folder);
  }
}

/** As a commit on top of another; that one itself if nothing differs. */
export async function snapshot(
  checkout: string,
  head: string,
  { subject, without }: { subject: string; without?: readonly string[] },
): Promise<string> {
  const tree = await treeOf(checkout, without);
  if (tree === (await line(checkout, ["rev-parse", `${head}^{tree}`]))) return head;
  const words = ["commit-tree", tree, "-p", head, "-m", subject];
  return (await git(checkout, [...(await identity(checkout)), ...words])).trim();
}

/**
 * Adds all changes to an index, except files that were only shared (`without`). Returns the nested repositories that
 * were left out.
 */
export async function stage(checkout: string, without: readonly string[], index?: string): Promise<string[]> {
  const options = index === undefined ? {} : { index };
  await git(checkout, ["add", "--all", "--sparse", "--", ":/"], options);
  const raw = await git(checkout, ["diff", "--cached", "--raw", "-z", "--no-renames", "HEAD"], options);
  const foreign: string[] = [];
  const lent: string[] = [];
  const words = raw.split("\0");
  for (let i = 0; i + 1 < words.length; i += 2) {
    const [what, path] = [words[i]!, words[i + 1]!];
    if (/^:\d+ 160000 /.test(what)) foreign.push(path);
    else if (what.endsWith(" A") && without.some((one) => path === one || path.startsWith(`${one}/`)))
      lent.push(path);
  }
  for (const path of [...foreign, ...lent])
    await git(checkout, ["update-index", "--force-remove", "--", path], options);
  return foreign;
}

/** The author of our commits: the user, else Restante. */
export async function identity(checkout: string): Promise<string[]> {
  if (
    (await line(checkout, ["var", "GIT_COMMITTER_IDENT"])) !== undefined &&
    (await line(checkout, ["config", "user.email"])) !== undefined
  )
    return [];
  return ["-c", "user.name=restante", "-c", "user.email=restante@localhost"];
}
