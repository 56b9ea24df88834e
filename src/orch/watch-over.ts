/**
 * [Q7] Any call that finds work without a supervisor starts one; a call that blocks checks regularly. One small read
 * per call, and at most one per second. [X7] On a bus that is not trusted it reports once why it does not.
 */
import { supervisionNow } from "../bus/tasks/supervision-now.ts";
import { InboxError } from "../contract/errors.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { phrase, type Text } from "../contract/phrase.ts";
import type { Engine } from "../engines/engine.ts";
import { after, stayAwake } from "../platform/quiet.ts";
import { taskTopic } from "../sql/topics.ts";
import { hasDied } from "./holder.ts" with { load: "when-called" };

/** Together with the lease's 15 seconds, and the time a supervisor needs to start, this is within 20 s. */
const everyMs = 3000;
/**
 * Work that is released while there is nothing to do is noticed before the lease of the caller that released it can
 * have lapsed.
 */
const idleMs = 12_000;
const restMs = 1000;
/** A call that is not answered by then waits. */
const soonMs = 10;
const restAfterFailureMs = 10_000;

/** Ends early with the signal. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((done) => {
    const finish = () => {
      cancel();
      signal.removeEventListener("abort", finish);
      done();
    };
    const cancel = after(ms, finish);
    signal.addEventListener("abort", finish);
    if (signal.aborted) finish();
  });

export interface Watch {
  now(): Promise<void>;
  during<T>(op: AnyOperation, work: () => Promise<T>): Promise<T>;
}

export function watchOver(
  engine: Engine,
  db: string,
  {
    delivery,
    supervised,
    complain,
  }: { delivery?: string; supervised: boolean; complain?: (message: Text) => void },
): Watch {
  if (supervised) return { now: async () => {}, during: (_, work) => work() };
  let restUntil = Number.NEGATIVE_INFINITY;
  let idle = false;
  let told = false;

  async function now(): Promise<void> {
    restUntil = performance.now() + restMs;
    const found = await engine.read((tx) => supervisionNow(tx, hasDied));
    idle = found === "nothing to do";
    if (found !== "wanted") return;
    // Loaded only when needed: no other command starts processes.
    const { ensureSupervision } =
      require("./ensure-supervision.ts") as typeof import("./ensure-supervision.ts");
    await ensureSupervision(engine, db, delivery);
  }

  /** Undefined if it has checked a moment ago. */
  const inPassing = () => (performance.now() < restUntil ? undefined : check());

  /** A call that only checks must not fail because of this: the next one tries again. */
  const check = async (): Promise<void> => {
    const rest = stayAwake();
    await now()
      .catch((error) => {
        idle = false;
        restUntil = performance.now() + restAfterFailureMs;
        if (told || !(error instanceof InboxError) || error.details?.untrusted === undefined) return;
        told = true;
        complain?.(phrase`tasks are waiting, but ${error.said.message}; ${error.said.hint}`);
      })
      .finally(rest);
  };

  async function lookWhile(signal: AbortSignal): Promise<void> {
    // Most waits are over soon. The others are told about new tasks, and do not check again while there are none.
    let isLong = false;
    while (!signal.aborted) {
      // Before it looks: a task that comes right after is heard of. Open only while it is listened to: else the process stays awake.
      const news = isLong ? engine.subscribe([taskTopic]) : undefined;
      const checking = inPassing();
      await checking;
      const listens = checking !== undefined && idle && news !== undefined;
      // A problem with the database is reported by the call itself.
      const told =
        listens &&
        (await news.next({ signal }).then(
          () => true,
          () => false,
        ));
      news?.close();
      await pause(told ? restMs : idle && !isLong ? idleMs : everyMs, signal);
      isLong ||= idle;
    }
  }

  async function thenLook<T>(work: () => Promise<T>): Promise<T> {
    const answer = await work();
    const checking = inPassing();
    if (checking) await checking;
    return answer;
  }

  const during = <T>(op: AnyOperation, work: () => Promise<T>): Promise<T> =>
    op.kind === "wait" ? whileWaiting(work, lookWhile, inPassing) : thenLook(work);

  return { now, during };
}

interface Pending {
  at: number;
  ring(): void;
}

/** In the order of their times. */
const pending = new Set<Pending>();
let cancelTimer: (() => void) | undefined;

/** Calls it unless that is cancelled within `soonMs`. One timer for all: a timer for each call took 2 % of a busy worker's time. */
function soon(ring: () => void): () => void {
  const mine = { at: performance.now() + soonMs, ring };
  pending.add(mine);
  cancelTimer ??= after(soonMs, ringPending);
  return () => {
    pending.delete(mine);
    if (pending.size) return;
    cancelTimer?.();
    cancelTimer = undefined;
  };
}

function ringPending(): void {
  cancelTimer = undefined;
  const now = performance.now();
  for (const one of pending) {
    if (one.at > now) {
      cancelTimer = after(one.at - now, ringPending);
      return;
    }
    pending.delete(one);
    one.ring();
  }
}

/** Looks regularly while the work waits. A call that is answered soon only checks in passing, as those that never wait. */
async function whileWaiting<T>(
  work: () => Promise<T>,
  lookWhile: (signal: AbortSignal) => Promise<void>,
  inPassing: () => Promise<void> | undefined,
): Promise<T> {
  // To look while a claim ran that found a thread took a twentieth of its time.
  let looking: { over: AbortController; done: Promise<void> } | undefined;
  const cancel = soon(() => {
    const over = new AbortController();
    looking = { over, done: lookWhile(over.signal) };
  });
  try {
    return await work();
  } finally {
    cancel();
    looking?.over.abort();
    const left = looking?.done ?? inPassing();
    if (left) await left;
  }
}
