/** What the picture of the team shows: the busiest workers, those they work for, and a line for each pair. */
import { person } from "../../src/contract/entry.ts";
import type { Overview, Thread } from "../data/overview.ts";

export type Tone = "works" | "waits" | "lapsed";

export interface Worker {
  name: string;
  /** What it works on, the most urgent first. */
  on: readonly Thread[];
  tone: Tone;
}

export interface Line {
  from: number;
  to: number;
  count: number;
  tone: Tone;
}

export interface Picture {
  /** Who waits for the work. */
  askers: readonly string[];
  workers: readonly Worker[];
  lines: readonly Line[];
  /** How many workers there are beside these; more than that where not all threads are known. */
  moreWorkers: number;
  moreAskers: number;
}

/** More rows would not be a picture. */
const rows = 10;

const urgency: Record<Tone, number> = { lapsed: 0, waits: 1, works: 2 };

/** `waits`: who waits for an answer without having said so on its thread. */
export function pictureOf(
  { threads, leases }: Pick<Overview, "threads" | "leases">,
  waits: Pick<ReadonlySet<string>, "has">,
): Picture {
  const workerOf = ({ threadId, assignedTo }: Thread) => leases.get(threadId)?.agentId ?? assignedTo;
  const toneOf = (thread: Thread): Tone =>
    leases.get(thread.threadId)?.lapsed
      ? "lapsed"
      : thread.status === "blocked" || waits.has(workerOf(thread))
        ? "waits"
        : "works";
  const byUrgency = (a: Thread, b: Thread) => urgency[toneOf(a)] - urgency[toneOf(b)];
  const byWorker = Map.groupBy(threads, workerOf);
  const all = [...byWorker]
    .map(([name, on]): Worker => {
      const sorted = on.toSorted(byUrgency);
      return { name, on: sorted, tone: toneOf(sorted[0]!) };
    })
    .toSorted(
      (a, b) => b.on.length - a.on.length || urgency[a.tone] - urgency[b.tone] || (a.name < b.name ? -1 : 1),
    );
  const workers = all.slice(0, rows);
  const counts = new Map<string, number>();
  for (const { on } of workers)
    for (const { createdBy } of on) counts.set(createdBy, (counts.get(createdBy) ?? 0) + 1);
  // The person first: what waits for it is its own to do.
  const weight = (name: string) => (name === person ? Number.POSITIVE_INFINITY : counts.get(name)!);
  const everyAsker = [...counts.keys()].toSorted((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1));
  const askers = everyAsker.slice(0, rows);
  return {
    askers,
    workers,
    lines: linesOf(askers, workers, toneOf),
    moreWorkers: all.length - workers.length,
    moreAskers: everyAsker.length - askers.length,
  };
}

function linesOf(
  askers: readonly string[],
  workers: readonly Worker[],
  toneOf: (thread: Thread) => Tone,
): Line[] {
  return workers.flatMap(({ on }, to) =>
    [...Map.groupBy(on, ({ createdBy }) => createdBy)].flatMap(([asker, threads]) => {
      const from = askers.indexOf(asker);
      const tone = threads.map(toneOf).toSorted((a, b) => urgency[a] - urgency[b])[0]!;
      return from < 0 ? [] : [{ from, to, count: threads.length, tone }];
    }),
  );
}
