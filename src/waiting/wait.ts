/**
 * Blocking, the one way everything here blocks: subscribe, then read, then sleep until something may have
 * changed, and read again. The read is the truth, so that a lost or a false wake-up harms nobody.
 */
import { isKnown, join } from "../bus/agent.ts";
import { InboxError } from "../contract/errors.ts";
import type { Engine } from "../engines/engine.ts";

export interface Looked<T> {
  found?: T;
  /** Something may change by time alone: read again after at most this many milliseconds. */
  againInMs?: number;
  /** What to wait on from now on, where that has changed. */
  topics?: readonly string[];
}

/** Something to wait on: topics, or an agent's mail. */
type On = { topics: readonly string[] } | { mailOf: string };

const subscribe = (engine: Engine, on: On) =>
  "mailOf" in on ? engine.mail(on.mailOf) : engine.subscribe(on.topics);

export interface WaitOptions {
  /** For ever where it is undefined. */
  timeoutMs?: number;
  /** Who waits: it counts as living for as long. */
  agent?: string;
  /** Ends the wait with an error: nobody wants the answer any more. */
  signal?: AbortSignal;
}

/** What `look` found, or undefined after the timeout. An abort is thrown. */
export async function wait<T>(
  engine: Engine,
  on: On,
  look: () => Promise<Looked<T>>,
  { timeoutMs, signal, agent }: WaitOptions,
): Promise<T | undefined> {
  const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  let topics = "topics" in on ? on.topics : undefined;
  let begun = false;
  let leave: (() => void) | undefined;
  let subscription = subscribe(engine, on);
  try {
    for (;;) {
      if (ended(signal)) return undefined;
      const looked: Looked<T> & { failed?: InboxError } = await look().catch((error) => awhile(error, begun));
      begun = true;
      if (looked.found !== undefined) return looked.found;
      if (looked.topics && String(looked.topics) !== String(topics)) {
        subscription.close();
        topics = looked.topics;
        subscription = engine.subscribe(topics);
        continue; // read again: something may have come while nobody listened
      }
      const left = deadline === undefined ? undefined : deadline - performance.now();
      if (left !== undefined && left <= 0) {
        // Whose time ran out meanwhile is told why there is no answer, and not that there is nothing.
        if (looked.failed) throw looked.failed;
        return undefined;
      }
      if (agent !== undefined && !leave) {
        await introduce(engine, agent);
        leave = engine.attend(agent);
      }
      await subscription.next({ atMost: earliest(left, looked.againInMs), signal });
    }
  } finally {
    leave?.();
    subscription.close();
  }
}

/** Who waits for mail is somebody, also before it has said a word: a message to everybody is for it too. */
async function introduce(engine: Engine, agent: string): Promise<void> {
  try {
    if (!(await engine.read((tx) => isKnown(tx, agent)))) await engine.write((tx) => join(tx, agent));
  } catch (error) {
    // Its wait is what counts.
    if (!(error instanceof InboxError)) throw error;
  }
}

const awayMs = 500;

/** Whoever begins to wait is told that the database is away; who waits already goes on when it is back. */
function awhile(error: unknown, begun: boolean): { failed: InboxError; againInMs: number } {
  if (begun && error instanceof InboxError && error.details?.away)
    return { failed: error, againInMs: awayMs };
  throw error;
}

/** The reason of an abort that ends a wait as its timeout would: the answer is wanted, but not any later. */
export const endOfWait = Symbol("end of wait");

/** Whether the wait is over; throws where nobody wants the answer any more. */
export function ended(signal: AbortSignal | undefined): boolean {
  if (signal?.aborted && signal.reason !== endOfWait) throw signal.reason;
  return signal?.aborted === true;
}

/** [W3] 0 is at once, and nothing said is for ever. */
export const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

/** How many milliseconds are left of a time that begins now; undefined where it is endless. */
export function countdown(seconds: number | undefined): () => number | undefined {
  if (seconds === undefined) return () => undefined;
  const deadline = performance.now() + seconds * 1000;
  return () => Math.max(0, deadline - performance.now());
}

export const earliest = (...times: (number | undefined)[]) => {
  const known = times.filter((time) => time !== undefined);
  return known.length ? Math.min(...known) : undefined;
};
