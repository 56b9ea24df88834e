/** [Q7] Tasks whose keeper has died: their processes are killed, and their end is reported or they are retried. */

import { markOf, type TaskRow } from "../bus/task.ts";
import { type Ending, endTask, killedBy } from "../bus/tasks/end.ts";
import { type KeptTask, keptTasks, takeOver, unstart } from "../bus/tasks/keep.ts";
import { worktreeOf } from "../bus/worktree.ts";
import { asInboxError } from "../contract/errors.ts";
import type { Engine } from "../engines/engine.ts";
import { readOwn } from "../platform/own-files.ts";
import { isOfThisBoot, isStopped, lives, livesNow, pidIn } from "../platform/processes/processes.ts";
import { fs } from "../platform/system.ts";
import { killLeft } from "./kill-tree.ts";
import { endingFile, transcriptFile } from "./paths.ts";
import { seenIn } from "./seen.ts";
import { readTranscript } from "./transcript.ts";
import { closeWorktree } from "./worktree/close.ts";
import { limited } from "./worktree/git.ts";
import { pathFor } from "./worktree/make.ts";

/**
 * A keeper that runs but is silent for longer, while the database is available and we are looking, is stuck: it is
 * killed. One on another host is given up. Measured by our own clock: neither a machine that slept nor a database
 * that was unavailable counts.
 */
const graceMs = 45_000;
const partialLimit = 16 * 1024;

/** How a keeper that we started has ended: by a signal, or by itself with an error message. */
export type Death = { complaint?: string };

/** `hold`: renews the supervisor's lease; false if another process has it. */
export type Recover = (deaths: ReadonlyMap<string, Death>, hold: () => Promise<boolean>) => Promise<void>;

interface Supervised {
  engine: Engine;
  host: string;
  bus: string;
  /** The folder of the bus's worktrees, and the files that a profile shares with them; undefined if it is not known. */
  worktrees: string;
  shareOf(profile: string | null): readonly string[] | undefined;
}

export function recovery(supervised: Supervised, isStarting: (token: string) => boolean): Recover {
  const { engine, host } = supervised;
  const silentSince = new Map<string, number>();

  function verdict(task: KeptTask, isDead: (task: KeptTask) => boolean): "dead" | "silent" | "lives" {
    const { host: where, keeper, keeper_token: token, lapsed } = task;
    if (isDead(task)) return "dead";
    if (!lapsed) return "lives";
    const begins = keeper === null && isStarting(token!);
    if (where === host && !begins && (keeper === null || isStopped(keeper))) return "silent";
    if (!silentSince.has(token!)) silentSince.set(token!, performance.now());
    return performance.now() - silentSince.get(token!)! > graceMs ? "silent" : "lives";
  }

  return async (deaths, hold) => {
    const kept = await engine.read((tx) => keptTasks(tx));
    const lapsed = new Set(kept.filter((task) => task.lapsed).map((task) => task.keeper_token!));
    for (const token of silentSince.keys()) if (!lapsed.has(token)) silentSince.delete(token);
    const isAlive = livesNow();
    const isDead = ({ host: where, keeper, keeper_token }: KeptTask) =>
      deaths.has(keeper_token!) || (where === host && keeper !== null && !isAlive(keeper));
    for (const task of kept) {
      const found = verdict(task, isDead);
      if (found === "lives") continue;
      const row = await engine.write((tx) => takeOver(tx, task, found === "dead"));
      if (!row) continue;
      await clearUp(supervised, row, deaths.get(task.keeper_token!));
      // Recovering many lost tasks may take longer than the supervisor's lease.
      if (!(await hold())) return;
    }
  };
}

async function clearUp(supervised: Supervised, row: TaskRow, death: Death | undefined): Promise<void> {
  const { engine, host, bus } = supervised;
  const { task_number: number, keeper_token: token } = row;
  const end = (ending: Ending) => engine.write((tx) => endTask(tx, number, token!, ending));
  if (row.host !== host) return void (await end(lost(row)));
  if (row.keeper !== null) endKeeper(row.keeper);
  if (row.keeper === null || isOfThisBoot(row.keeper))
    await killLeft({ mark: markOf(token!), bus, seen: seenIn(row.folder) });
  if (row.keeper === null && death?.complaint === undefined) {
    // It was marked as started, and the process that should have kept it was killed before it began.
    return engine.write((tx) => unstart(tx, number, token!));
  }
  const ending = endingLeft(row) ?? {
    ...lost(row, death?.complaint),
    ...(await changesLeft(supervised, row)),
  };
  try {
    await end(ending);
  } catch (error) {
    const { code, message } = asInboxError(error);
    if (code === "storage" || code === "busy") throw error;
    // What it left cannot be reported as it is; its end can.
    const told = `its result could not be delivered: ${message}`;
    await end({ success: false, error: told, reason: "lost", forGood: true });
  }
}

/** The tasks of all agents wait meanwhile. */
const changesMs = 5000;

/** [A1] What is in its worktree, as its keeper would have reported it. */
async function changesLeft(
  { engine, worktrees, shareOf }: Supervised,
  row: TaskRow,
): Promise<Pick<Ending, "changed" | "notices">> {
  const made = await engine.read(() => worktreeOf(row.task_number));
  const share = shareOf(row.profile);
  if (!share || made?.state !== "kept" || made.branch === null || made.path !== pathFor(row, worktrees))
    return {};
  const worktree = { ...made, branch: made.branch, path: made.path };
  const over = AbortSignal.timeout(changesMs);
  const closed = await limited(over, () => closeWorktree(row, worktree, share));
  if (closed.changed || !over.aborted) return closed;
  return {
    notices: [
      `What it has changed was not read within ${changesMs / 1000} seconds. Its worktree ${made.path} was kept.`,
    ],
  };
}

function endKeeper(keeper: string): void {
  if (!lives(keeper)) return;
  try {
    process.kill(pidIn(keeper), "SIGKILL");
  } catch {
    // It has already exited.
  }
}

/** The outcome that the keeper had written to disk before it could report it. */
function endingLeft({ folder, keeper_token }: TaskRow): Ending | undefined {
  if (folder === null) return undefined;
  try {
    const left = JSON.parse(readOwn(endingFile(folder)) ?? "") as {
      token: string;
      ending: Ending;
    };
    return left.token === markOf(keeper_token!) ? left.ending : undefined;
  } catch {
    return undefined;
  }
}

function lost(row: TaskRow, complaint?: string): Ending {
  return {
    success: false,
    error: row.killed_by === null ? whyLost(row, complaint) : killedBy(row),
    reason: row.killed_by === null ? "lost" : "killed",
    partial: outputLeft(row),
  };
}

function whyLost({ keeper, host }: TaskRow, complaint?: string): string {
  if (keeper !== null && !isOfThisBoot(keeper)) return "it was lost when the machine restarted";
  return `it was lost: its keeper process on ${host} died${complaint ? `: ${complaint}` : ""}`;
}

/** The end of its output, from its transcript. */
function outputLeft({ folder }: TaskRow): string {
  if (folder === null) return "";
  const path = transcriptFile(folder);
  let size = 0;
  try {
    size = fs().statSync(path).size;
  } catch {
    return "";
  }
  const { entries } = readTranscript(path, Math.max(0, size - 4 * partialLimit), 1000);
  return entries
    .filter(({ kind }) => kind === "output")
    .map(({ text }) => text)
    .join("")
    .slice(-partialLimit)
    .toWellFormed();
}
