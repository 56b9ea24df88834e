/**
 * The keeper of a task: a separate process that starts the sub-agent, writes its transcript, renews its lease, ends
 * it on time, and delivers its outcome. It outlives the process that started it; if it dies itself, the next
 * supervisor clears up (recovery.ts). [Q17] It keeps one task at a time, and takes another one if nothing of the last
 * is left.
 */

import type { TaskRow } from "../bus/task.ts";
import { type End, type Ending, endTask } from "../bus/tasks/end.ts";
import { keepTask } from "../bus/tasks/keep.ts";
import { countOf, moneyLeft, usageOf } from "../bus/usage.ts";
import { asInboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { Spelling } from "../contract/phrase.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Engine } from "../engines/engine.ts";
import { makeOwnFolder, replaceOwn } from "../platform/own-files.ts";
import { adoptOrphans } from "../platform/processes/brand.ts";
import { identityOf } from "../platform/processes/processes.ts";
import { approvedProfiles, busRefusal } from "./approval.ts";
import { isCleanEnd } from "./clean-end.ts";
import { identityVariables, onPath, placeVariables } from "./environment.ts";
import type { Tree } from "./find-tree.ts";
import { type Guard, guardOver } from "./guard.ts";
import { chosen, inherited } from "./inherited.ts";
import { interruptionsOf } from "./interruptions.ts";
import { brandFor, killBelow } from "./kill-tree.ts";
import { lendToken } from "./lend-token.ts";
import { type Meter, meterFor } from "./meter.ts";
import { endingFile, taskFolder, tasksFolder, transcriptFile } from "./paths.ts";
import { permit } from "./permit.ts";
import type { Profile } from "./profiles/profile.ts";
import { chooseProfile } from "./profiles/profile-list.ts";
import { programFolder } from "./program.ts";
import { patiently, startMs } from "./retry.ts";
import { reviewOf } from "./review.ts";
import type { Interruptions, Job } from "./runners/runner.ts";
import { noteSeen } from "./seen.ts";
import { type TimeLimit, timeLimit } from "./time-limit.ts";
import { openTranscript, type Transcript } from "./transcript.ts";
import { takeTurns } from "./turns.ts";
import { limited } from "./worktree/git.ts";
import { type Home, taskHome } from "./worktree/home.ts";

export interface Keeping {
  engine: Engine;
  /** The database's address, for the sub-agent. */
  db: string;
  delivery?: string;
  number: number;
  token: string;
  /** The hub that supervises, if one does. */
  url: string | null;
  /** Starts a hub in this process, for the sub-agent alone, and returns its address. */
  serve(): string;
  env: Record<string, string | undefined>;
  /** How a refusal that ends the task is reported. */
  spelling(): Spelling;
  /** The bus knows that this process keeps the task. */
  onKept(): void;
  /** No process of the task is left, and this process may keep another task. */
  onOver(): void;
}

/** Returns whether this process may keep another task. */
export async function keep(keeping: Keeping): Promise<boolean> {
  const { engine, number, token, db, env } = keeping;
  adoptOrphans();
  brandFor(token);
  const tasks = tasksFolder(db, env);
  const folder = taskFolder(tasks, number);
  makeOwnFolder(tasks);
  makeOwnFolder(folder);
  const self = identityOf(process.pid);
  const kept = await patiently(
    () => engine.write((tx) => keepTask(tx, number, token, { keeper: self, folder }), { repeatable: true }),
    startMs,
  );
  if (!kept) {
    keeping.onOver();
    return true;
  }
  keeping.onKept();
  const transcript = openTranscript(transcriptFile(folder));
  const tree: Tree = { mark: token, bus: withoutPassword(db), seen: new Map() };
  const interruptions = interruptionsOf(engine, { number, token });
  const guard = guardOver(keeping, kept, {
    onBeat: () => noteSeen(tree, folder),
    onInterrupt: interruptions.heard,
  });
  const meter = meterFor(keeping, guard);
  try {
    const place = { folder, programs: programFolder(tasks) };
    const home = taskHome(keeping, { row: kept.row, tree, transcript, signal: guard.signal });
    const questions = { open: 0 };
    const parts = { row: kept.row, tree, transcript, guard, meter, home, interruptions, questions };
    const begun = await work(keeping, { ...place, ...parts });
    await killBelow(tree);
    if (guard.stale()) return false;
    const usage = meter.total();
    const ending = await home.close({ ...begun, ...(usage && { usage }) });
    // Before the end is reported: a reader that sees the end finds the transcript complete.
    noteEnd(transcript, ending);
    writeEnding(folder, token, ending);
    const mayGoOn = isCleanEnd(guard, questions);
    if (mayGoOn) keeping.onOver();
    const { outcome } = await deliver(engine, number, token, ending);
    if (outcome === "again") transcript.note({ kind: "notice", text: "it is tried again" });
    return mayGoOn && outcome !== "stale";
  } finally {
    tree.over = true;
    meter.stop();
    guard.stop();
    transcript.close();
  }
}

/** Stores the child's process, for people who look; a task that ends sooner is spared the write. Recovery does not need it. */
const namingMs = 50;

/** The folder of the task's files, and the folder with our programs. */
interface Folders {
  folder: string;
  programs: string;
}

interface Kept extends Folders {
  row: TaskRow;
  tree: Tree;
  transcript: Transcript;
  guard: Guard;
  meter: Meter;
  home: Home;
  interruptions: Interruptions;
  /** [A8] Closes the sub-agent's unanswered questions. */
  questions: { open: number };
}

/** The whole life of the sub-agent: started, followed, sent back by its gate, ended on time. Never throws. */
async function work(
  keeping: Keeping,
  { row, tree, transcript, guard, meter, home, interruptions, questions, ...folders }: Kept,
): Promise<Ending> {
  const { engine, number, token: mark, env: own } = keeping;
  let limit: TimeLimit | undefined;
  let naming: Timer | undefined;
  try {
    const refused = busRefusal(keeping.db, own);
    if (refused) throw refused;
    const profiles = approvedProfiles(keeping.db, own);
    transcript.limit(profiles.maxTranscriptMib * 2 ** 20);
    const profile = chooseProfile(profiles, row.profile ?? undefined, own.PATH ?? "");
    limit = timeLimit(row, profile, guard);
    const { job, env } = await jobFor(keeping, row, profile, folders);
    const { begin } = limit;
    const cwd = await limited(guard.signal, () => home.open(profile, env, begin));
    let programs = 0;
    return await takeTurns({
      job: {
        ...job,
        cwd,
        ask: (request) => {
          questions.open++;
          const asking = { engine, task: row, profile, folder: cwd, signal: guard.signal };
          return permit(asking, request).finally(() => questions.open--);
        },
      },
      profile,
      env,
      tree,
      row,
      transcript,
      interruptions,
      meter,
      spelling: keeping.spelling,
      signal: guard.signal,
      review: reviewOf({
        ...{ engine, row, profiles, home, cwd, transcript },
        signal: guard.signal,
        path: own.PATH ?? "",
      }),
      onStart: ({ child }) => {
        if (++programs === 1) begin();
        clearTimeout(naming);
        naming = setTimeout(() => {
          noteSeen(tree, folders.folder);
          engine.write((tx) => keepTask(tx, number, mark, { child })).catch(() => {});
        }, namingMs);
      },
    });
  } catch (error) {
    if (guard.signal.aborted) return { success: false, ...(guard.signal.reason as End) };
    const { message, hint, code } = asInboxError(error).shape(keeping.spelling());
    const known = code !== "internal" && code !== "storage";
    return {
      success: false,
      error: known ? `${message}; ${hint}` : message,
      reason: "refused",
      forGood: known,
    };
  } finally {
    limit?.stop();
    clearTimeout(naming);
  }
}

async function jobFor(
  { engine, db, delivery, url, serve, token: mark, env }: Keeping,
  row: TaskRow,
  profile: Profile,
  { folder, programs }: Folders,
): Promise<{ job: Job; env: Record<string, string> }> {
  const model = row.model ?? profile.model;
  const token = await lendToken(engine, row, mark);
  // [X12] With a token it gets the address of a hub, which checks the token, and never the database, which does not.
  const hub = token === null ? url : (url ?? serve());
  const variables = identityVariables({
    name: row.name,
    parent: row.parent,
    ...(token === null ? { db, delivery } : { db: hub! }),
    thread: idOf("thread", row.thread_id!),
    task: row.name,
    url: hub,
    token,
    profile: row.profile,
    model,
    mark,
    programs,
  });
  const childEnv = {
    ...inherited(env, profile.runner),
    ...placeVariables(env),
    ...handedOn(row),
    ...profile.runner.env,
    ...variables,
  };
  childEnv.PATH = onPath(programs, childEnv.PATH);
  const session = row.follow_up === null ? null : row.session;
  const job: Job = {
    name: row.name,
    prompt: row.follow_up ?? row.prompt,
    ...(session !== null && { session }),
    ...(await spentBefore(engine, row, session)),
    model,
    instructions: profile.instructions,
    permission: row.permission ?? usualPermission(profile),
    cwd: row.cwd,
    folder,
    mcp: { command: `${programs}/inbox`, args: ["mcp"], env: variables },
  };
  return { job, env: childEnv };
}

/** [A11] What its session has counted so far, and how much of its money is left. */
async function spentBefore(
  engine: Engine,
  row: TaskRow,
  session: string | null,
): Promise<Pick<Job, "counted" | "costLeft">> {
  if (session === null && row.budget_micro_usd === null && row.parent_number === null) return {};
  const left = await engine.read(() => moneyLeft(row));
  const costLeft = left === undefined ? {} : { costLeft: left };
  if (session === null) return costLeft;
  const used = await engine.read(() => usageOf(row.task_number));
  return { ...costLeft, counted: countOf(used, session) };
}

/** A task that was pushed before tasks had this value. */
const usualPermission = ({ permission }: Profile) =>
  permission === null || permission === "inherit" ? "edit" : permission;

/** The variables that the pusher's environment had, as far as the profile names them. */
const handedOn = ({ env_json }: TaskRow): Record<string, string> =>
  env_json === null ? {} : chosen(JSON.parse(env_json), ["*"]);

/** On disk before it is told: if this process dies in between, whoever clears up delivers it. */
function writeEnding(folder: string, token: string, ending: Ending): void {
  const path = endingFile(folder);
  try {
    replaceOwn(path, JSON.stringify({ token, ending }));
  } catch {
    // The disk is full: it is reported nevertheless.
  }
}

const deliver = (engine: Engine, number: number, token: string, ending: Ending) =>
  patiently(() => engine.write((tx) => endTask(tx, number, token, ending), { repeatable: true }));

function noteEnd(transcript: Transcript, ending: Ending): void {
  if (ending.success) transcript.note({ kind: "final", text: ending.final ?? "" });
  else transcript.note({ kind: "error", text: ending.error ?? "it failed" });
}
