/**
 * [Q6] What belongs to a task, wherever it went: into another group or session, away from its parent, with its environment
 * cleared. While the task's keeper lives and adopts orphans, everything is below it. Where it has died, or the system knows no
 * adoption, it is found by the marks it left on all of them, by parentage, by the sessions these are in (a process group lies
 * within a session), and by what was seen of it before. What a process says of itself spares nobody: supervisors and the
 * keepers of other tasks are known by the program the system says they run.
 */
import { isAdopting } from "../platform/processes/brand.ts";
import type { Look, Stat, Variables } from "../platform/processes/process.ts";
import { isDead, isSameStart, lookAround } from "../platform/processes/processes.ts";
import { programWords } from "./program.ts";

/** The variable by which whatever a task started is known. */
export const markName = "INBOX_KEEPER";

/** When each process was started, by its number. */
export type Seen = Map<number, string>;

/** Whatever one task has started. */
export interface Tree {
  mark: string;
  /** The bus of that task, as command lines show it. */
  bus: string;
  /** What the last look found, where orphans are not adopted: it stays the task's when its parent ends. */
  seen?: Seen;
  /** [Q17] Nothing of it is left: what runs below its keeper from now on is the next task's. */
  over?: boolean;
}

/** The same as a number, for those that clear their environment. From 2^41 on: as microseconds, 25 days. */
export const brandOf = (mark: string) => 2 ** 41 + Number(Bun.hash(mark) % 2n ** 48n);

const nowhere = { session: 0 };

/**
 * Looks at the list of processes, one after the other. One is sure unless a process that was listed had gone by the time it
 * was looked at: that one may have started another, which was not listed yet.
 */
export class Looks {
  sure = true;
  look!: Look;
  /** Dead, or known not to be the task's: the next look has only the new ones to look at, and is over before they have gone. */
  readonly others = new Map<number, { session: number }>();
  /** In which a process of the task's was seen: it may end before the others that are found by it alone. */
  readonly sessions = new Set<number>();
  private seen = new Set<number>();
  private before = this.seen;

  begin(): void {
    this.look = lookAround();
    this.sure = true;
    this.before = this.seen;
    this.seen = new Set();
  }

  /** One that lives. */
  at(pid: number): Stat | undefined {
    this.seen.add(pid);
    const stat = this.look.stat(pid);
    if (stat && !isDead(stat)) return stat;
    if (!this.look.atOnce) this.missed(pid);
    if (stat) this.others.set(pid, nowhere);
    return undefined;
  }

  /** What the last look saw was struck: whatever it had started is listed by now. */
  missed(pid: number): void {
    this.sure &&= this.before.has(pid);
  }
}

/** Of the task that this process keeps. */
export function below(tree: Tree, looks: Looks): number[] {
  if (tree.over) return [];
  return (isAdopting() ? descendants(tree, looks) : undefined) ?? marked(tree, looks, process.pid);
}

/** Of a task whose keeper has died. */
export const left = (tree: Tree, looks: Looks): number[] => marked(tree, looks);

/** By which a program can be made to run other code than its own. */
const intruding = /^((?:LD|DYLD|BUN|NODE)_\w+)=(.*)$/s;

/**
 * Supervisors of this bus and the keepers of its other tasks may have been started from in here. They are not this task's.
 * They are known by the file that the system executes and the words it was started with: a variable anybody can set. But
 * what this one's keeper had just forked when it died looks like the keeper until it has become its program: it bears the brand.
 */
function isOther(pid: number, variables: Variables, { mark, bus }: Tree, look: Look): boolean {
  if (!variables.has("INBOX_SUPERVISOR") && !variables.has("INBOX_KEEP")) return false;
  const [, ...own] = programWords();
  const is = (command: string) => look.hasWords(pid, ["orch", ...own, command, "--db", bus]);
  if (!is("supervise") && (!is("keep") || look.isBranded(pid, brandOf(mark)))) return false;
  const executable = look.executable(pid);
  if (executable === "" || executable !== look.executable(process.pid)) return false;
  return variables.all().every((one) => {
    const [, name, value] = intruding.exec(one) ?? [];
    return name === undefined || value === (process.env[name] ?? "");
  });
}

