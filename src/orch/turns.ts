/** [Q12] The turns of one attempt: the sub-agent answers, its gate looks at it and may send it back, at most twice. */

import type { TaskRow } from "../bus/task.ts";
import type { Ending } from "../bus/tasks/end.ts";
import type { End } from "../bus/tasks/keep.ts";
import type { SessionCount } from "../bus/usage.ts";
import { quoted } from "../contract/safe-text.ts";
import { type Running, startChild } from "./child.ts";
import type { Tree } from "./find-tree.ts";
import { askGate } from "./gate.ts";
import { killBelow } from "./kill-tree.ts";
import type { Meter } from "./meter.ts";
import type { Profile } from "./profiles/profile.ts";
import { runnerFor } from "./runners/index.ts";
import type { Job, Outcome, Runner } from "./runners/runner.ts";
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
  /** Its reason, an End, is why the task is to end. */
  signal: AbortSignal;
  /** A program runs now. */
  onStart(running: Running): void;
}

export async function takeTurns(turns: Turns): Promise<Ending> {
  const { profile, env, row, tree, transcript, meter, signal, onStart } = turns;
  const runner = runnerFor(profile.runner);
  const clear = () => killBelow(tree);
  signal.addEventListener("abort", clear, { once: true });
  const stopped = () => ({ success: false, ...(signal.reason as End) });
  let job = turns.job;
  const refused = new Set<string>();
  let sofar: Partial<Ending> = {};
  for (let refusals = 0; ; ) {
    if (signal.aborted) return { ...stopped(), ...sofar };
    transcript.note({ kind: "prompt", text: job.prompt });
    meter.begin();
    const { spent } = meter;
    const running = startChild({ runner, profile, job, env, tree, transcript, spent, signal });
    onStart(running);
    const { outcome, error } = await running.ended;
    const session = outcome.session === undefined ? {} : { session: outcome.session };
    meter.ended(outcome.used, countOf(outcome));
    for (const tool of outcome.refused ?? []) refused.add(tool);
    const more = { ...session, ...(refused.size && { refused: [...refused] }) };
    const partial = outcome.final.slice(-partialLimit).toWellFormed();
    sofar = { partial, ...more };
    if (signal.aborted) return { ...stopped(), ...sofar };
    if (outcome.overBudget) return { success: false, error: spentAll, reason: "budget", ...sofar };
    if (error !== undefined) return { success: false, error, reason: "exit", partial, ...more };
    if (profile.gate === null) return { success: true, final: outcome.final, ...more };
    const about = { task: row.name, parent: row.parent, attempt: row.attempt, final: outcome.final };
    const verdict = await askGate(profile.gate, about, { cwd: job.cwd, env, clear });
    if (signal.aborted) return { ...stopped(), partial, ...more };
    if (verdict.passed) {
      if (verdict.warning !== undefined) transcript.note({ kind: "notice", text: verdict.warning });
      return { success: true, final: outcome.final, ...more };
    }
    transcript.note({ kind: "notice", text: `the gate rejected it: ${verdict.feedback}` });
    if (++refusals === refusalsAllowed) {
      const error = `its gate rejected it ${refusals} times: ${verdict.feedback}`;
      return { success: false, error, reason: "gate", partial, ...more, forGood: true };
    }
    // [A11] Whether it may go on: a program may say only now what it has used.
    await meter.settle();
    job = { ...sentBack(runner, turns.job, outcome, verdict.feedback), ...moneyLeft(turns.job, meter) };
  }
}

/** [A11] By the program itself, which knows prices. */
const spentAll = "it exceeded its budget: its program stopped when the money was spent";

const moneyLeft = ({ costLeft }: Job, meter: Meter) =>
  costLeft === undefined ? {} : { costLeft: Math.max(0, costLeft - (meter.total()?.used.costUsd ?? 0)) };

const countOf = ({ session, counted }: Outcome): SessionCount | undefined =>
  session === undefined || counted === undefined ? undefined : { id: session, used: counted };

/** Where the conversation can go on it is only told what is wrong; else it begins anew with what it said before. */
function sentBack(runner: Runner, first: Job, { session, counted, final }: Outcome, feedback: string): Job {
  const told = `Your answer was rejected:\n\n${feedback}\n\nFix this and answer again.`;
  if (runner.resumes && session !== undefined) return { ...first, prompt: told, session, counted };
  return {
    ...first,
    prompt: `${first.prompt}\n\nYou have answered before:\n\n${quoted(final.slice(-partialLimit), "> ")}\n\n${told}`,
  };
}
