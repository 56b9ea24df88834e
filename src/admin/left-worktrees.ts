/** [A3] Worktrees of tasks: how many are kept, and which are unknown or not needed any more. */
import { join } from "node:path";
import { madeWorktrees } from "../bus/worktree.ts";
import { type Finding, well } from "../contract/finding.ts";
import { shellWord } from "../contract/shell-word.ts";
import { openEngine } from "../engines/registry.ts";
import { thisHost, worktreesFolder } from "../orch/paths.ts";
import { mergeFolder, mergeLock } from "../orch/worktree/names.ts";
import { isLocked } from "../platform/file-lock.ts";
import { fs } from "../platform/system.ts";
import type { Environment } from "../platform/user-folders.ts";

const name = "worktrees";

/** Empty if no task of this bus ever had one. Other checks report a database that cannot be read. */
export async function leftWorktrees(db: string, env: Environment): Promise<Finding | undefined> {
  const folder = worktreesFolder(db, env);
  const there = fs().existsSync(folder) ? fs().readdirSync(folder) : [];
  const known = await knownOf(db).catch(() => undefined);
  if (known === undefined || (!there.length && !known.length)) return undefined;
  const kept = known.filter(({ state }) => state === "kept" || state === "planned");
  const needed = new Set(kept.map(({ path }) => path));
  const merging = there.some((one) => one.startsWith(mergeLock) && isLocked(join(folder, one)));
  const orphans = there
    .filter((one) => !one.startsWith(mergeLock) && !(merging && one.startsWith(mergeFolder)))
    .map((one) => join(folder, one))
    .filter((path) => !needed.has(path));
  if (orphans.length)
    return {
      name,
      status: "warn",
      detail: `no task of this bus needs ${orphans.join(", ")}`,
      fix: `check what is in it, then: git -C ${shellWord(orphans[0]!)} worktree remove --force ${shellWord(orphans[0]!)}`,
      left: "it may hold work that was never committed",
    };
  const missing = kept.filter(({ path, state }) => state === "kept" && !fs().existsSync(path!));
  if (missing.length)
    return {
      name,
      status: "warn",
      detail: `the worktrees of ${missing.map((one) => `"${one.name}"`).join(", ")} are missing`,
      fix: `what was committed is still there: git -C ${shellWord(missing[0]!.repository)} log ${missing[0]!.branch}`,
      left: "uncommitted changes were lost with it",
    };
  const count = kept.length;
  return well(
    name,
    count ? `${count} ${count === 1 ? "is" : "are"} kept until merged or discarded` : "none is left",
  );
}

async function knownOf(db: string) {
  const engine = openEngine(db);
  try {
    const all = await engine.read((tx) => madeWorktrees(tx));
    return all.filter(({ host }) => host === null || host === thisHost());
  } finally {
    await engine.close();
  }
}
