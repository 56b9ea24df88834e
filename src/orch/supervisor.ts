/**
 * [Q7] The supervisor: starts tasks that are due, gives each a keeper, and recovers tasks whose keeper has died. It
 * keeps nothing in memory that the database does not have, so it may be killed at any moment, and a second one is
 * harmless.
 */

import { keepersToTell } from "../bus/tasks/keep.ts";
import { type Room, startDue } from "../bus/tasks/start.ts";
import { holdSupervision, leaveIfIdle, leaveSupervision } from "../bus/tasks/supervision.ts";
import { asInboxError, InboxError } from "../contract/errors.ts";
import { phrase, type Text } from "../contract/phrase.ts";
import { safe } from "../contract/safe-text.ts";
import { withoutPassword } from "../contract/secret.ts";
import type { Engine, Subscription } from "../engines/engine.ts";
import { taskTopic, threadTopic } from "../sql/topics.ts";
import { approvedProfiles, busRefusal, isUntrusted } from "./approval.ts";
import { nudgeKeeper } from "./guard.ts";
import { hasDied, thisProcess } from "./holder.ts";
import { idleGates } from "./idle-gate.ts";
import { startingKeepers } from "./keepers.ts";
import { thisHost, worktreesFolder } from "./paths.ts";
import type { Profiles } from "./profiles/profile.ts";
import { loadProfiles } from "./profiles/profiles-file.ts";
import { recovery } from "./recovery.ts";
import { startsAtOnce } from "./start-limit.ts";

export interface Supervising {
  engine: Engine;
  db: string;
  delivery?: string;
  /** The hub's own address, where a hub supervises. */
  url: string | null;
  env: Record<string, string | undefined>;
  /** The id by which it holds the lease; another process may have taken the lease for it. */
  holder: string;
  signal: AbortSignal;
  /** Does not exit when nothing is left to do, as in a hub. */
  forever: boolean;
  /** Called with the reason why nothing is started, each time the reason changes. */
  complain?: (message: Text) => void;
}

/** Three times within the lease's 15 seconds. */
const beatMs = 5000;
/** If another process has the lease: soon after that has lapsed. If the bus is not trusted: soon after it was approved. */
const besideMs = 2000;

/** The pause before it listens again. */
const failedMs = 500;

export interface Supervised {
  /** How many tasks it has started. */
  started: number;
  /** Nothing is left to do; or another one supervises, or it was told to stop, and there may be tasks left. */
  ended: "idle" | "another" | "stopped";
}

