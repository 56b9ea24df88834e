/** What Linux knows about running processes: processor time, memory, how busy the machine is. */
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of processor time of a process's threads so far; finer than the ticks of /proc/PID/stat. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return nanoseconds / 1e6;
}

/** The share of a core a process needs, over some time; in ticks, for those count threads that have ended since. */
export async function coreShare(pid: number, overMs: number): Promise<number> {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  const [before, started] = [ticks(), performance.now()];
  await Bun.sleep(overMs);
  return ((ticks() - before) * 10) / (performance.now() - started);
}

/** Its own memory and its share of what several processes map (PSS), MiB. */
export function memoryOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss: +(\d+) kB/m.exec(text)?.[1] ?? Number.NaN) / 1024;
}

/** All memory of a process that is in use (RSS), KiB. */
export function residentOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN);
}

function machineTicks(): { busy: number; all: number } {
  const fields = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]!.split(/ +/).slice(1, 9).map(Number);
  const all = fields.reduce((total, ticks) => total + ticks, 0);
  return { busy: all - fields[3]! - fields[4]!, all };
}

/** The share of the whole machine that is busy, over some time. */
export async function busyShare(overMs: number): Promise<number> {
  const before = machineTicks();
  await Bun.sleep(overMs);
  const after = machineTicks();
  return (after.busy - before.busy) / Math.max(1, after.all - before.all);
}

/** Waits, not for ever, until nobody else has used the machine for three seconds; answers how busy it was at last. */
export async function quiet(patienceMs = 30_000): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (let calm = 0; ; ) {
    const share = await busyShare(1000);
    calm = share < 0.05 ? calm + 1 : 0;
    if (calm === 3 || performance.now() > deadline) return share;
  }
}
