/**
 * Calls that arrive while a transaction runs share the next one. If a shared transaction fails, for whatever reason, its
 * members run one by one: only the offending call fails, and no call waits for a lock of another.
 */

import { sleep } from "../../platform/runtime.ts";
import type { PlainCase } from "../../sql/plain.ts";
import type { Work, WriteOptions } from "../engine.ts";
import { mostSharers } from "./context.ts";
import { isLocked, isLost, isRace } from "./errors.ts";
import { endSession, fateOf } from "./fate.ts";
import { lockstep, type Setting } from "./lockstep.ts";
import { mostWaitMs, openPatience, waiting } from "./patient.ts";
import { openPlain, type PlainCases, Uncertain } from "./plain.ts";
import type { Pool } from "./pool.ts";
import { type Ended, Entangled, type Patience, Unsettled } from "./running.ts";

/** Calls that come at once are divided between two transactions from this number on: see `delivering`. */
const divided = 32;
/** Deadlocks and serialization failures end soon. A server may stay unreachable, so the caller is told after few attempts. */
const raceAttempts = 20;
const lostAttempts = 3;
/** A call that has waited this long for an unreachable server fails instead of being retried. Shorter than the wait for a connection. */
const enoughMs = 9000;

/** A transaction that waits for a lock, or for a server that does not answer, blocks its lane no longer than this. */
const slowMs = 100;

function orSlow(work: Promise<void>): Promise<void> {
  return new Promise((free) => {
    const timer = setTimeout(free, slowMs);
    void work.finally(() => {
      clearTimeout(timer);
      free();
    });
  });
}

interface Entry {
  work: Work<unknown>;
  /** Its plain case, which is tried first. */
  plain: PlainCase<unknown> | undefined;
  repeatable: boolean;
  /** What it may wait for. */
  line: string | undefined;
  patience: Patience;
  /** How its answer is found, if it was committed and the answer was lost. */
  found: Work<unknown> | undefined;
  since: number;
  resolve(ended: Ended): void;
  reject(error: unknown): void;
}

const isTired = ({ since }: Entry) => performance.now() - since >= enoughMs;

/** The calls of the next transaction. */
function nextOf(queue: Entry[], isFirst: boolean): Entry[] {
  const count = isFirst && queue.length >= divided ? Math.ceil(queue.length / 2) : queue.length;
  return queue.splice(0, Math.min(count, mostSharers));
}

type Deliver = (answers: () => void) => void;

/**
 * If others wait, the next transaction is sent before the callers of this one go on: the server works while they do. (The
 * driver writes to its socket in the next turn of the event loop.)
 */
const delivering =
  (queue: readonly Entry[]): Deliver =>
  (answers) => {
    if (queue.length) setImmediate(() => setImmediate(answers));
    else answers();
  };

/** `lanes`: how many transactions of this kind run at a time. */
export function openGroup(pool: Pool, setting: Setting, mode: "read" | "write", lanes: number) {
  const queue: Entry[] = [];
  const deliver = delivering(queue);
  let busy = 0;

  async function lane(): Promise<void> {
    // Calls made in the same turn of the event loop join.
    await Promise.resolve();
    let isFirst = true;
    while (queue.length) {
      const entries = nextOf(queue, isFirst);
      isFirst = false;
      // Retries, and finding out whether a commit happened, do not block the next transaction.
      await orSlow(sharedOrAlone(entries));
    }
    busy--;
  }

  async function sharedOrAlone(entries: readonly Entry[]): Promise<void> {
    const onLost = (error: Uncertain<Entry>) => {
      rejectTired(queue, error.cause);
      void settleUncertain(pool, transactions, error);
    };
    const rest = await notPlain(plainly, entries, { deliver, onLost });
    if (rest.length && (await shared(rest))) void Promise.all(rest.map(alone));
  }

  const transactions: Transactions = {
    run(entries) {
      const jobs = entries.map(({ work, found, patience, since }) => ({
        work,
        final: found !== undefined,
        patience,
        waitsUntil: since + mostWaitMs,
      }));
      return pool.use((connection) => lockstep(connection, setting, mode, jobs));
    },
    fate: ({ trace }) => fateOf(trace, pool, setting.address.schema),
  };
  const alone = (entry: Entry) => runAlone(transactions, entry);
  const plainly = openPlain<Entry>(pool, setting);

  const shared = (entries: readonly Entry[]) => runShared({ transactions, queue, deliver }, entries);
  const patiently = openPatience<Entry>(setting.address.connections, { shared, alone, ask });

  function enter(entry: Entry): void {
    if (entry.line !== undefined && patiently.isContended(entry.line)) {
      patiently.wait(entry.line, Object.assign(entry, { patience: "waits" }));
    } else ask(entry);
  }

  function ask(entry: Entry): void {
    queue.push(entry);
    if (busy < lanes) {
      busy++;
      void lane();
    }
  }

  return (work: Work<unknown>, options: WriteOptions = {}): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const { repeatable = false, found, plain, line } = options;
      const since = performance.now();
      const patience = line === undefined ? "none" : "asks";
      const entry: Entry = { work, plain, repeatable, found, line, patience, since, resolve, reject };
      enter(line === undefined ? entry : waiting(entry, patiently));
    });
}

