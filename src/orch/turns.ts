/**
 * [Q12] [A12] The turns of one attempt: the sub-agent answers; its gate and its reviewer check the answer, and may
 * send it back.
 */

import { findingLine } from "../bus/review.ts";
import type { TaskRow } from "../bus/task.ts";
import type { End, Ending } from "../bus/tasks/end.ts";
import type { SessionCount } from "../bus/usage.ts";
import { call, phrase, type Spelling, spelledWhole } from "../contract/phrase.ts";
import { plural } from "../contract/plural.ts";
import type { ReviewOutcome } from "../contract/review.ts";
import { quoted } from "../contract/safe-text.ts";
import { type Running, startChild } from "./child.ts";
import type { Tree } from "./find-tree.ts";
import { askGate } from "./gate.ts";
import { killBelow } from "./kill-tree.ts";
import type { Meter } from "./meter.ts";
import type { Profile } from "./profiles/profile.ts";
import type { Review, Reviewed } from "./review.ts";
import { runnerFor } from "./runners/index.ts";
import { interrupted, interruptible } from "./runners/interruptible.ts";
import type { Interruptions, Job, Outcome, Runner } from "./runners/runner.ts";
import type { Transcript } from "./transcript.ts";

const refusalsAllowed = 3;
const partialLimit = 16 * 1024;

export interface Turns {
  job: Job;
  profile: Profile;
  env: Record<string, string>;
  tree: Tree;
  row: TaskRow;
  transcript: Transcript;
  meter: Meter;
  /** Its reason, an End, says why the task has to end. */
  signal: AbortSignal;
  interruptions: Interruptions;
  /** [A12] Starts its reviewer. */
  review?: Review;
  /** A program runs now. */
  onStart(running: Running): void;
  /** How commands are written in a result. */
  spelling(): Spelling;
}

export async function takeTurns(turns: Turns): Promise<Ending> {
  const { profile, tree, transcript, meter, signal, interruptions, onStart } = turns;
  const runner = runnerFor(profile.runner);
  const clear = () => killBelow(tree);
  signal.addEventListener("abort", clear, { once: true });
  const stopped = () => ({ success: false, ...(signal.reason as End) });
  let job = turns.job;
  const refused = new Set<string>();
  const judge = judgeOf(turns, clear);
  let review: ReviewOutcome | undefined;
  let sofar: Partial<Ending> = {};
  const goOn = async (outcome: Outcome, told: string) => {
    // [A11] Whether it may continue: a program may report its usage only now.
    await meter.settle();
    job = { ...goingOn(runner, turns.job, outcome, told), ...moneyLeft(turns.job, meter) };
  };
  for (;;) {
    if (signal.aborted) return { ...stopped(), ...sofar };
    transcript.note({ kind: "prompt", text: job.prompt });
    meter.begin();
    const running = startChild({ ...turns, runner, job, spent: meter.spent });
    onStart(running);
    // A runner that cancels turns has handled interruptions itself; what is left arrived after that.
    const heeded = runner.cancels ? { ...interruptions, listen: () => () => {} } : interruptions;
    const { ended, told } = await interruptible(heeded, running.ended, running.interrupt);
    const { outcome, error } = ended;
    meter.ended(outcome.used, countOf(outcome));
    for (const tool of outcome.refused ?? []) refused.add(tool);
    const more = () => ({
      ...(outcome.session !== undefined && { session: outcome.session }),
      ...(refused.size && { refused: [...refused] }),
      ...(review && { review }),
    });
    const partial = outcome.final.slice(-partialLimit).toWellFormed();
    sofar = { partial, ...more() };
    if (signal.aborted) return { ...stopped(), ...sofar };
    if (outcome.overBudget) return { success: false, error: spentAll, reason: "budget", ...sofar };
    if (told !== undefined) {
      transcript.note(interrupted);
      await goOn(outcome, told);
      continue;
    }
    if (error !== undefined) return { success: false, error, reason: "exit", ...sofar };
    const final = withCut(outcome, turns);
    const judged = await judge(final);
    review = judged.review ?? review;
    sofar = { partial, ...more() };
    if (signal.aborted) return { ...stopped(), ...sofar };
    if (judged.failed) return { success: false, ...judged.failed, ...sofar, forGood: true };
    const next = [await interruptions.take(), sentBack(judged.feedback)].filter((one) => one !== undefined);
    if (!next.length) return { success: true, final, ...(outcome.cut && { cut: outcome.cut }), ...more() };
    await goOn(outcome, next.join("\n\n"));
  }
}

