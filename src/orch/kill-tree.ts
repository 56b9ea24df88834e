/**
 * [Q6] Ends whatever a task has started, wherever it went: into another group or session, away from its parent, with
 * its environment cleared. While the task's keeper lives everything is below it, because it adopts orphans. Where the
 * keeper has died, it is found by the marks it left on all of them.
 */
import { fs } from "../system.ts";
import { isDead, readText, type Stat, statOf } from "./processes.ts";
import { brandSelf, reap } from "./system-calls.ts";

/** The variable by which whatever a task started is known. */
export const markName = "INBOX_KEEPER";

/** The same as a number, for those that clear their environment. From 2^41 on: as microseconds, 25 days. */
const brandOf = (mark: string) => 2 ** 41 + Number(Bun.hash(mark) % 2n ** 48n);

/** From now on whatever this process starts bears the mark, in a way that cannot be taken off by accident. */
export const brandFor = (mark: string) => brandSelf(brandOf(mark));

/** A process that was killed is gone within this; one that is not waits for a disk, and nobody can do more. */
const patienceMs = 3000;

/** All that runs below this process, and again what that has started meanwhile, until nothing is left. */
export const killBelow = (mark: string) => killAll(() => descendants() ?? marked(mark, process.pid));

/** What a keeper that has died left behind. */
export const killLeft = (mark: string) => killAll(() => marked(mark));

async function killAll(find: () => number[]): Promise<void> {
  const end = performance.now() + patienceMs;
  const struck = new Set<number>();
  for (let pause = 1, empty = 0; performance.now() < end; ) {
    const left = find();
    // A list that is read while processes end may miss one: after a kill it has to be empty twice.
    if (!left.length && (struck.size === 0 || ++empty === 2)) return;
    const fresh = left.filter((pid) => !struck.has(pid));
    for (const pid of left) {
      strike(pid);
      struck.add(pid);
    }
    // Those just found may have started others: there is no time to lose.
    if (fresh.length || !left.length) continue;
    empty = 0;
    await Bun.sleep(pause);
    pause = Math.min(16, pause * 2);
  }
}

function strike(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was faster.
  }
}

/** Supervisors and the keepers of other tasks may have been started from in here. They are not this task's. */
function isOther(pid: number): boolean {
  const environment = `\u0000${readText(`/proc/${pid}/environ`)}`;
  return environment.includes("\u0000INBOX_SUPERVISOR=") || environment.includes("\u0000INBOX_KEEP=");
}

/** Undefined where the system keeps no lists of children. */
function childrenOf(pid: number): number[] | undefined {
  const folder = `/proc/${pid}/task`;
  try {
    return fs()
      .readdirSync(folder)
      .flatMap((thread) => fs().readFileSync(`${folder}/${thread}/children`, "latin1").split(" "))
      .filter((word) => word !== "")
      .map(Number);
  } catch {
    return pid === process.pid ? undefined : [];
  }
}

function descendants(): number[] | undefined {
  const own = childrenOf(process.pid);
  if (!own) return undefined;
  const found = new Set<number>();
  const todo = own;
  for (let pid = todo.pop(); pid !== undefined; pid = todo.pop()) {
    const stat = found.has(pid) ? undefined : statOf(pid);
    if (!stat || isDead(stat) || isOther(pid)) continue;
    found.add(pid);
    todo.push(...(childrenOf(pid) ?? []));
  }
  return [...found];
}

/** Adopted children that have ended would stay as zombies for as long as we live. */
export function reapAdopted(own: ReadonlySet<number>): void {
  for (const pid of childrenOf(process.pid) ?? []) {
    if (own.has(pid)) continue;
    const stat = statOf(pid);
    if (stat && isDead(stat)) reap(pid);
  }
}

/** By the mark or the brand; and what runs below those, or below `root`. */
function marked(mark: string, root?: number): number[] {
  const stats = new Map<number, Stat>();
  for (const name of fs().readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat && !isDead(stat)) stats.set(Number(name), stat);
  }
  const known = new Map<number, boolean>([[process.pid, process.pid === root]]);
  const belongs = (pid: number): boolean => {
    const stat = stats.get(pid);
    let answer = known.get(pid);
    if (answer === undefined) {
      answer = stat !== undefined && pid > 1 && !isOther(pid) && (bears(pid, mark) || belongs(stat.parent));
      known.set(pid, answer);
    }
    return answer;
  };
  return [...stats.keys()].filter((pid) => pid !== process.pid && belongs(pid));
}

const bears = (pid: number, mark: string) =>
  `\u0000${readText(`/proc/${pid}/environ`)}`.includes(`\u0000${markName}=${mark}\u0000`) ||
  new RegExp(`^Max realtime timeout +${brandOf(mark)} `, "m").test(readText(`/proc/${pid}/limits`));
