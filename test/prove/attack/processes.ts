/** Processes and whose children they are. */
import { readdirSync, readFileSync } from "node:fs";

export function parentOf(pid: number): number | undefined {
  try {
    // The name is in brackets and may have spaces in it.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined; // it has ended
  }
}

export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((one) => one > 0 && parentOf(one) === pid);
}

/** Says nothing where it has ended. */
export function signal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // gone
  }
}
