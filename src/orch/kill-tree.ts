/**
 * [Q6] Ends whatever a task has started, wherever it went: into another group or session, away from its parent, with
 * its environment cleared. While the task's keeper lives everything is below it, because it adopts orphans. Where the
 * keeper has died, it is found by the marks it left on all of them, by parentage, and by the sessions these are in (a
 * process group lies within a session). What a process says of itself spares nobody: supervisors and the keepers of other
 * tasks are known by the program the system says they run.
 */
import { sleep } from "../platform/runtime.ts";
import { fs } from "../platform/system.ts";
import { isDead, readLink, readText, type Stat, statOf } from "./processes.ts";
import { programWords } from "./program.ts";
import { brandSelf, reap } from "./system-calls.ts";

/** The variable by which whatever a task started is known. */
export const markName = "INBOX_KEEPER";

/** Whatever one task has started. */
export interface Tree {
  mark: string;
  /** The bus of that task, as command lines show it. */
  bus: string;
}

/** The same as a number, for those that clear their environment. From 2^41 on: as microseconds, 25 days. */
const brandOf = (mark: string) => 2 ** 41 + Number(Bun.hash(mark) % 2n ** 48n);

/** From now on whatever this process starts bears the mark, in a way that cannot be taken off by accident. */
export const brandFor = (mark: string) => brandSelf(brandOf(mark));

/** A process that was killed is gone within this; one that is not waits for a disk, and nobody can do more. */
const killWaitMs = 3000;
/** On a machine where processes come and go all the time no look is sure; after this one that found nothing will do. */
const unsureMs = 1000;

/** All that runs below this process, and again what that has started meanwhile, until nothing is left. */
export const killBelow = (tree: Tree) =>
  killAll((looks) => descendants(tree, looks) ?? marked(tree, looks, process.pid));

/** What a keeper that has died left behind. */
export const killLeft = (tree: Tree) => killAll((looks) => marked(tree, looks));

const nowhere = { session: 0 };

/**
 * Looks at the list of processes, one after the other. One is sure unless a process that was listed had gone by the time it
 * was looked at: that one may have started another, which was not listed yet.
 */
class Looks {
  sure = true;
  /** Dead, or known not to be the task's: the next look has only the new ones to look at, and is over before they have gone. */
  readonly others = new Map<number, { session: number }>();
  /** In which a process of the task's was seen: it may end before the others that are found by it alone. */
  readonly sessions = new Set<number>();
  private seen = new Set<number>();
  private before = this.seen;

  begin(): void {
    this.sure = true;
    this.before = this.seen;
    this.seen = new Set();
  }

  /** One that lives. */
  at(pid: number): Stat | undefined {
    this.seen.add(pid);
    const stat = statOf(pid);
    if (stat && !isDead(stat)) return stat;
    this.missed(pid);
    if (stat) this.others.set(pid, nowhere);
    return undefined;
  }

  /** What the last look saw was struck: whatever it had started is listed by now. */
  missed(pid: number): void {
    this.sure &&= this.before.has(pid);
  }
}

