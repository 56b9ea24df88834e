/** Keeps the lease of a task while its keeper works, and listens for a word that it is to end, or to be interrupted. */
import { type End, type Kept, keepTask, lookAtTask } from "../bus/tasks/keep.ts";
import type { Engine, Subscription } from "../engines/engine.ts";
import { engineAt } from "../engines/registry.ts";
import { lives, pidIn } from "../platform/processes/processes.ts";
import { threadTopic } from "../sql/topics.ts";
import { ensureSupervision } from "./ensure-supervision.ts";
import type { Keeping } from "./keeper.ts";
import { reapAdopted } from "./kill-tree.ts";
import { startedHere } from "./spawn.ts";

export interface Guard {
  /** Aborted when the task is to end; its reason is an End. */
  signal: AbortSignal;
  end(why: End): void;
  /** What the bus answered to a report of its keeper. */
  heed(kept: Kept): void;
  /** The task is somebody else's by now. */
  stale(): boolean;
  stop(): void;
}

/** Within the lease's 15 seconds, three times. */
const beatMs = 5000;
/** After the database was away. */
const restMs = 1000;

export function guardOver(
  { engine, db, delivery, number, token }: Keeping,
  first: NonNullable<Kept>,
  { onBeat, onInterrupt }: { onBeat(): void; onInterrupt(): void },
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

  const beat = setInterval(() => {
    reapAdopted(startedHere);
    onBeat();
    // Where the database is away for a while the work goes on. Where the supervisor has died, what waits needs another.
    engine
      .write((tx) => keepTask(tx, number, token))
      .then((kept) => {
        heed(kept);
        return ensureSupervision(engine, db, delivery);
      })
      .catch(() => {});
  }, beatMs);

  const look = () => engine.read((tx) => lookAtTask(tx, number, token)).then(heed, () => Bun.sleep(restMs));
  // [Q16] To listen takes a connection of its own, and a server has few: there the supervisor listens for all.
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

/** A signal that does nothing to a process which does not wait for it. */
const nudge = "SIGURG";

/** Tells a keeper on this host to look at its task. */
export function nudgeKeeper(keeper: string): void {
  if (!lives(keeper)) return;
  try {
    process.kill(pidIn(keeper), nudge);
  } catch {
    // It was faster.
  }
}

function hearNudges(look: () => Promise<void>) {
  const heard = () => void look();
  process.on(nudge, heard);
  return { stop: () => void process.off(nudge, heard) };
}

/** A task that is over sooner need not be listened for: nobody is quicker to end it than it is. */
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
        // The database is away, or the task is over.
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
