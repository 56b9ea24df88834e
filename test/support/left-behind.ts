/**
 * Processes that a test run started and did not end: a hub of `inbox up` outlives whoever started it, and nothing runs in a test
 * process that was killed. Children bear the number of their test process; a run ends its own when it exits, and at its
 * start those of runs that are gone.
 */
import { readdirSync, readFileSync } from "node:fs";

const mark = "RESTANTE_TEST_RUN";

export const runMark = (): Record<string, string> => ({ [mark]: String(process.pid) });

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** The test process that started a process; undefined for one that none did, or that belongs to another user. */
function runOf(pid: number): number | undefined {
  try {
    const found = new RegExp(`(?:^|\0)${mark}=(\\d+)\0`).exec(readFileSync(`/proc/${pid}/environ`, "latin1"));
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
}

function endThoseOf(wanted: (run: number) => boolean): void {
  if (process.platform !== "linux") return;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const run = runOf(pid);
    if (run === undefined || !wanted(run)) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

export const endLeftByKilledRuns = () => endThoseOf((run) => !isAlive(run));

export function endWhatIsLeft(): void {
  endLeftByKilledRuns();
  process.on("exit", () => endThoseOf((run) => run === process.pid));
}
