/** [Q7] Tasks whose keeper has died: what is left of them is cleared away, and their end is told or they are tried again. */
import { type Ending, endTask } from "../bus/procedures/task-end.ts";
import { keepSeconds, lapsedTasks, takeOver, unstart } from "../bus/procedures/task-keep.ts";
import type { TaskRow } from "../bus/task.ts";
import type { Engine } from "../engines/engine.ts";
import { fs } from "../system.ts";
import { endingFile, transcriptFile } from "./place.ts";
import { bootId, killTree, lives } from "./processes.ts";
import { readTranscript } from "./transcript.ts";

/** A keeper that runs and yet is silent for longer stands still: it is killed. Another host's is given up. */
const silenceMs = 60_000;
const partialLimit = 16 * 1024;

export async function recover(engine: Engine, host: string): Promise<void> {
  const { rows, now } = await engine.read((tx) => lapsedTasks(tx));
  for (const row of rows) {
    const silentMs = Date.parse(now) - Date.parse(row.leased_until!) + keepSeconds * 1000;
    const elsewhere = row.host !== host;
    if ((elsewhere || lives(row.keeper)) && silentMs < silenceMs) continue;
    const token = await engine.write((tx) => takeOver(tx, row, row.host ?? host));
    if (token === undefined) continue;
    if (elsewhere) await engine.write((tx) => endTask(tx, row.task_number, token, lost(row)));
    else await clearUp(engine, row, token);
  }
}

async function clearUp(engine: Engine, row: TaskRow, token: string): Promise<void> {
  const { task_number: number } = row;
  if (row.keeper !== null) endKeeper(row.keeper);
  await killTree(row.keeper_token!, row.child);
  // Marked as started by one that died before it had started anything.
  if (row.keeper === null) return engine.write((tx) => unstart(tx, number, token));
  const ending = endingLeft(row) ?? lost(row);
  await engine.write((tx) => endTask(tx, number, token, ending));
}

function endKeeper(keeper: string): void {
  if (!lives(keeper)) return;
  try {
    process.kill(Number(keeper.split(":", 1)[0]), "SIGKILL");
  } catch {
    // It was faster.
  }
}

/** What the keeper had written down before it could tell. */
function endingLeft({ folder, keeper_token }: TaskRow): Ending | undefined {
  if (folder === null) return undefined;
  try {
    const left = JSON.parse(fs().readFileSync(endingFile(folder), "utf8")) as {
      token: string;
      ending: Ending;
    };
    return left.token === keeper_token ? left.ending : undefined;
  } catch {
    return undefined;
  }
}

function lost(row: TaskRow): Ending {
  const rebooted = row.keeper !== null && row.keeper.split(":")[2] !== bootId();
  const why = rebooted
    ? "it was lost when the machine was restarted"
    : `it was lost: the process that kept it on ${row.host} has died`;
  return { success: false, error: why, partial: outputLeft(row) };
}

/** The end of what it had written, out of its transcript. */
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
