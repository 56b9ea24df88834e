/**
 * Processes that a test run started and did not end: a hub of `inbox up` outlives whoever started it, and nothing runs in a test
 * process that was killed. Children bear the number of their test process. A test process ends those of runs that are gone when
 * it begins, and its own when it exits; but workers of `bun test --parallel` have no exit event, so whoever has started the
 * run looks once more when it is over (scripts/with-servers.ts, scripts/ending-all.ts).
 */
import { readdirSync, readFileSync } from "node:fs";

const mark = "RESTANTE_TEST_RUN";

export const runMark = (): Record<string, string> => ({ [mark]: String(process.pid) });

/** One that has ended, and of whose end nobody has taken note yet, does not count. */
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
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

/** Answers with their numbers. */
function endThoseOf(wanted: (run: number) => boolean): number[] {
  const ended: number[] = [];
  if (process.platform !== "linux") return ended;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const run = runOf(pid);
    if (run === undefined || !wanted(run)) continue;
    try {
      process.kill(pid, "SIGKILL");
      ended.push(pid);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ended;
}

export const endLeftByKilledRuns = () => endThoseOf((run) => !isAlive(run));

/** Also what those had started that are ended now. Answers with how many there were. */
export async function endAllLeftByKilledRuns(): Promise<number> {
  let all = 0;
  for (let ended = endLeftByKilledRuns(); ended.length; ended = endLeftByKilledRuns()) {
    all += ended.length;
    while (ended.some(isAlive)) await Bun.sleep(5);
  }
  return all;
}

export function endWhatIsLeft(): void {
  // Also for those that a test starts with its own environment.
  Object.assign(process.env, runMark());
  endLeftByKilledRuns();
  process.on("exit", () => endThoseOf((run) => run === process.pid));
}
