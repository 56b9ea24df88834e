/** [A1] [A2] What a task has changed, and what became of it, for people. */
import type { OutputOf } from "../../contract/operations/index.ts";
import { linesOf } from "../../contract/safe-text.ts";
import type { Worktree } from "../../contract/worktree.ts";
import type { Paint } from "./paint.ts";
import { inLine, safe } from "./safe.ts";

export function worktreeText({
  state,
  branch,
  path,
  into,
  commits,
  files,
  insertions,
  deletions,
  mergedInto,
}: Worktree): string {
  if (state === "planned") return "to be made when it starts";
  if (state === "empty") return "removed: it changed nothing";
  const where = state === "merged" ? `merged into ${mergedInto}` : state === "discarded" ? "discarded" : path;
  const counts = commits === null ? "" : `: ${commits} commits, ${files} files, +${insertions} -${deletions}`;
  return `${branch}${counts} (${where}${state === "kept" && into !== null ? `, from ${into}` : ""})`;
}

export function diffText(
  { branch, commits, changes, patch, cut }: OutputOf<"tasks.diff">,
  paint: Paint,
): string {
  if (!changes.length) return `${safe(branch)}: nothing was changed`;
  const told = [
    paint.bold(safe(branch)),
    ...commits.map(({ commit, subject }) => `  ${paint.dim(commit.slice(0, 12))} ${inLine(subject)}`),
    ...changes.map(({ path, insertions, deletions }) =>
      insertions === null
        ? `  ${inLine(path)} (binary)`
        : `  ${inLine(path)} ${paint.green(`+${insertions}`)} ${paint.red(`-${deletions}`)}`,
    ),
    "",
    ...linesOf(patch.replace(/\n$/, "")).map((line) => painted(safe(line), paint)),
    ...(cut ? [paint.dim("… the patch is longer")] : []),
  ];
  return told.join("\n");
}

function painted(line: string, paint: Paint): string {
  if (/^(diff|index|---|\+\+\+) /.test(line)) return paint.bold(line);
  if (line.startsWith("@@")) return paint.dim(line);
  return line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line;
}

export function mergeText(
  { merged, into, commit, already, reason, conflicts, output, told }: OutputOf<"tasks.merge">,
  paint: Paint,
): string {
  if (merged)
    return already
      ? `${safe(into)} had it already`
      : `merged into ${paint.bold(safe(into))}, now at ${commit!.slice(0, 12)}`;
  const next = told === null ? "" : `\n${safe(told)} was told to go on with it`;
  if (reason === "conflict")
    return `${paint.red("conflict")} with ${safe(into)} in ${conflicts.map(inLine).join(", ")}; nothing was merged${next}`;
  return `${paint.red(`the ${reason} command failed`)}; nothing was merged\n${safe(output ?? "")}${next}`;
}
