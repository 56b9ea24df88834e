/**
 * [A12] A reviewer: when a sub-agent says that it is done, another one gets the task, the changes and the result in
 * its own session, and approves them or sends them back with findings.
 */
import { acknowledge } from "../bus/message.ts";
import { findingLine } from "../bus/review.ts";
import type { TaskRow } from "../bus/task.ts";
import { addTask } from "../bus/tasks/add.ts";
import { releaseTasks } from "../bus/tasks/release.ts";
import { resultTextOf } from "../bus/tasks/result.ts";
import { findThread, hasEnded } from "../bus/thread.ts";
import { asInboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import { plural } from "../contract/plural.ts";
import type { ReviewFinding, ReviewOutcome } from "../contract/review.ts";
import type { Engine } from "../engines/engine.ts";
import { sql } from "../sql/sql.ts";
import { wait } from "../waiting/wait.ts";
import type { Profile, Profiles } from "./profiles/profile.ts";
import { chooseProfile } from "./profiles/profile-list.ts";
import { type Answer, answerIn, patchLimit, reviewPrompt } from "./review-text.ts";
import type { Transcript } from "./transcript.ts";
import type { Home } from "./worktree/home.ts";

/** The timeout of a reviewer whose runner has none. */
const usualTimeoutSeconds = 1800;

export interface Reviewed {
  outcome: ReviewOutcome;
  /** The feedback for the sub-agent, if it has another round. */
  feedback?: string;
}

/** Undefined if there is no review: the task ends for another reason, or has reported its own failure. */
export type Review = (final: string) => Promise<Reviewed | undefined>;

interface Reviewing {
  engine: Engine;
  row: TaskRow;
  profiles: Profiles;
  home: Home;
  /** Where the sub-agent works. */
  cwd: string;
  transcript: Transcript;
  signal: AbortSignal;
  path: string;
}

/** The reviewer of a task, if it has one: started each time the sub-agent says that it is done. */
export function reviewOf(reviewing: Reviewing): Review | undefined {
  const { row, engine, transcript, signal } = reviewing;
  const { review: profile, review_rounds: most } = row;
  if (profile === null || most === null) return undefined;
  const findings: ReviewFinding[] = [];
  let rounds = 0;
  return async (final) => {
    const thread = await engine.read(() => findThread(idOf("thread", row.thread_id!)));
    if (hasEnded(thread)) return undefined;
    rounds++;
    const asked = await ask(reviewing, { profile, final, round: rounds, rounds: most, findings }).catch(
      (error) => ({ error: asInboxError(error).message }),
    );
    if (signal.aborted) return undefined;
    const so = { rounds, findings, profile };
    if ("error" in asked) {
      transcript.note({ kind: "notice", text: `it was not reviewed: ${asked.error}` });
      return { outcome: { verdict: "none", ...so, error: asked.error } };
    }
    const found = asked.findings.map((finding) => ({ round: rounds, ...finding }));
    findings.push(...found);
    const back = asked.verdict === "sent_back";
    const list = found.map((finding) => `- ${findingLine(finding)}`).join("\n");
    const text = `review ${rounds} of at most ${most}: ${back ? "sent back" : "approved"}, ${plural(found.length, "finding")}${list && `\n${list}`}`;
    transcript.note({ kind: "notice", text });
    return {
      outcome: { verdict: asked.verdict, ...so },
      ...(back && rounds < most && { feedback: `A reviewer has looked at it. What was found:\n\n${list}` }),
    };
  };
}

interface Asking {
  profile: string;
  final: string;
  round: number;
  rounds: number;
  findings: readonly ReviewFinding[];
}

/** The reviewer's answer, or why there is none. */
async function ask(
  { engine, row, profiles, home, cwd, signal, path }: Reviewing,
  { profile: wanted, final, round, rounds, findings }: Asking,
): Promise<Answer | { error: string }> {
  const profile = chooseProfile(profiles, wanted, path);
  const look = await home.look(patchLimit);
  const before = findings.filter((finding) => finding.round === round - 1);
  const about = { name: row.name, prompt: row.prompt, followUp: row.follow_up, final, round, rounds, before };
  const prompt = reviewPrompt({ ...about, changes: look?.changes });
  const reviewer = await start(engine, { row, profile, prompt, round, cwd, plan: look?.plan ?? null });
  const looked = async () => {
    const said = await engine.read((tx) => resultTextOf(tx, reviewer));
    return said.finished ? { found: said } : {};
  };
  const said = (await wait(engine, { mailOf: row.name }, looked, { signal }))!;
  // The answer was for the keeper: it does not stay in the sub-agent's mail.
  await engine.write(function* (tx) {
    const now = yield* tx.clock();
    const which = sql`thread_id = ${said.thread} and kind = 'result'`;
    yield* acknowledge({ agent: row.name, names: [row.name], which, now, seen: true });
  });
  const who = `the reviewer ${reviewer.name}`;
  if (!said.success) return { error: `${who} failed: ${said.error}` };
  return answerIn(said.text) ?? { error: `the answer of ${who} has no verdict` };
}

interface Start {
  row: TaskRow;
  profile: Profile;
  prompt: string;
  round: number;
  cwd: string;
  plan: NonNullable<Awaited<ReturnType<Home["look"]>>>["plan"] | null;
}

/** A task of the sub-agent itself: it ends with it, may edit nothing, and does not count towards any queue's limit. */
async function start(engine: Engine, { row, profile, prompt, round, cwd, plan }: Start): Promise<TaskRow> {
  const wanted = `${row.name.slice(0, 100).toWellFormed()}-review-${round}`;
  const add = (name: string | undefined) =>
    engine.write(function* (tx) {
      const reviewer = yield* addTask(tx, {
        ...{ agent: row.name, name, prompt, cwd, env: row.env_json, priority: row.priority },
        ...{ profile: profile.name, usualPermission: profile.permission, permission: "reject", retries: 0 },
        ...{
          timeout: profile.runner.timeoutSeconds ?? usualTimeoutSeconds,
          review: null,
          budget: profile.budget,
        },
        ...{ worktree: plan ? "yes" : "no", repository: plan, reviewOf: row.task_number },
      });
      const now = reviewer.created_at;
      yield* releaseTasks(tx, { agent: row.name, names: [reviewer.name], inTurn: false, now });
      return reviewer;
    });
  try {
    return await add(wanted);
  } catch (error) {
    // That name is taken: a generated one is used instead.
    if (asInboxError(error).code !== "conflict") throw error;
    return add(undefined);
  }
}
