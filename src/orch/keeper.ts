/**
 * The keeper of one task: a process of its own that starts the sub-agent, writes its transcript, keeps its lease, ends it
 * on time, and delivers what came of it. It outlives whoever started it; and where it dies itself, its lease runs out and
 * the next supervisor clears up (recovery.ts).
 */
import type { Ended, Ending } from "../bus/procedures/task-end.ts";
import { endTask } from "../bus/procedures/task-end.ts";
import { keepTask, lookAtTask } from "../bus/procedures/task-keep.ts";
import type { TaskRow } from "../bus/task.ts";
import { asInboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { Engine } from "../engines/engine.ts";
import { threadTopic } from "../sql/topics.ts";
import { fs } from "../system.ts";
import { startChild } from "./child.ts";
import { identityVariables, impersonal, onPath } from "./environment.ts";
import { askGate } from "./gate.ts";
import { endingFile, profilesFile, taskFolder, tasksFolder, transcriptFile } from "./place.ts";
import { adoptOrphans, identityOf, killTree } from "./processes.ts";
import type { Profile } from "./profile.ts";
import { chooseProfile } from "./profile-list.ts";
import { loadProfiles } from "./profiles.ts";
import { programFolder } from "./program.ts";
import { runnerFor } from "./runners/index.ts";
import type { Job } from "./runners/runner.ts";
import { lendToken } from "./token.ts";
import { openTranscript, type Transcript } from "./transcript.ts";

export interface Keeping {
  engine: Engine;
  /** The database's address, for the sub-agent. */
  db: string;
  number: number;
  token: string;
  /** The hub that supervises, if one does. */
  url: string | null;
  env: Record<string, string | undefined>;
}

const beatMs = 5000;
const refusalsAllowed = 3;
const partialLimit = 16 * 1024;

export async function keep(keeping: Keeping): Promise<void> {
  const { engine, number, token, db, env } = keeping;
  adoptOrphans();
  const tasks = tasksFolder(db, env);
  const folder = taskFolder(tasks, number);
  fs().mkdirSync(folder, { recursive: true, mode: 0o700 });
  const self = identityOf(process.pid);
  const kept = await engine.write((tx) => keepTask(tx, number, token, { keeper: self, folder }));
  if (!kept) return;
  const { row } = kept;
  const transcript = openTranscript(transcriptFile(folder));
  const end = new AbortController();
  const guard = guardOver(keeping, row, end);
  try {
    const ending = await work(keeping, row, folder, programFolder(tasks), transcript, end);
    await killTree(token, undefined, process.pid);
    if (guard.stale()) return;
    writeEnding(folder, token, ending);
    const ended = await deliver(engine, number, token, ending);
    noteEnd(transcript, ending, ended);
  } finally {
    guard.stop();
    transcript.close();
  }
}

/** Keeps the lease, and watches for a word that the task is to end. */
function guardOver({ engine, number, token }: Keeping, row: TaskRow, end: AbortController) {
  let stale = false;
  const heed = (kept: Awaited<ReturnType<typeof look>>) => {
    if (!kept) stale = true;
    if (!kept) end.abort("it is kept by another");
    else if (kept.end !== undefined) end.abort(kept.end);
  };
  const look = () => engine.read((tx) => lookAtTask(tx, number, token));
  const beat = setInterval(() => {
    // Where the database is away for a while the work goes on.
    engine.write((tx) => keepTask(tx, number, token)).then(heed, () => {});
  }, beatMs);
  const over = new AbortController();
  const subscription = engine.subscribe([threadTopic(row.thread_id!)]);
  const watch = async () => {
    while (!over.signal.aborted) {
      await look().then(heed, () => {});
      await subscription.next({ signal: over.signal }).catch(() => {});
    }
  };
  void watch();
  return {
    stale: () => stale,
    stop() {
      clearInterval(beat);
      over.abort();
      subscription.close();
    },
  };
}

/** The sub-agent's whole life: started, followed, sent back by its gate, ended on time. Never throws. */
async function work(
  keeping: Keeping,
  row: TaskRow,
  folder: string,
  programs: string,
  transcript: Transcript,
  end: AbortController,
): Promise<Ending> {
  const { env, token: mark } = keeping;
  let timer: Timer | undefined;
  try {
    const profiles = loadProfiles(profilesFile(keeping.db, "/", env));
    const profile = chooseProfile(profiles, row.profile ?? undefined, env.PATH ?? "");
    const model = row.model ?? profile.model;
    const identity = {
      name: row.name,
      parent: row.parent,
      db: keeping.db,
      thread: idOf("thread", row.thread_id!),
      task: row.name,
      url: keeping.url,
      token: await lendToken(keeping.engine, row, mark),
      profile: row.profile,
      model,
      mark,
      programs,
    };
    const variables = identityVariables(identity);
    const childEnv = { ...impersonal(env), ...profile.runner.env, ...variables };
    childEnv.PATH = onPath(programs, childEnv.PATH);
    const job: Job = {
      name: row.name,
      prompt: row.prompt,
      model,
      instructions: profile.instructions,
      cwd: row.cwd,
      folder,
      mcp: { command: `${programs}/inbox`, args: ["mcp"], env: variables },
    };
    timer = timeLimit(row, profile, end);
    return await turns(job, profile, childEnv, mark, transcript, end, keeping, row);
  } catch (error) {
    const { message, hint, code } = asInboxError(error);
    const known = code !== "internal" && code !== "storage";
    return { success: false, error: known ? `${message}; ${hint}` : message, forGood: known };
  } finally {
    clearTimeout(timer);
  }
}

/** [Q6] On time, from the moment the task counts as started. */
function timeLimit(row: TaskRow, profile: Profile, end: AbortController): Timer | undefined {
  const limit = row.timeout_ms ?? (profile.runner.timeoutSeconds ?? 0) * 1000;
  if (!limit) return undefined;
  const gone = Math.min(1000, Math.max(0, Date.now() - Date.parse(row.started_at!)));
  const why = `it took longer than ${limit / 1000} seconds and was killed`;
  return setTimeout(() => end.abort(why), Math.max(0, limit - gone));
}

async function turns(
  first: Job,
  profile: Profile,
  env: Record<string, string>,
  mark: string,
  transcript: Transcript,
  end: AbortController,
  { engine, number, token }: Keeping,
  row: TaskRow,
): Promise<Ending> {
  const runner = runnerFor(profile.runner);
  let job = first;
  for (let refusals = 0; ; ) {
    if (end.signal.aborted) return { success: false, error: String(end.signal.reason) };
    transcript.note({ kind: "prompt", text: job.prompt });
    const running = startChild(runner, profile, job, env, mark, transcript, end.signal);
    const stop = () => void killTree(mark, running.child, process.pid);
    end.signal.addEventListener("abort", stop, { once: true });
    await engine.write((tx) => keepTask(tx, number, token, { child: running.child })).catch(() => {});
    const { outcome, error } = await running.ended;
    end.signal.removeEventListener("abort", stop);
    const session = outcome.session === undefined ? {} : { session: outcome.session };
    const partial = outcome.final.slice(-partialLimit).toWellFormed();
    if (end.signal.aborted) return { success: false, error: String(end.signal.reason), partial, ...session };
    if (error !== undefined) return { success: false, error, partial, ...session };
    if (profile.gate === null) return { success: true, final: outcome.final, ...session };
    const about = { task: row.name, parent: row.parent, attempt: row.attempt, final: outcome.final };
    const verdict = await askGate(profile.gate, about, { cwd: job.cwd, env, mark, signal: end.signal });
    if (end.signal.aborted) continue;
    if (verdict.passed) {
      if (verdict.warning !== undefined) transcript.note({ kind: "notice", text: verdict.warning });
      return { success: true, final: outcome.final, ...session };
    }
    refusals++;
    transcript.note({ kind: "notice", text: `the gate refused it: ${verdict.feedback}` });
    if (refusals === refusalsAllowed)
      return {
        success: false,
        error: `its gate refused it ${refusals} times: ${verdict.feedback}`,
        partial,
        ...session,
        forGood: true,
      };
    job = sentBack(first, runner.resumes ? outcome.session : undefined, outcome.final, verdict.feedback);
  }
}

/** Where the conversation can go on it is only told what is wrong; else it begins anew with what it said before. */
function sentBack(first: Job, session: string | undefined, final: string, feedback: string): Job {
  const told = `Your answer was not accepted:\n\n${feedback}\n\nMend that, and answer again.`;
  if (session !== undefined) return { ...first, prompt: told, session };
  return {
    ...first,
    prompt: `${first.prompt}\n\nYou have answered before:\n\n${final.slice(-partialLimit)}\n\n${told}`,
  };
}

/** On disk before it is told: if this process dies in between, whoever clears up delivers it. */
function writeEnding(folder: string, token: string, ending: Ending): void {
  const path = endingFile(folder);
  fs().writeFileSync(`${path}.new`, JSON.stringify({ token, ending }), { mode: 0o600 });
  fs().renameSync(`${path}.new`, path);
}

const againMs = 1000;

/** For as long as it takes: a result is never dropped because the database was away. */
async function deliver(engine: Engine, number: number, token: string, ending: Ending): Promise<Ended> {
  for (;;) {
    try {
      return await engine.write((tx) => endTask(tx, number, token, ending), { repeatable: true });
    } catch (error) {
      const { code } = asInboxError(error);
      if (code !== "storage" && code !== "busy") throw error;
      await Bun.sleep(againMs);
    }
  }
}

function noteEnd(transcript: Transcript, ending: Ending, ended: Ended): void {
  if (ending.success) transcript.note({ kind: "final", text: ending.final ?? "" });
  else transcript.note({ kind: "error", text: ending.error ?? "it failed" });
  if (ended.outcome === "again") transcript.note({ kind: "notice", text: "it is tried again" });
}
