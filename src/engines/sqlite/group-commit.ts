/**
 * Group commit: procedures that arrive in one turn of the event loop share one transaction, and so one fsync. Nobody
 * is answered or woken before the commit has returned. A single writer has no delay; procedures that arrive while it
 * writes form the next group. If one throws after it has written, all are undone and run again with a savepoint each:
 * savepoints in every batch took a fifth of its time, and nearly all refusals come before the first write.
 *
 * What a waiter of this process would do with what a batch writes is done in the same transaction, after the batch. A message that
 * somebody waits for is one commit with its hand-over, not two: a quarter of the time from the send to the answer of the wait.
 */
import { Refused } from "../../sql/procedure.ts";
import type { Work } from "../engine.ts";
import type { Facts } from "../facts.ts";
import type { Bell } from "../subscription.ts";
import { Asked } from "./asked.ts";
import { type Drive, type Noted, nothingNoted } from "./drive.ts";
import type { Database } from "./driver.ts";
import { translate } from "./errors.ts";
import { whenFree } from "./lock.ts";
import type { Wake } from "./wake.ts";

const batchLimit = 100;
const batchMs = 5;

interface Entry {
  work: Work<unknown>;
  outcome?: { value: unknown } | { error: unknown };
  resolve(value: never): void;
  reject(error: unknown): void;
}

interface Setting {
  db: Database;
  path: string;
  drive: Drive;
  facts: Facts;
  /** Throws if the file is not the one that was opened. */
  requireHere: () => void;
  wake: Pick<Wake, "announce" | "takersOf">;
  /** Called after each commit. */
  written: () => void;
}

export function groupCommit(setting: Setting) {
  const { db, path, requireHere } = setting;
  // Prepared once: with `db.run` SQLite would parse the same few words for every entry, a quarter of the time of a send.
  const begin = db.query("begin immediate");
  const runBatch = batchRunner(setting);
  let queue: Entry[] = [];
  let flushing: Promise<void> | undefined;
  let lastFlush = Number.NEGATIVE_INFINITY;

  /** After a pause there are no other writers: write at once. Otherwise wait for the others of this turn. */
  function turn(): Promise<void> {
    if (performance.now() - lastFlush > batchMs) return Promise.resolve();
    return new Promise((done) => setImmediate(done));
  }

  async function flush(): Promise<void> {
    let careful = false;
    while (queue.length) {
      try {
        requireHere();
        await whenFree(() => {
          begin.run();
          const done = runBatch(queue, careful);
          careful = done === 0;
          queue = queue.slice(done);
        });
      } catch (error) {
        for (const entry of queue.splice(0)) entry.reject(translate(error, path));
      }
    }
    // Without a pause after the queue was checked: an entry that arrives later must start the next flush.
    flushing = undefined;
    lastFlush = performance.now();
  }

  return {
    write: <T>(work: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: never) => void, reject });
        flushing ??= turn().then(flush);
      }),
    /** Resolves when nothing is left to write. */
    async idle(): Promise<void> {
      while (flushing) await flushing;
    },
  };
}

/** The returned function does as many as one transaction takes. It returns how many it has settled: 0 if savepoints are needed. */
function batchRunner(setting: Setting) {
  const { db, path, facts, wake, written } = setting;
  const commit = db.query("commit");
  const runEntry = entryRunner(setting);
  return (waiting: readonly Entry[], careful: boolean): number => {
    const batch: Entry[] = [];
    const how = waiting.length === 1 ? "lone" : careful ? "careful" : "plain";
    const left: Left = { topics: new Set(), learnt: new Map() };
    // What a savepoint undoes may also have been read: forget those answers.
    const asked = how === "plain" ? new Asked() : undefined;
    let taking: Entry[] = [];
    let committed: ((topics: Set<string>) => void) | undefined;
    try {
      const until = performance.now() + batchMs;
      for (const entry of waiting.slice(0, batchLimit)) {
        if (performance.now() > until) break;
        batch.push(entry);
        gather(left, runEntry(entry, how, asked));
      }
      taking = wake.takersOf(left.topics).map(takeFor);
      for (const [i, entry] of taking.entries()) {
        if (i > 0 && performance.now() > until) break;
        // In a savepoint: the batch does not depend on it.
        gather(left, runEntry(entry, "careful"));
      }
      committed = wake.announce();
      commit.run();
    } catch (error) {
      if (error instanceof Spoilt && db.inTransaction) return undone(db);
      // A full disk ends the whole transaction. Nothing of the batch is in the database, so nobody is told that it is.
      if (db.inTransaction) db.run("rollback");
      committed?.(new Set());
      for (const entry of batch) entry.reject(translate(error instanceof Spoilt ? error.cause : error, path));
      return batch.length;
    }
    // Before they are woken: who has got something need not look for it.
    for (const entry of taking) settle(entry);
    committed(left.topics);
    facts.learn(left.learnt);
    for (const entry of batch) settle(entry);
    written();
    return batch.length;
  };
}

/** What a waiter would do. If time does not allow for it, or it fails, the waiter is woken as usual, and looks. */
const takeFor = (taker: Bell): Entry => ({
  work: taker.take!,
  resolve: (value) => giveTo(taker, value),
  reject: () => {},
});

function giveTo(taker: Bell, value: unknown): void {
  if (value !== undefined) taker.give(value);
}

function undone(db: Database): 0 {
  db.run("rollback");
  return 0;
}

/** What the procedures of a batch leave behind together. */
interface Left {
  topics: Set<string>;
  learnt: Map<string, string>;
}

function gather(left: Left, { topics, learnt }: Noted): void {
  for (const topic of topics) left.topics.add(topic);
  if (learnt) for (const [fact, value] of learnt) left.learnt.set(fact, value);
}

function settle({ outcome, resolve, reject }: Entry): void {
  if (!outcome) return; // there was no time for it
  if ("value" in outcome) resolve(outcome.value as never);
  else reject(outcome.error);
}

/** One entry of a batch has failed after it had written: its writes cannot be undone separately. */
class Spoilt extends Error {}

/** Runs one entry; its failure undoes only its own writes, or the batch must be repeated. Throws if the transaction is gone. */
function entryRunner({ db, path, drive }: Setting) {
  const savepoint = db.query("savepoint entry");
  const release = db.query("release entry");
  return (entry: Entry, how: "lone" | "plain" | "careful", asked?: Asked): Noted => {
    const noted = nothingNoted(asked);
    if (how === "careful") savepoint.run();
    try {
      const result = drive(entry.work, noted);
      entry.outcome = result instanceof Refused ? { error: result.error } : { value: result };
      if (how === "careful") release.run();
      return noted;
    } catch (error) {
      if (how === "lone" || !db.inTransaction) throw error;
      if (how === "careful") db.run("rollback to entry; release entry");
      else if (noted.wrote) throw new Spoilt("", { cause: error });
      entry.outcome = { error: translate(error, path) };
      return nothingNoted();
    }
  };
}