function descendants(tree: Tree, looks: Looks): number[] | undefined {
  const { look } = looks;
  const own = look.children(process.pid);
  if (!own) return undefined;
  const found = new Set<number>();
  const todo = own;
  for (let pid = todo.pop(); pid !== undefined; pid = todo.pop()) {
    if (found.has(pid) || looks.others.has(pid) || !looks.at(pid)) continue;
    if (isOther(pid, look.variables(pid), tree, look)) continue;
    found.add(pid);
    todo.push(...(look.children(pid) ?? []));
  }
  return [...found];
}

/** By the mark or the brand; what runs below those, or below `root`; what was seen of it; and what is in their sessions. */
function marked(tree: Tree, looks: Looks, root?: number): number[] {
  const { mark, seen } = tree;
  const { look } = looks;
  const brand = brandOf(mark);
  const known = new Map<number, boolean>([[process.pid, process.pid === root]]);
  const stats = new Map<number, Stat>();
  const belongs = (pid: number): boolean => {
    if (pid <= 1 || looks.others.has(pid)) return false;
    let answer = known.get(pid);
    if (answer === undefined) {
      const stat = looks.at(pid);
      if (stat) stats.set(pid, stat);
      // A parent that ended while the others were read: what it left still names it.
      answer = stat ? ours(pid, stat) : seen?.has(pid) === true && !look.stat(pid);
      known.set(pid, answer);
    }
    return answer;
  };
  const ours = (pid: number, { parent, start, session }: Stat): boolean => {
    const variables = look.variables(pid);
    const branded = look.isBranded(pid, brand);
    if (branded === undefined) looks.missed(pid);
    const before = seen?.get(pid);
    const known = before !== undefined && isSameStart(before, start);
    if (known || branded || variables.has(markName, mark) || belongs(parent)) {
      // Asked last, for what a process executes may take another to find out.
      if (!isOther(pid, variables, tree, look)) return true;
      looks.others.set(pid, { session: 0 });
    } else if (branded !== undefined) looks.others.set(pid, { session });
    return false;
  };
  // The newest are looked at first, for they may go. The oldest are struck first: whoever sees a child end would go on.
  const pids = look
    .pids()
    .sort((a, b) => b - a)
    .filter((pid) => pid !== process.pid);
  const found = new Set(pids.filter(belongs));
  for (const pid of found) looks.sessions.add(stats.get(pid)?.session ?? 0);
  const theirs = sessionsOf(looks, found, new Set(pids));
  const shares = (pid: number) =>
    theirs.has(looks.others.get(pid)?.session ?? 0) && looks.at(pid) !== undefined;
  const all = pids.filter((pid) => found.has(pid) || shares(pid)).reverse();
  if (seen) remember(seen, all, look);
  return all;
}

function remember(seen: Seen, pids: readonly number[], look: Look): void {
  seen.clear();
  for (const pid of pids) {
    const start = look.stat(pid)?.start;
    if (start !== undefined) seen.set(pid, start);
  }
}

/**
 * A sub-agent begins a session, and nobody can enter another's: who is in one with a process of the task's is the task's. Unless
 * that session is somebody else's, who leads it and lives.
 */
function sessionsOf(looks: Looks, found: ReadonlySet<number>, all: ReadonlySet<number>): Set<number> {
  const own = looks.look.stat(process.pid)?.session;
  const isLedByAnother = (session: number) =>
    all.has(session) && !found.has(session) && looks.others.get(session) !== nowhere;
  return new Set(
    [...looks.sessions].filter((session) => session > 1 && session !== own && !isLedByAnother(session)),
  );
}
