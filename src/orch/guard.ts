/** Renews the lease of a task while its keeper works, and listens for requests to end or interrupt it. */
import type { End } from "../bus/tasks/end.ts";
import { type Kept, keepTask, lookAtTask } from "../bus/tasks/keep.ts";
import type { Engine, Subscription } from "../engines/engine.ts";
import { engineAt } from "../engines/registry.ts";
import { lives, pidIn } from "../platform/processes/processes.ts";
import { threadTopic } from "../sql/topics.ts";
import { ensureSupervision } from "./ensure-supervision.ts";
import type { Keeping } from "./keeper.ts";
import { reapAdopted } from "./kill-tree.ts";
import { type Absence, absence } from "./retry.ts";
import { startedHere } from "./spawn.ts";

export interface Guard {
  /** Aborted when the task has to end; its reason is an End. */
  signal: AbortSignal;
  end(why: End): void;
  /** What the bus answered to a report of its keeper. */
  heed(kept: Kept): void;
  /** Another keeper has taken the task over. */
  stale(): boolean;
  stop(): void;
}

interface Told {
  onBeat(): void;
  onInterrupt(): void;
  /** Whether the database is gone for good. */
  missing?: Absence;
}

/** Three times within the lease's 15 seconds. */
const beatMs = 5000;
/** The pause before the next try when the database was unavailable. */
const restMs = 1000;

export function guardOver(
  { engine, db, delivery, number, token }: Keeping,
  first: NonNullable<Kept>,
  { onBeat, onInterrupt, missing = absence }: Told,
): Guard {
  const controller = new AbortController();
  let stale = false;
  let stopped = false;

  const end = (why: End) => {
    if (!controller.signal.aborted && !stopped) controller.abort(why);
  };
  const heed = (kept: Kept) => {
    stale ||= !kept;
    if (!kept) end({ error: "another keeper has taken it over", reason: "lost" });
    else if (kept.end !== undefined) end(kept.end);
    else if (kept.row.interrupt_id !== null) onInterrupt();
  };
  heed(first);
  const missed = (error: unknown) => {
    if (missing.failed(error)) end({ error: "its database file was deleted or replaced", reason: "lost" });
  };

  const beat = setInterval(() => {
    reapAdopted(startedHere);
    onBeat();
    // While the database is unavailable the work continues. If the supervisor has died, waiting tasks need a new one.
    engine
      .write((tx) => keepTask(tx, number, token))
      .then((kept) => {
        reached(kept);
        return ensureSupervision(engine, db, delivery);
      })
      .catch(missed);
  }, beatMs);

  const reached = (kept: Kept) => {
    missing.ended();
    heed(kept);
  };
  const look = () =>
    engine.read((tx) => lookAtTask(tx, number, token)).then(reached, () => Bun.sleep(restMs));
  // [Q16] Listening needs a connection of its own, and a server has few: there the supervisor listens for all keepers.
  const listening = engineAt(db).connectionPerWaiter
    ? hearNudges(look)
    : listen(engine, first.row.thread_id!, look);

  return {
    signal: controller.signal,
    end,
    heed,
    stale: () => stale,
    stop() {
      stopped = true;
      clearInterval(beat);
      listening.stop();
    },
  };
}

/** A signal that does nothing to a process that is not waiting for it. */
const nudge = "SIGURG";

/** Tells a keeper on this host to check its task. */
export function nudgeKeeper(keeper: string): void {
  if (!lives(keeper)) return;
  try {
    process.kill(pidIn(keeper), nudge);
  } catch {
    // It has already exited.
  }
}

function hearNudges(look: () => Promise<void>) {
  const heard = () => void look();
  process.on(nudge, heard);
  return { stop: () => void process.off(nudge, heard) };
}

/** A task that ends sooner needs no listener. */
const listenAfterMs = 30;

function listen(engine: Engine, thread: number, look: () => Promise<void>) {
  const over = new AbortController();
  const watch = async () => {
    let subscription: Subscription | undefined;
    while (!over.signal.aborted) {
      try {
        subscription ??= engine.subscribe([threadTopic(thread)]);
        await look();
        await subscription.next({ signal: over.signal });
      } catch {
        // The database is unavailable, or the task has ended.
        await Bun.sleep(over.signal.aborted ? 0 : restMs);
      }
    }
    subscription?.close();
  };
  const timer = setTimeout(watch, listenAfterMs);
  return {
    stop() {
      clearTimeout(timer);
      over.abort();
    },
  };
}
