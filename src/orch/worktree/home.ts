/**
 * [A1] Where a task works: its folder, or a worktree that is created and prepared before it starts, and examined when
 * it has ended.
 */
import { join } from "node:path";
import type { TaskRow } from "../../bus/task.ts";
import type { Ending } from "../../bus/tasks/end.ts";
import { noteWorktree } from "../../bus/tasks/worktrees.ts";
import { type WorktreePlan, type WorktreeRow, worktreeOf } from "../../bus/worktree.ts";
import { InboxError } from "../../contract/errors.ts";
import { fs } from "../../platform/system.ts";
import type { Tree } from "../find-tree.ts";
import type { Keeping } from "../keeper.ts";
import { killBelow } from "../kill-tree.ts";
import { worktreesFolder } from "../paths.ts";
import type { Profile } from "../profiles/profile.ts";
import { patiently } from "../retry.ts";
import type { Transcript } from "../transcript.ts";
import { type Changes, changesIn, type MadeWorktree } from "./changes.ts";
import { closeWorktree } from "./close.ts";
import { git, line, succeeds } from "./git.ts";
import { makeWorktree, shareFiles, spotFor } from "./make.ts";
import { snapshot } from "./snapshot.ts";
import { runStep, type Step } from "./step.ts";

export interface Home {
  /** Answers with the folder to work in. Throws where it cannot be made as it was asked for. `onPrepare`: a command prepares it now. */
  open(profile: Profile, env: Record<string, string>, onPrepare: () => void): Promise<string>;
  /** [A12] What it has changed so far, and a plan for another worktree of the same; undefined where it has none. */
  look(patchLimit: number): Promise<{ changes: Changes; plan: WorktreePlan } | undefined>;
  /** Adds what was changed to the outcome of the task. Never throws. */
  close(ending: Ending): Promise<Ending>;
}

interface Dweller {
  row: TaskRow;
  tree: Tree;
  transcript: Transcript;
  /** Aborted when the task has to end. */
  signal: AbortSignal;
}

export function taskHome(
  { engine, db, env: own }: Keeping,
  { row: task, tree, transcript, signal }: Dweller,
): Home {
  let row: MadeWorktree | undefined;
  let share: readonly string[] = [];
  const notices: string[] = [];
  const isReview = task.review_of !== null;
  const note = (made: Partial<WorktreeRow>) =>
    patiently(() => engine.write((tx) => noteWorktree(tx, task, made), { repeatable: true }));

  async function make(planned: WorktreeRow): Promise<{ row: MadeWorktree; isNew: boolean }> {
    const spot = await spotFor(task, planned, worktreesFolder(db, own));
    const fresh = planned.state === "kept" ? {} : { state: "planned" as const };
    // Recorded before it is created: if the machine dies now, it can still be found.
    if (!(await note({ ...spot, ...fresh }))) throw new InboxError("conflict", "it is kept by another");
    const isNew = await makeWorktree(planned, spot);
    return { row: { ...planned, ...spot }, isNew };
  }

  return {
    async open(profile, env, onPrepare) {
      const planned = await engine.read(() => worktreeOf(task.task_number));
      if (!planned) return task.cwd;
      share = profile.share;
      const made = await make(planned);
      row = made.row;
      const { isNew } = made;
      const cwd = join(row.path!, row.prefix);
      fs().mkdirSync(cwd, { recursive: true });
      notices.push(...shareFiles(row.repository, row.path!, share));
      if (isNew && !isReview) notices.push(...(await unseen(row)));
      const from = isNew ? `, which begins at ${row.base.slice(0, 12)}${of(row.into_branch)}` : "";
      transcript.note({ kind: "notice", text: `it works in ${cwd}, on the branch ${row.branch}${from}` });
      if (isNew && profile.prepare) {
        onPrepare();
        await prepare({ tree, transcript, signal }, profile.prepare, { cwd, env });
      }
      await note({ state: "kept" });
      return cwd;
    },
    async look(patchLimit) {
      if (!row) return undefined;
      const { path, repository, prefix } = row;
      const changes = await changesIn(row, { share, limit: patchLimit });
      const head = (await git(path, ["rev-parse", "HEAD"])).trim();
      const base = await snapshot(path, head, {
        subject: `${task.name}, as it was reviewed`,
        without: share,
      });
      return { changes, plan: { repository, prefix, base, into_branch: null } };
    },
    async close(ending) {
      if (!row) return ending;
      const { changed, notices: found } = await closeWorktree(task, row, share);
      const all = [...notices, ...found];
      if (!isReview) for (const text of all) transcript.note({ kind: "notice", text });
      return { ...ending, ...(changed && { changed }), ...(!isReview && { notices: all }) };
    },
  };
}

const of = (branch: string | null) => (branch === null ? "" : ` of ${branch}`);

async function prepare(
  { tree, transcript, signal }: Omit<Dweller, "row">,
  command: readonly string[],
  place: Pick<Step, "cwd" | "env">,
): Promise<void> {
  transcript.note({ kind: "notice", text: `preparing its worktree: ${command.join(" ")}` });
  const clear = () => killBelow(tree);
  signal.addEventListener("abort", clear, { once: true });
  const { ok, error, output } = await runStep(command, { ...place, clear });
  signal.removeEventListener("abort", clear);
  if (output !== "") transcript.note({ kind: "output", text: `${output}\n` });
  // It may work at the next attempt, so the failure is not final.
  if (!ok)
    throw new InboxError("storage", `its worktree could not be prepared: ${error}${output && `: ${output}`}`);
}

/** The pusher's uncommitted changes are not in the worktree, which may surprise both. */
async function unseen({ repository, base }: WorktreeRow): Promise<string[]> {
  const status = await line(repository, [
    "status",
    "--porcelain",
    "--untracked-files=normal",
    "--",
    ":/",
    ":(top,exclude).agents",
  ]);
  if (!status || !(await succeeds(repository, ["merge-base", "--is-ancestor", base, "HEAD"]))) return [];
  const count = status.split("\n").filter(Boolean).length;
  return [
    `It did not see ${count === 1 ? "one uncommitted change" : `${count} uncommitted changes`} in ${repository}.`,
  ];
}
