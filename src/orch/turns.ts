/** [Q12] The turns of one attempt: the sub-agent answers, its gate looks at it and may send it back, at most twice. */

import type { TaskRow } from "../bus/task.ts";
import type { Ending } from "../bus/tasks/end.ts";
import type { End } from "../bus/tasks/keep.ts";
import { quoted } from "../contract/safe-text.ts";
import { type Running, startChild } from "./child.ts";
import type { Tree } from "./find-tree.ts";
import { askGate } from "./gate.ts";
import { killBelow } from "./kill-tree.ts";
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
  /** Its reason, an End, is why the task is to end. */
  signal: AbortSignal;
  /** A program runs now. */
  onStart(running: Running): void;
}

export async function takeTurns(turns: Turns): Promise<Ending> {
  const { profile, env, row, tree, transcript, signal, onStart } = turns;
  const runner = runnerFor(profile.runner);
  const clear = () => killBelow(tree);
  signal.addEventListener("abort", clear, { once: true });
  const stopped = () => ({ success: false, ...(signal.reason as End) });
  let job = turns.job;
  const refused = new Set<string>();
  for (let refusals = 0; ; ) {
    if (signal.aborted) return stopped();
    transcript.note({ kind: "prompt", text: job.prompt });
    const running = startChild({ runner, profile, job, env, tree, transcript, signal });
    onStart(running);
    const { outcome, error } = await running.ended;
    const session = outcome.session === undefined ? {} : { session: outcome.session };
    for (const tool of outcome.refused ?? []) refused.add(tool);
    const more = { ...session, ...(refused.size && { refused: [...refused] }) };
    const partial = outcome.final.slice(-partialLimit).toWellFormed();
    if (signal.aborted) return { ...stopped(), partial, ...more };
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
    job = sentBack(runner, turns.job, outcome, verdict.feedback);
  }
}

/** Where the conversation can go on it is only told what is wrong; else it begins anew with what it said before. */
function sentBack(runner: Runner, first: Job, { session, final }: Outcome, feedback: string): Job {
  const told = `Your answer was rejected:\n\n${feedback}\n\nFix this and answer again.`;
  if (runner.resumes && session !== undefined) return { ...first, prompt: told, session };
  return {
    ...first,
    prompt: `${first.prompt}\n\nYou have answered before:\n\n${quoted(final.slice(-partialLimit), "> ")}\n\n${told}`,
  };
}