interface Transactions {
  run(entries: readonly Entry[]): Promise<Ended[]>;
  fate(error: Unsettled): ReturnType<typeof fateOf>;
}

interface Sharing {
  transactions: Transactions;
  queue: Entry[];
  deliver: Deliver;
}

/** The error, if they have to be run one by one. */
async function runShared(
  { transactions, queue, deliver }: Sharing,
  entries: readonly Entry[],
): Promise<unknown> {
  try {
    const ended = await transactions.run(entries);
    deliver(() => {
      for (const [i, entry] of entries.entries()) entry.resolve(ended[i]!);
    });
  } catch (error) {
    if (error instanceof Unsettled) {
      rejectTired(queue, error.cause);
      void settle(transactions, entries, error);
      return;
    }
    if (!isLost(error)) return error;
    rejectTired(queue, error);
    for (const entry of entries) isTired(entry) ? entry.reject(error) : void runAlone(transactions, entry);
  }
}

/** Calls in the queue have waited for the same server. */
function rejectTired(queue: Entry[], error: unknown): void {
  for (const entry of queue.filter(isTired)) {
    queue.splice(queue.indexOf(entry), 1);
    entry.reject(error);
  }
}

async function settle(
  transactions: Transactions,
  entries: readonly Entry[],
  error: Unsettled,
): Promise<void> {
  const fate = await transactions.fate(error);
  for (const [i, entry] of entries.entries()) {
    if (fate === "committed") void committed(transactions, entry, error, i);
    else if (fate === "aborted" || entry.repeatable)
      void runAlone(transactions, entry); // its idempotency key tells whether it was written
    else entry.reject(error);
  }
}

async function runAlone(transactions: Transactions, entry: Entry): Promise<void> {
  for (let count = 1; ; count++) {
    try {
      const [ended] = await transactions.run([entry]);
      return entry.resolve(ended!);
    } catch (error) {
      if (error instanceof Unsettled) {
        const fate = await transactions.fate(error);
        if (fate === "committed") return committed(transactions, entry, error, 0);
        if ((fate === "aborted" || entry.repeatable) && !isTired(entry)) continue;
        return entry.reject(fate === "aborted" ? error.cause : error);
      }
      if (entry.patience === "waits" && isLocked(error)) {
        entry.patience = "none";
        continue;
      }
      if (count >= attemptsAfter(error, entry)) return entry.reject(error);
      await sleep(Math.random() * 10 * count);
    }
  }
}

/** Tries the plain cases, and returns the calls that are left. */
async function notPlain(
  plainly: PlainCases<Entry>,
  entries: readonly Entry[],
  { deliver, onLost }: { deliver: Deliver; onLost(error: Uncertain<Entry>): void },
): Promise<readonly Entry[]> {
  const offered = plainly.of(entries);
  if (!offered.length) return entries;
  const ended = new Set<Entry>();
  try {
    const done = await plainly.tryAll(offered);
    for (const { entry } of done) ended.add(entry);
    deliver(() => {
      for (const { entry, ended: how } of done) entry.resolve(how);
    });
  } catch (error) {
    if (!(error instanceof Uncertain)) throw error;
    for (const { entry } of error.offered) ended.add(entry);
    onLost(error);
  }
  return entries.filter((entry) => !ended.has(entry));
}

/** Once the lost session has ended, each call finds its answer, or is made. */
async function settleUncertain(
  pool: Pool,
  transactions: Transactions,
  lost: Uncertain<Entry>,
): Promise<void> {
  const ended = await endSession(lost.session, pool);
  const unknown = (cause: unknown) => new Unsettled([], {}, cause);
  for (const { entry, plain } of lost.offered) {
    if (!ended) entry.reject(unknown(lost.cause));
    else
      void runAlone(transactions, {
        ...entry,
        work: plain.again,
        // It may have failed before it looked for the first one.
        reject: (error) => entry.reject(unknown(error)),
      });
  }
}

/** It was written: its answer is known, or can be found. */
async function committed(
  transactions: Transactions,
  entry: Entry,
  error: Unsettled,
  place: number,
): Promise<void> {
  const ended = error.ended[place]!;
  if (ended.outcome) return entry.resolve(ended);
  if (!entry.found) return entry.reject(error);
  await runAlone(transactions, { ...entry, work: entry.found, found: undefined, repeatable: true });
}

function attemptsAfter(error: unknown, entry: Entry): number {
  if (isRace(error) || error instanceof Entangled) return raceAttempts;
  return isLost(error) && !isTired(entry) ? lostAttempts : 0;
}
