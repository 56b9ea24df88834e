/** What Linux knows about running processes: processor time, memory, how busy the machine is. */
import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds of processor time of a process's threads so far; finer than the ticks of /proc/PID/stat. */
export function cpuMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return nanoseconds / 1e6;
}

export interface Memory {
  /** Resident and its own alone, MiB. */
  own: number;
  /** Its own and its share of what several processes map, MiB. */
  proportional: number;
}

export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB`, "m").exec(text)?.[1] ?? 0) / 1024;
  return { own: field("Private_Clean") + field("Private_Dirty"), proportional: field("Pss") };
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

/** Waits, not for ever, until nobody else uses the machine; answers how busy it was at last. */
export async function quiet(patienceMs = 60_000): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const share = await busyShare(1000);
    if (share < 0.05 || performance.now() > deadline) return share;
  }
}
