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

export interface Found {
  pid: number;
  command: string;
  environment: string;
}

/** Those whose command or environment names this bus, which is nobody else's: keepers, supervisors, sub-agents, our own. */
export function processesOf(db: string): Found[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .flatMap((pid) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8").replaceAll("\0", " ");
        const found = { pid, command: read("cmdline"), environment: read("environ") };
        return `${found.command} ${found.environment} `.includes(db) ? [found] : [];
      } catch {
        return []; // it has ended, or is another user's
      }
    });
}

/** What runs a task: its keeper, a supervisor that is no hub, the sub-agent and what that has started. */
export const runsTasks = ({ command, environment }: Found) =>
  !command.includes("-driver.ts") &&
  (/ (keep|supervise) /.test(command) || environment.includes("INBOX_TASK="));
