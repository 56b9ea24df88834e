/**
 * Calls that must have rows which another transaction has locked. A transaction that is shared does not wait for them: it has
 * locks of many callers. So such a call is taken out of it, and put into a line, by the name of what it waits for. The calls of a
 * line share a transaction, which a lane runs. A process has few lanes, as each takes a connection while it waits.
 */
import { mostSharers } from "./context.ts";
import { Resting } from "./resting.ts";
import { type Ended, MustWait, type Patience } from "./running.ts";

/** A call that may have to wait. */
interface Patient {
  line: string | undefined;
  patience: Patience;
  resolve(ended: Ended): void;
  reject(error: unknown): void;
}

const lanesAtMost = 2;

/** Whoever has locked the rows does not go on: after this time, later rows are better than none. */
export const mostWaitMs = 5000;
export const hasWaited = ({ since }: { since: number }) => performance.now() - since >= mostWaitMs;

/** A connection is left for the other calls, unless there is only one. */
const lanesOf = (connections: number) => Math.max(1, Math.min(lanesAtMost, connections - 1));

/** `run` makes the calls, and resolves when all of them are answered. */
export function openPatience<Entry>(connections: number, run: (entries: readonly Entry[]) => Promise<void>) {
  const lanes = lanesOf(connections);
  const queues = new Map<string, Entry[]>();
  const busy = new Set<string>();
  const contended = new Resting(() => performance.now());

  function next(): void {
    for (const line of queues.keys()) {
      if (busy.size >= lanes) return;
      if (!busy.has(line)) void lane(line);
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
      await run(entries);
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
    /** Whether the next call would probably have to wait as well. */
    isContended: (line: string): boolean => contended.has(line),
  };
}

type Waiting<Entry> = ReturnType<typeof openPatience<Entry>>;

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
