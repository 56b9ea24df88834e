/**
 * [Q6] Which processes belong to a task, even if they are in another group or session, have lost their parent, or
 * have cleared their environment. While the task's keeper lives and adopts orphans, all of them are below it. If it
 * has died, or the system has no adoption, they are found by the marks on them, by parentage, by the sessions these
 * are in (a process group lies within a session), and by what was seen of the task before. What a process says about
 * itself protects it from nothing: supervisors and the keepers of other tasks are recognised by the program that the
 * system says they run.
 */
import { isAdopting } from "../platform/processes/brand.ts";
import type { Look, Stat, Variables } from "../platform/processes/process.ts";
import { isDead, isSameStart, lookAround } from "../platform/processes/processes.ts";
import { programWords } from "./program.ts";

/** The variable that marks everything a task has started. */
export const markName = "INBOX_KEEPER";

/** The start time of each process, by its number. */
export type Seen = Map<number, string>;

/** Whatever one task has started. */
export interface Tree {
  mark: string;
  /** The bus of that task, as command lines show it. */
  bus: string;
  /** The processes found by the last look, if orphans are not adopted: they still belong to the task when their parent exits. */
  seen?: Seen;
  /** [Q17] Nothing of it is left: processes below its keeper from now on belong to the next task. */
  over?: boolean;
}

/** The same mark as a number, for processes that clear their environment. From 2^41 on: as microseconds, 25 days. */
export const brandOf = (mark: string) => 2 ** 41 + Number(Bun.hash(mark) % 2n ** 48n);

const nowhere = { session: 0 };

/**
 * Looks at the list of processes repeatedly. A look is certain unless a process that was listed had exited before it
 * was examined: it may have started another one, which was not listed yet.
 */
export class Looks {
  sure = true;
  look!: Look;
  /**
   * Processes that are dead, or known not to belong to the task: the next look examines only new ones, and is done
   * before they exit.
   */
  readonly others = new Map<number, { session: number }>();
  /** Sessions in which a process of the task was seen: it may exit before others that can be found only by it. */
  readonly sessions = new Set<number>();
  private seen = new Set<number>();
  private before = this.seen;

  begin(): void {
    this.look = lookAround();
    this.sure = true;
    this.before = this.seen;
    this.seen = new Set();
  }

  /** A process that is alive. */
  at(pid: number): Stat | undefined {
    this.seen.add(pid);
    const stat = this.look.stat(pid);
    if (stat && !isDead(stat)) return stat;
    if (!this.look.atOnce) this.missed(pid);
    if (stat) this.others.set(pid, nowhere);
    return undefined;
  }

  /** The processes found by the last look were killed: everything they had started is listed by now. */
  missed(pid: number): void {
    this.sure &&= this.before.has(pid);
  }
}

/** For the task that this process keeps. */
export function below(tree: Tree, looks: Looks): number[] {
  if (tree.over) return [];
  return (isAdopting() ? descendants(tree, looks) : undefined) ?? marked(tree, looks, process.pid);
}

/** For a task whose keeper has died. */
export const left = (tree: Tree, looks: Looks): number[] => marked(tree, looks);

/** Variables by which a program can be made to run other code than its own. */
const intruding = /^((?:LD|DYLD|BUN|NODE)_\w+)=(.*)$/s;

/**
 * Supervisors of this bus and the keepers of its other tasks may have been started from within this task, but do not
 * belong to it. They are recognised by the file that the system executes and the arguments it was started with: any
 * process can set a variable. But a process that this task's keeper had just forked when it died looks like the
 * keeper until it has executed its program: it has the brand.
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

/** Processes with the mark or the brand, those below these or below `root`, those seen before, and those in their sessions. */
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
      // A parent that exited while the others were read: its children still name it.
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
      // Checked last: finding out what a process executes may need another process.
      if (!isOther(pid, variables, tree, look)) return true;
      looks.others.set(pid, { session: 0 });
    } else if (branded !== undefined) looks.others.set(pid, { session });
    return false;
  };
  // The newest are examined first, because they may exit soon. The oldest are killed first: a parent that sees a
  // child end would continue.
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
 * A sub-agent starts a new session, and no process can enter an existing one. So a process in the session of a task's
 * process belongs to the task, unless the session's leader is alive and belongs to something else.
 */
function sessionsOf(looks: Looks, found: ReadonlySet<number>, all: ReadonlySet<number>): Set<number> {
  const own = looks.look.stat(process.pid)?.session;
  const isLedByAnother = (session: number) =>
    all.has(session) && !found.has(session) && looks.others.get(session) !== nowhere;
  return new Set(
    [...looks.sessions].filter((session) => session > 1 && session !== own && !isLedByAnother(session)),
  );
}
