/**
 * Calls that must have rows which another transaction has locked. A transaction that is shared does not wait for them: it has
 * locks of many callers. So such a call is taken out of it, and made again by a lane of its own, where it waits. The calls of
 * one process that wait for the same share that transaction, and few lanes wait at a time: each takes a connection.
 */
import { mostSharers } from "./context.ts";
import { Resting } from "./resting.ts";

const lanesAtMost = 2;

/** `run` makes the calls, and resolves when all of them are answered. */
export function openPatience<Entry>(run: (entries: readonly Entry[]) => Promise<void>) {
  const queues = new Map<string, Entry[]>();
  const busy = new Set<string>();
  const contended = new Resting(() => performance.now());

  function next(): void {
    for (const line of queues.keys()) {
      if (busy.size >= lanesAtMost) return;
      if (!busy.has(line)) void lane(line);
    }
  }

  async function lane(line: string): Promise<void> {
    busy.add(line);
    // Calls that were taken out of the same transaction join.
    await Promise.resolve();
    const entries = queues.get(line)!.splice(0, mostSharers);
    if (!queues.get(line)!.length) queues.delete(line);
    await run(entries);
    busy.delete(line);
    next();
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

export type Waiting<Entry> = ReturnType<typeof openPatience<Entry>>;
