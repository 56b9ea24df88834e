/**
 * Calls that must have rows which another transaction has locked. A transaction that is shared does not wait for them: it has
 * locks of many callers. So such a call is taken out of it, and put into a line, by the name of what it waits for. The calls of a
 * line share a transaction, which a lane runs. A process has few lanes, as each takes a connection while it waits.
 */
import { mostSharers } from "./context.ts";
import { isLocked } from "./errors.ts";
import { Resting } from "./resting.ts";
import { type Ended, MustWait, type Patience } from "./running.ts";

/** A call that may have to wait. */
interface Patient {
  line: string | undefined;
  patience: Patience;
  since: number;
  resolve(ended: Ended): void;
  reject(error: unknown): void;
}

const lanesAtMost = 2;
/** A lane may be taken for seconds, and what a call waits for be free much sooner. */
const askAgainMs = 50;

/** Whoever has locked the rows does not go on: after this time, later rows are better than none. */
export const mostWaitMs = 5000;
const hasWaited = ({ since }: Patient) => performance.now() - since >= mostWaitMs;

/** A connection is left for the other calls, unless there is only one. */
const lanesOf = (connections: number) => Math.max(1, Math.min(lanesAtMost, connections - 1));

/** How calls are made. */
interface Making<Entry> {
  /** In one transaction. The error, if they have to be made one by one. */
  shared(entries: readonly Entry[]): Promise<unknown>;
  alone(entry: Entry): Promise<void>;
  /** With other calls, without waiting. */
  ask(entry: Entry): void;
}

export function openPatience<Entry extends Patient>(connections: number, { ask, ...making }: Making<Entry>) {
  const lanes = lanesOf(connections);
  const queues = new Map<string, Entry[]>();
  const busy = new Set<string>();
  let willAsk = false;
  const contended = new Resting(() => performance.now());
  const run = runningLines(making);

  function next(): void {
    for (const line of [...queues.keys()].filter((line) => !busy.has(line)))
      if (busy.size < lanes) void lane(line);
      else if (!willAsk) {
        willAsk = true;
        setTimeout(askAgain, askAgainMs);
      }
  }

  /** The calls of lines that no lane has taken. */
  function askAgain(): void {
    willAsk = false;
    for (const [line, entries] of [...queues]) {
      if (busy.has(line)) continue;
      queues.delete(line);
      for (const entry of entries)
        ask(Object.assign(entry, { patience: hasWaited(entry) ? "none" : "asks" }));
    }
  }

  async function lane(line: string): Promise<void> {
    busy.add(line);
    // Calls that were taken out of the same transaction join.
    await Promise.resolve();
    const queue = queues.get(line)!;
    const entries = queue.splice(0, mostSharers);
    // What is left of a long line comes after the others.
    queues.delete(line);
    if (queue.length) queues.set(line, queue);
    try {
      const again = await run(entries);
      if (again.length) queues.set(line, [...again, ...(queues.get(line) ?? [])]);
    } finally {
      busy.delete(line);
      next();
    }
  }

  return {
    wait(line: string, entry: Entry): void {
      const queue = queues.get(line);
      if (queue) queue.push(entry);
      else queues.set(line, [entry]);
      next();
    },
    /** A call that did not wait had to, or had not. */
    tried(line: string, inVain: boolean): void {
      if (inVain) contended.add(line);
      else contended.end(line);
    },
    /** Whether the next call would probably have to wait as well, and there is a lane for it. */
    isContended: (line: string): boolean => contended.has(line) && (busy.has(line) || busy.size < lanes),
  };
}

function runningLines<Entry extends Patient>({ shared, alone }: Omit<Making<Entry>, "ask">) {
  /** They go on without the rows. */
  async function late(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) entry.patience = "none";
    if (entries.length && (await shared(entries))) void Promise.all(entries.map(alone));
  }

  /** One after another, as each takes a connection while it waits. Those whose time is over by then do not wait for each other. */
  async function oneByOne(entries: readonly Entry[]): Promise<void> {
    const left: Entry[] = [];
    for (const entry of entries)
      if (hasWaited(entry)) left.push(entry);
      else await alone(entry);
    await late(left);
  }

  /** The calls of a line. Answers with those whose time to wait is not over, if that of another one is. */
  return async function run(entries: readonly Entry[]): Promise<readonly Entry[]> {
    await late(entries.filter(hasWaited));
    const early = entries.filter(({ patience }) => patience === "waits");
    const error = early.length ? await shared(early) : undefined;
    if (isLocked(error)) {
      await late(early.filter(hasWaited));
      return early.filter(({ patience }) => patience === "waits");
    }
    if (error) await oneByOne(early);
    return [];
  };
}

type Waiting<Entry extends Patient> = ReturnType<typeof openPatience<Entry>>;

/** The same call, which is made again in its line if its procedure says so. */
export function waiting<Entry extends Patient>(entry: Entry, patiently: Waiting<Entry>): Entry {
  const { line, resolve, reject } = entry;
  const waits = (error: unknown): boolean => {
    const mustWait = error instanceof MustWait;
    if (entry.patience === "asks") patiently.tried(line!, mustWait);
    if (mustWait) patiently.wait(line!, Object.assign(entry, { patience: "waits" }));
    return mustWait;
  };
  entry.resolve = (ended) => {
    const { outcome } = ended;
    if (!waits(outcome && "error" in outcome ? outcome.error : undefined)) resolve(ended);
  };
  entry.reject = (error) => {
    if (!waits(error)) reject(error);
  };
  return entry;
}
