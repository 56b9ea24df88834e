/** [A2] Merging what a task has changed, and sending it back if that fails. */

import { append } from "../../bus/event.ts";
import { firstLine, write } from "../../bus/message.ts";
import type { TaskRow } from "../../bus/task.ts";
import { continueTask } from "../../bus/tasks/continue.ts";
import { settleWorktree } from "../../bus/tasks/worktrees.ts";
import { asInboxError, InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, field, phrase } from "../../contract/phrase.ts";
import { withoutPassword } from "../../contract/secret.ts";
import type { Engine } from "../../engines/engine.ts";
import { markName } from "../find-tree.ts";
import { inherited } from "../inherited.ts";
import { killLeft } from "../kill-tree.ts";
import type { Profile } from "../profiles/profile.ts";
import { gather } from "../worktree/gather.ts";
import { oneAtATime } from "../worktree/lock.ts";
import { removeWorktree } from "../worktree/make.ts";
import { type Merged, mergeBranch } from "../worktree/merge.ts";
import { type Found, findWorktree, requireKept } from "./ended-worktree.ts";
import { profilesAt, type Workplace } from "./place.ts";
import { goesOn, profileOf } from "./task-program.ts";

type Output = OutputOf<"tasks.merge">;
type Input = ParsedOf<"tasks.merge">;

/** A command that takes longer is ended and counts as failed: no task's timeout limits it. */
const stepLimitMs = 60 * 60_000;

export async function merge(
  engine: Engine,
  place: Workplace,
  input: Input,
  signal?: AbortSignal,
): Promise<Output> {
  const { name } = input;
  const {
    folder,
    row: { repository },
  } = await findWorktree(engine, place, name);
  return oneAtATime({ folder, repository, signal }, async () =>
    mergeNow(engine, place, input, await findWorktree(engine, place, name)),
  );
}

async function mergeNow(engine: Engine, place: Workplace, input: Input, found: Found): Promise<Output> {
  const { task, row, others } = found;
  const before = { others, already: true, reason: null, conflicts: [], output: null, told: null, fix: null };
  if (row.state === "merged")
    return { merged: true, into: row.merged_into!, commit: row.merged_commit, ...before };
  requireKept(found);
  const into = intoOf(input, found);
  const profile = profileOf(place, task);
  const message = `${task.name}: ${firstLine(task.prompt)}`;
  const { changed, problem } = await gather(row, profile?.share ?? [], message);
  if (problem !== undefined)
    throw new InboxError(
      "invalid_state",
      `the worktree of "${task.name}" cannot be merged as it is: ${problem}`,
      {
        hint: phrase`fix it in ${row.path}, or delete it with ${call("tasks.discard", { name: input.name })}`,
      },
    );
  const outcome = await mergeBranch({
    row,
    tip: changed.tip!,
    into,
    how: input.squash ? "squash" : input.rebase ? "rebase" : "merge",
    message: input.squash ? message : `Merge ${row.branch}: ${firstLine(task.prompt)}`,
    updateCheckout: input.updateCheckout,
    folder: found.folder,
    ...stepsOf(place, profile),
  });
  if (!outcome.merged) return handBack(engine, { ...found, input, into, place }, outcome);
  const { commit, already } = outcome;
  await engine.write((tx) =>
    settleWorktree(tx, task, input.agent, {
      ...changed,
      state: "merged",
      merged_into: into,
      merged_commit: commit,
    }),
  );
  await removeWorktree(row);
  return { merged: true, into, commit, ...before, already };
}

function intoOf({ into }: Input, { task, row }: Found): string {
  const branch = into ?? row.into_branch;
  if (branch === null)
    throw new InboxError("invalid_input", `"${task.name}" was pushed where no branch was checked out`, {
      hint: phrase`give the target branch: ${field("into", blank("BRANCH"))}`,
    });
  if (branch === row.branch)
    throw new InboxError("invalid_input", `${branch} is the branch of "${task.name}" itself`, {
      hint: phrase`give another branch with ${field("into", blank("BRANCH"))}`,
    });
  return branch;
}

function stepsOf({ db }: Workplace, profile: Profile | undefined) {
  const mark = crypto.randomUUID();
  const usual = profile ?? profilesAt({ db }).profiles.usual;
  const runner = profile?.runner;
  return {
    share: usual.share,
    prepare: usual.prepare,
    check: usual.check,
    step: {
      env: {
        ...inherited(process.env, runner ?? { kind: "command", passEnv: [] }),
        ...runner?.env,
        [markName]: mark,
      },
      clear: () => killLeft({ mark, bus: withoutPassword(db) }),
      limitMs: stepLimitMs,
    },
  };
}

type Failed = Extract<Merged, { merged: false }>;

interface Handing extends Found {
  input: Input;
  into: string;
  place: Workplace;
}

/** [A11] False if the session may not continue: its budget is used up, or the daily limit is reached. */
async function tellSession(engine: Engine, task: TaskRow, agent: string, ask: string): Promise<boolean> {
  try {
    await engine.write((tx) => continueTask(tx, task, agent, ask));
    return true;
  } catch (error) {
    const { code } = asInboxError(error);
    if (code !== "invalid_state" && code !== "limited") throw error;
    return false;
  }
}

/** Sent to the sub-agent if its session can continue; else to its parent, unless the parent is the caller. */
async function handBack(
  engine: Engine,
  { task, row, others, input: { agent, noResume }, into, place }: Handing,
  failed: Failed,
): Promise<Output> {
  const conflicts = failed.reason === "conflict" ? failed.conflicts : [];
  const output = failed.reason === "conflict" ? null : `${failed.error}\n${failed.output}`.trim();
  const what =
    failed.reason === "conflict"
      ? `The branch ${row.branch} conflicts with ${into} in ${conflicts.join(", ")}.`
      : `The branch ${row.branch} was merged into ${into} for a check, which failed: ${output}`;
  const ask = `${what}\n\nNothing was merged. In your worktree, merge ${into} into your branch, fix this, and commit.`;
  const resumes = !noResume && goesOn(place, task) && (await tellSession(engine, task, agent, ask));
  const told = resumes ? task.name : task.parent === agent ? null : task.parent;
  if (!resumes && told !== null)
    await engine.write(function* (tx) {
      const now = yield* tx.clock();
      const head = { thread: null, from: task.name, to: told, kind: "event", taskId: task.name } as const;
      const payload = { task: task.name, merged: false, into, reason: failed.reason, conflicts };
      const message = yield* write(
        { ...tx, verified: true },
        head,
        { summary: firstLine(what), body: what, payload },
        now,
      );
      yield* append(tx, { type: "message.sent", source: agent, message: message.row, now });
    });
  return {
    merged: false,
    into,
    commit: null,
    already: false,
    reason: failed.reason,
    conflicts,
    output,
    told,
    fix: { name: task.name, path: row.path, branch: row.branch },
    others,
  };
}
