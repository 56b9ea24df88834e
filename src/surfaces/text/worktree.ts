/** [A1] [A2] What a task has changed, and whether it was merged or discarded, for people. */
import type { OutputOf } from "../../contract/operations/index.ts";
import { call, ownCall, phrase, type Text } from "../../contract/phrase.ts";
import { plural } from "../../contract/plural.ts";
import { linesOf } from "../../contract/safe-text.ts";
import { shellWord } from "../../contract/shell-word.ts";
import type { KeptBranch, Worktree } from "../../contract/worktree.ts";
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
  const counts =
    commits === null
      ? ""
      : `: ${plural(commits, "commit")}, ${plural(files ?? 0, "file")}, +${insertions} -${deletions}`;
  return `${branch}${counts} (${where}${state === "kept" && into !== null ? `, from ${into}` : ""})`;
}

type Spell = (text: Text) => string;

/** [A2] Other tasks that the name may refer to. */
export const othersText = (others: readonly KeptBranch[] | undefined, paint: Paint, spell: Spell): string =>
  (others ?? [])
    .map(({ id, branch }) => {
      const look = spell(phrase`${call("tasks.diff", { name: id })}`);
      return `\n${paint.yellow("note")} an earlier task of this name has the branch ${safe(branch)}: ${look}`;
    })
    .join("");

export function diffText(
  { branch, commits, changes, patch, cut, others }: OutputOf<"tasks.diff">,
  paint: Paint,
  spell: Spell,
): string {
  const note = othersText(others, paint, spell);
  if (!changes.length) return `${safe(branch)}: nothing was changed${note}`;
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
  return told.join("\n") + note;
}

function painted(line: string, paint: Paint): string {
  if (/^(diff|index|---|\+\+\+) /.test(line)) return paint.bold(line);
  if (line.startsWith("@@")) return paint.dim(line);
  return line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line;
}

/** What to do about a merge that failed. A sub-agent whose session continues does the first part itself. */
function fixText(
  { into, told, fix }: Pick<OutputOf<"tasks.merge">, "into" | "told" | "fix">,
  paint: Paint,
  spell: Spell,
): string {
  if (fix === null) return "";
  const { name, path } = fix;
  const first =
    told === name
      ? `when ${inLine(name)} has finished: `
      : `git -C ${shellWord(path)} merge ${shellWord(into)}; fix this there and commit; then: `;
  const then = phrase`${ownCall("tasks.merge", { name })} merges it, ${ownCall("tasks.discard", { name })} deletes the changes`;
  return `\n${paint.dim("next")} ${inLine(first)}${inLine(spell(then))}`;
}

export function mergeText(
  { merged, into, commit, already, reason, conflicts, output, told, fix, others }: OutputOf<"tasks.merge">,
  paint: Paint,
  spell: Spell,
): string {
  const note = othersText(others, paint, spell);
  if (merged)
    return already
      ? `${safe(into)} already has these changes${note}`
      : `merged into ${paint.bold(safe(into))}, now at ${commit!.slice(0, 12)}${note}`;
  const next =
    (told === null ? "" : `\n${safe(told)} was told what is wrong`) +
    fixText({ into, told, fix }, paint, spell);
  if (reason === "conflict")
    return `${paint.red("conflict")} with ${safe(into)} in ${conflicts.map(inLine).join(", ")}; nothing was merged${next}${note}`;
  return `${paint.red(`the ${reason} command failed`)}; nothing was merged\n${safe(output ?? "")}${next}${note}`;
}

/** [A4] The branch that another turn starts from. */
export function beginsText({ begins }: Pick<OutputOf<"tasks.send">, "begins">): string {
  if (begins === null) return "";
  const from = safe(/^[0-9a-f]{40}$/.test(begins.from) ? begins.from.slice(0, 12) : begins.from);
  switch (begins.earlier) {
    case "merged":
      return `\nits earlier changes were merged into ${from}; it begins from there, on a new branch`;
    case "discarded":
      return `\nits earlier changes were discarded; it begins from ${from}, on a new branch`;
    case "empty":
      return `\nit had changed nothing; it begins from ${from}`;
    default:
      return `\nit continues where it was, on the branch ${from}`;
  }
}
