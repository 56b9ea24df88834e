/** [X7] Whether git tracks the files of a bus. */
import type { Finding } from "../contract/finding.ts";
import { engineAt } from "../engines/registry.ts";
import { trackedByGit } from "../platform/git-index.ts";

/** A file in a repository can be changed by everybody who can push, and reaches everybody who clones it. */
export function trackedFiles(path: string): Finding | undefined {
  const { file, sideFiles } = engineAt(path);
  const own = file(path);
  const tracked = own === undefined ? [] : trackedByGit([own, ...sideFiles(path)]);
  if (!tracked.length) return undefined;
  return {
    name: "git",
    status: "warn",
    detail: `git tracks ${tracked.join(" and ")}: mail would be committed, and a checkout would replace it`,
    left: "it changes what is committed next, which is for you to decide",
    fix: `git rm --cached ${tracked.join(" ")}`,
  };
}