export async function supervise(supervising: Supervising): Promise<Supervised> {
  const { engine, db, env, holder, url, signal, forever, complain } = supervising;
  // What happens in this process, and not in the database.
  let nudge = new AbortController();
  const ring = () => nudge.abort();
  let paced = false;
  const keepers = startingKeepers(supervising, { onDeath: ring, onKept: () => paced && ring() });
  const gates = idleGates(supervising, ring);
  const recover = recovery({ engine, host: thisHost(), ...tracesOf(supervising) }, keepers.isStarting);
  const self = thisProcess();
  let beatDue = 0;
  let count = 0;
  let threads: readonly number[] = [];
  let subscription = engine.subscribe([taskTopic]);
  const tell = refusalTeller(complain);
  try {
    while (!signal.aborted) {
      nudge = new AbortController();
      const round = await once();
      if (round === "another" && !forever) return { started: count, ended: "another" };
      const refused = round instanceof InboxError ? round : undefined;
      if (refused && !forever) throw refused;
      tell(refused);
      const begun = typeof round === "string" || round instanceof InboxError ? undefined : round;
      count += begun?.started.length ?? 0;
      const over = begun?.idle && !gates.busy() && !forever;
      if (over && (await engine.write((tx) => leaveIfIdle(tx, holder))))
        return { started: count, ended: "idle" };
      if (begun && String(begun.dispatched) !== String(threads)) {
        threads = begun.dispatched;
        subscription = listenAgain(engine, subscription, threads);
        // A thread that was created just now may have ended before anybody listened.
        continue;
      }
      const rest = round === "another" || refused ? besideMs : Math.max(0, beatDue - performance.now());
      const atMost = Math.min(rest, begun?.againInMs ?? beatMs);
      if (await hears(subscription, atMost, AbortSignal.any([signal, nudge.signal]))) continue;
      await Bun.sleep(failedMs);
      subscription = listenAgain(engine, subscription, threads);
    }
    return { started: count, ended: "stopped" };
  } finally {
    subscription.close();
    keepers.letGo();
    await engine.write((tx) => leaveSupervision(tx, holder)).catch(() => {});
  }

  function hold(): Promise<boolean> {
    return engine.write((tx) => holdSupervision(tx, holder, { url, process: self, hasDied }));
  }

  /** The lease and dead keepers are checked once per beat, and when a keeper is seen to die; due tasks every time. */
  async function once() {
    try {
      const refused = busRefusal(db, env);
      if (refused) return refused;
      const deaths = keepers.dead();
      if (performance.now() >= beatDue || deaths.size) {
        if (!(await hold())) return "another";
        await recover(deaths, hold);
        keepers.clearedUp(deaths);
        beatDue = performance.now() + beatMs;
      }
      const profiles = profilesNow(supervising);
      const begun = await engine.write((tx) => startDue(tx, thisHost(), roomFor(profiles)));
      paced = begun.paced;
      gates.ask(begun.worked, profiles);
      for (const task of begun.started) await keepers.start(task);
      for (const keeper of await engine.read((tx) => keepersToTell(tx, thisHost()))) nudgeKeeper(keeper);
      return begun;
    } catch (error) {
      if (isUntrusted(error)) return error;
      // The database is unavailable: it is tried again. A supervisor without a hub can only write this to its own log.
      console.error(safe(asInboxError(error).message));
      beatDue = performance.now() + 1000;
      return "away";
    }
  }
}

/** Throws if the database no longer exists. */
function listenAgain(engine: Engine, before: Subscription, threads: readonly number[]): Subscription {
  before.close();
  return engine.subscribe([taskTopic, ...threads.map(threadTopic)]);
}

/** Waits until something happens, or for that long; false if listening has failed. */
const hears = (subscription: Subscription, atMost: number, signal: AbortSignal) =>
  subscription.next({ atMost, signal }).then(
    () => true,
    () => signal.aborted,
  );

/** [X7] A hub continues to serve, and starts supervising once the user has approved; each reason is reported once. */
function refusalTeller(complain: Supervising["complain"]) {
  let told: string | undefined;
  return (refused: InboxError | undefined): void => {
    if (refused && refused.message !== told)
      complain?.(phrase`${refused.said.message}; ${refused.said.hint}`);
    told = refused?.message;
  };
}

/**
 * A mistake in the profile file is reported by each task that needs the profile; scheduling continues. Without
 * approval it does not.
 */
function profilesNow({ db, env }: Supervising): Profiles {
  try {
    return approvedProfiles(db, env);
  } catch (error) {
    if (isUntrusted(error)) throw error;
    return loadProfiles();
  }
}

/** Where tasks leave something behind: processes with the mark of the bus, and worktrees. */
const tracesOf = (supervising: Supervising) => ({
  bus: withoutPassword(supervising.db),
  worktrees: worktreesFolder(supervising.db, supervising.env),
  shareOf: (profile: string | null) => {
    try {
      return profile === null ? undefined : profilesNow(supervising).all.get(profile)?.share;
    } catch {
      // Nobody has approved the current file; dead keepers are recovered nevertheless.
      return undefined;
    }
  },
});

function roomFor({ maxRunning, all }: Profiles): Room {
  const of = new Map<string, { shared: string; most: number }>();
  for (const [name, { runner }] of all)
    if (runner.concurrency !== null) of.set(name, { shared: runner.name, most: runner.concurrency });
  return { all: maxRunning, starting: startsAtOnce(), of };
}