/** [Q5.6] Whoever reads the end of a long message is told that it is not all. */
function withCut({ final, cut }: Outcome, { row: { name }, spelling }: Turns): string {
  if (!cut) return final;
  const whole = phrase`[the beginning of the final message is missing (${plural(cut, "byte")}); ${call("tasks.log", { name })} shows all of its output]`;
  return `${spelledWhole(whole, spelling())}\n${final}`;
}

/** [A11] Ended by the program itself, which knows prices. */
const spentAll = "it exceeded its budget: its program stopped when the money was spent";

const moneyLeft = ({ costLeft }: Job, meter: Meter) =>
  costLeft === undefined ? {} : { costLeft: Math.max(0, costLeft - (meter.total()?.used.costUsd ?? 0)) };

const countOf = ({ session, counted }: Outcome): SessionCount | undefined =>
  session === undefined || counted === undefined ? undefined : { id: session, used: counted };

/** What its gate and then its reviewer decide: accepted, sent back, or failed. */
interface Judged {
  feedback?: string;
  failed?: End;
  review?: ReviewOutcome;
}

function judgeOf({ profile, row, env, job, transcript, review }: Turns, clear: () => Promise<void>) {
  let refusals = 0;

  async function byGate(final: string): Promise<Judged> {
    if (profile.gate === null) return {};
    const about = { task: row.name, parent: row.parent, attempt: row.attempt, final };
    const verdict = await askGate(profile.gate, about, { cwd: job.cwd, env, clear });
    if (verdict.passed) {
      if (verdict.warning !== undefined) transcript.note({ kind: "notice", text: verdict.warning });
      return {};
    }
    const { feedback } = verdict;
    transcript.note({ kind: "notice", text: `the gate rejected it: ${feedback}` });
    if (++refusals < refusalsAllowed) return { feedback };
    return {
      failed: { error: `its gate rejected it ${refusals} times: ${feedback}`, reason: "gate" },
    };
  }

  return async (final: string): Promise<Judged> => {
    const judged = await byGate(final);
    if (judged.feedback !== undefined || judged.failed) return judged;
    const reviewed = await review?.(final);
    return reviewed ? afterReview(reviewed) : {};
  };
}

function afterReview({ outcome, feedback }: Reviewed): Judged {
  if (outcome.verdict !== "sent_back" || feedback !== undefined) return { review: outcome, feedback };
  const { rounds, findings } = outcome;
  const last = findings.filter(({ round }) => round === rounds).map(findingLine);
  const times = rounds === 1 ? "sent it back" : `sent it back ${rounds} times`;
  return {
    review: outcome,
    failed: { error: `its reviewer ${times}: ${last.join("; ")}`, reason: "review" },
  };
}

const sentBack = (feedback: string | undefined) =>
  feedback === undefined
    ? undefined
    : `Your answer was rejected:\n\n${feedback}\n\nFix this and answer again.`;

/** If the conversation can be resumed, the prompt is only the new text; else the program starts again with its earlier answer. */
function goingOn(runner: Runner, first: Job, { session, counted, final }: Outcome, told: string): Job {
  if (runner.resumes && session !== undefined) return { ...first, prompt: told, session, counted };
  const before =
    final === "" ? "" : `Your earlier answer:\n\n${quoted(final.slice(-partialLimit), "> ")}\n\n`;
  return { ...first, prompt: `${first.prompt}\n\n${before}${told}` };
}
