/**
 * Blocking, in one way for all operations: subscribe, read, sleep until something may have changed, and read again.
 * The read decides, so a lost or a false wake-up does no harm.
 */
import { isKnown, join } from "../bus/agent.ts";
import { admitName } from "../bus/names.ts";
import { InboxError } from "../contract/errors.ts";
import { newNameProblem } from "../contract/names.ts";
import type { EndSignal, Engine, Work } from "../engines/engine.ts";
import { endOfWait } from "./end-of-wait.ts";

export interface Looked<T> {
  found?: T;
  /** Something may change by time alone: read again after at most this many milliseconds. */
  againInMs?: number;
  /** What to wait for from now on, if that has changed. */
  topics?: readonly string[];
}

/** Something to wait on: topics, or an agent's mail. */
type On = { topics: readonly string[] } | { mailOf: string };

const subscribe = (engine: Engine, on: On) =>
  "mailOf" in on ? engine.mail(on.mailOf) : engine.subscribe(on.topics);

export interface WaitOptions<T> {
  /** Without a limit if it is undefined. */
  timeoutMs?: number;
  /** The waiting agent: it counts as live meanwhile. */
  agent?: string;
  /** Other names that it waits for, or will store: agents, a channel, a reader. */
  names?: readonly string[];
  /** Called once, before the wait sleeps for the first time. `joined`: the waiting agent was not known before. */
  beforeSleep?: (joined: boolean) => Promise<void>;
  /** Ends the wait with an error: its answer is no longer wanted. */
  signal?: EndSignal;
  /** What to do with what is heard of, without looking first; undefined if it is nothing (`Subscription.next`). */
  take?: Work<T | undefined>;
}

/** What `look` found, or `take` returned; undefined after the timeout. An abort is thrown. */
export async function wait<T>(
  engine: Engine,
  on: On,
  look: () => Promise<Looked<T>>,
  { timeoutMs, signal, agent, names = [], beforeSleep, take }: WaitOptions<T>,
): Promise<T | undefined> {
  await refuseInVain(engine, agent === undefined ? names : [agent, ...names]);
  const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  let topics = "topics" in on ? on.topics : undefined;
  let begun = false;
  let slept = false;
  let leave: (() => void) | undefined;
  if (engine.brief && !ended(signal)) {
    // What is there already needs no listening, which costs a command 0.8 ms on SQLite, and a connection on Postgres.
    const there = await look();
    if (there.found !== undefined) return there.found;
  }
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
        continue; // read again: something may have been written while nobody listened
      }
      const left = deadline === undefined ? undefined : deadline - performance.now();
      if (left !== undefined && left <= 0) {
        // If the time is over meanwhile, the error says why there is no answer, instead of reporting that there is nothing.
        if (looked.failed) throw looked.failed;
        return undefined;
      }
      if (!slept) {
        slept = true;
        const joined = agent !== undefined && (await introduce(engine, agent));
        if (agent !== undefined) leave = engine.attend(agent);
        await beforeSleep?.(joined);
      }
      const taken = await subscription.next<T>({ atMost: earliest(left, looked.againInMs), signal, take });
      if (taken !== undefined) return taken;
    }
  } finally {
    leave?.();
    subscription.close();
  }
}

/** An agent that waits for mail is known, even before it has sent anything: a broadcast is for it too. True if it was not. */
async function introduce(engine: Engine, agent: string): Promise<boolean> {
  try {
    return !(await engine.read((tx) => isKnown(tx, agent))) && (await engine.write((tx) => join(tx, agent)));
  } catch (error) {
    // Only its wait matters.
    if (!(error instanceof InboxError)) throw error;
    return false;
  }
}

/** [X11.8] Nothing can come for a name that is refused wherever it is first used. */
async function refuseInVain(engine: Engine, names: readonly string[]): Promise<void> {
  for (const name of names) if (newNameProblem(name) !== undefined) await engine.read(() => admitName(name));
}

const awayMs = 500;

/** A wait that starts is told that the database is unavailable; one that is open continues when it is back. */
function awhile(error: unknown, begun: boolean): { failed: InboxError; againInMs: number } {
  if (begun && error instanceof InboxError && error.details?.away)
    return { failed: error, againInMs: awayMs };
  throw error;
}

/** Whether the wait is over; throws if its answer is no longer wanted. */
export function ended(signal: EndSignal | undefined): boolean {
  if (signal?.aborted && signal.reason !== endOfWait) throw signal.reason;
  return signal?.aborted === true;
}

/** [W3] 0 returns at once; without a value it waits forever. */
export const inMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

/** The milliseconds that are left of a time that starts now; undefined if it is unlimited. */
export function countdown(seconds: number | undefined): () => number | undefined {
  if (seconds === undefined) return () => undefined;
  const deadline = performance.now() + seconds * 1000;
  return () => Math.max(0, deadline - performance.now());
}

export const earliest = (...times: (number | undefined)[]) => {
  const known = times.filter((time) => time !== undefined);
  return known.length ? Math.min(...known) : undefined;
};
