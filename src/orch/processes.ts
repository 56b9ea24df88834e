/**
 * Processes as the system knows them. A pid alone is nobody: it is given again. So one is written `pid:start:boot`, and it
 * lives only if a process with that pid was started at that time since that boot, and is no zombie.
 */
import { dlopen } from "bun:ffi";
import { fs } from "../system.ts";

interface Stat {
  state: string;
  parent: number;
  start: string;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = fs().readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name is in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0]!, parent: Number(fields[1]), start: fields[19]! };
  } catch {
    return undefined;
  }
}

let boot: string | undefined;

export function bootId(): string {
  boot ??= read("/proc/sys/kernel/random/boot_id") || "unknown";
  return boot;
}

function read(path: string): string {
  try {
    return fs().readFileSync(path, "latin1").trim();
  } catch {
    return "";
  }
}

export const identityOf = (pid: number) => `${pid}:${statOf(pid)?.start ?? ""}:${bootId()}`;

export function lives(identity: string | null): boolean {
  if (identity === null) return false;
  const [pid, start, since] = identity.split(":");
  if (since !== bootId()) return false;
  const stat = statOf(Number(pid));
  return stat !== undefined && stat.start === start && stat.state !== "Z" && stat.state !== "X";
}

/** Orphans below this process become its children instead of init's: none gets out of sight. */
export function adoptOrphans(): void {
  if (process.platform !== "linux") return;
  try {
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
    });
    symbols.prctl(36, 1, 0, 0, 0); // PR_SET_CHILD_SUBREAPER
  } catch {
    // Another C library: what a child leaves is found by its mark.
  }
}

/** The variable by which whatever a task started is known, wherever it went. */
export const markName = "INBOX_KEEPER";

const everyPid = () =>
  fs()
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Everything that runs below a process or bears the mark, without the process itself. */
function belonging(below: number | undefined, mark: string): number[] {
  const stats = new Map<number, Stat>();
  for (const pid of everyPid()) {
    const stat = statOf(pid);
    if (stat && stat.state !== "Z" && stat.state !== "X") stats.set(pid, stat);
  }
  const found = new Set<number>();
  const isBelow = (pid: number): boolean => {
    for (let at = stats.get(pid)?.parent; at !== undefined && at > 1; at = stats.get(at)?.parent)
      if (at === below) return true;
    return false;
  };
  for (const pid of stats.keys()) {
    if (pid === process.pid) continue;
    if ((below !== undefined && isBelow(pid)) || bears(pid, mark)) found.add(pid);
  }
  return [...found];
}

const bears = (pid: number, mark: string) =>
  `\u0000${read(`/proc/${pid}/environ`)}\u0000`.includes(`\u0000${markName}=${mark}\u0000`);

/** A process that was killed is gone within this; one that is not waits for a disk, and nobody can do more. */
const patienceMs = 3000;

/**
 * Kills everything that belongs to a task, until nothing is left: its group, what runs below this process, and
 * what bears its mark. A process may start another while it is being killed, so it is looked again.
 */
export async function killTree(mark: string, child?: string | null, below?: number): Promise<number> {
  const end = performance.now() + patienceMs;
  let killed = 0;
  if (child && lives(child)) signal(-Number(child.split(":", 1)[0]));
  for (;;) {
    const left = belonging(below, mark);
    if (!left.length || performance.now() > end) return killed;
    for (const pid of left) if (signal(pid)) killed++;
    await Bun.sleep(4);
  }
}

function signal(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false; // it was faster
  }
}