async function killAll(find: (looks: Looks) => number[]): Promise<void> {
  const begin = performance.now();
  const struck = new Set<number>();
  const looks = new Looks();
  for (let pause = 1, empty = 0, gone = 0; gone < killWaitMs; gone = performance.now() - begin) {
    looks.begin();
    const left = find(looks);
    if (!left.length) {
      // After a kill it has to be empty twice.
      if ((looks.sure || gone > unsureMs) && ++empty >= (struck.size ? 2 : 1)) return;
      continue;
    }
    empty = 0;
    const fresh = left.some((pid) => !struck.has(pid));
    for (const pid of left) {
      strike(pid);
      struck.add(pid);
    }
    // Those just found may have started others: there is no time to lose.
    if (fresh) continue;
    await sleep(pause);
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

/** By which a program can be made to run other code than its own. */
const intruding = /^((?:LD|BUN|NODE)_\w+)=(.*)$/s;

/**
 * Supervisors of this bus and the keepers of its other tasks may have been started from in here. They are not this task's.
 * They are known by the file that the system executes and the words it was started with: a variable anybody can set. But
 * what this one's keeper had just forked when it died looks like the keeper until it has become its program.
 */
function isOther(pid: number, environment: string, { mark, bus }: Tree): boolean {
  if (environment.includes(`\u0000INBOX_KEEP=${mark}\u0000`)) return false;
  const variables = environment.split("\u0000");
  if (!variables.some((one) => /^INBOX_(SUPERVISOR|KEEP)=/.test(one))) return false;
  const [, ...words] = readText(`/proc/${pid}/cmdline`, "utf8").split("\u0000");
  const [, ...own] = programWords();
  const [command, flag, place] = words.splice(own.length);
  const said = (command === "supervise" || command === "keep") && flag === "--db" && place === bus;
  if (!said || own.some((word, i) => words[i] !== word)) return false;
  if (executable(pid) !== executable(process.pid)) return false;
  return variables.every((one) => {
    const [, name, value] = intruding.exec(one) ?? [];
    return name === undefined || value === (process.env[name] ?? "");
  });
}

/** A program that was replaced while it runs is still ours. */
const executable = (pid: number) => readLink(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");

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

function descendants(tree: Tree, looks: Looks): number[] | undefined {
  const own = childrenOf(process.pid);
  if (!own) return undefined;
  const found = new Set<number>();
  const todo = own;
  for (let pid = todo.pop(); pid !== undefined; pid = todo.pop()) {
    if (found.has(pid) || looks.others.has(pid) || !looks.at(pid)) continue;
    if (isOther(pid, environmentOf(pid), tree)) continue;
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

/** By the mark or the brand; what runs below those, or below `root`; and what is in their sessions. */
function marked(tree: Tree, looks: Looks, root?: number): number[] {
  const { mark } = tree;
  const known = new Map<number, boolean>([[process.pid, process.pid === root]]);
  const sessions = new Map<number, number>();
  const belongs = (pid: number): boolean => {
    if (pid <= 1 || looks.others.has(pid)) return false;
    let answer = known.get(pid);
    if (answer === undefined) {
      const stat = looks.at(pid);
      if (stat) sessions.set(pid, stat.session);
      answer = stat !== undefined && ours(pid, stat);
      known.set(pid, answer);
    }
    return answer;
  };
  const ours = (pid: number, { parent, session }: Stat): boolean => {
    const environment = environmentOf(pid);
    if (isOther(pid, environment, tree)) sessions.set(pid, 0);
    else {
      const limits = readText(`/proc/${pid}/limits`);
      if (limits === "") looks.missed(pid);
      if (isBranded(limits, mark) || isMarked(environment, mark) || belongs(parent)) return true;
      if (limits === "") return false;
    }
    looks.others.set(pid, { session: sessions.get(pid) ?? session });
    return false;
  };
  // The newest are looked at first, for they may go. The oldest are struck first: whoever sees a child end would go on.
  const all = fs()
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name));
  const pids = all
    .map(Number)
    .sort((a, b) => b - a)
    .filter((pid) => pid !== process.pid);
  const found = new Set(pids.filter(belongs));
  for (const pid of found) looks.sessions.add(sessions.get(pid) ?? 0);
  const theirs = sessionsOf(looks, found, new Set(pids));
  const shares = (pid: number) =>
    theirs.has(looks.others.get(pid)?.session ?? 0) && looks.at(pid) !== undefined;
  return pids.filter((pid) => found.has(pid) || shares(pid)).reverse();
}

/**
 * A sub-agent begins a session, and nobody can enter another's: who is in one with a process of the task's is the task's. Unless
 * that session is somebody else's, who leads it and lives.
 */
function sessionsOf(looks: Looks, found: ReadonlySet<number>, all: ReadonlySet<number>): Set<number> {
  const own = statOf(process.pid)?.session;
  const isLedByAnother = (session: number) =>
    all.has(session) && !found.has(session) && looks.others.get(session) !== nowhere;
  return new Set(
    [...looks.sessions].filter((session) => session > 1 && session !== own && !isLedByAnother(session)),
  );
}

const isBranded = (limits: string, mark: string) =>
  limits.includes(`\nMax realtime timeout      ${brandOf(mark)} `);

const isMarked = (environment: string, mark: string) =>
  environment.includes(`\u0000${markName}=${mark}\u0000`);

/** Each variable between two zeros. */
const environmentOf = (pid: number) => `\u0000${readText(`/proc/${pid}/environ`)}\u0000`;
