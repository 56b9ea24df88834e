/** Many processes writing to one database without a pause: how much, and who waits how long. */
import { join } from "node:path";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { sharedNow } from "./support/clock.ts";
import { median, most, ms, percentile, perSecond, sum, times } from "./support/figures.ts";
import type { Benchmark, Section } from "./support/section.ts";

const forMs = 5000;

interface Outcome {
  perSecond: number;
  waits: number[];
  refused: number;
  /** The process that wrote least, against the one that wrote most. */
  fairness: number;
}

interface Told {
  waits: number[];
  refused: number;
}

async function together(way: "inbox" | "retry" | "handler", processes: number): Promise<Outcome> {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const writers = Array.from({ length: processes }, () => startWriter(way, db));
  await Promise.all(writers.map(({ ready }) => ready));
  const start = sharedNow() + 200;
  for (const { child } of writers) child.send(start);
  const each = await Promise.all(writers.map(({ told }) => told));
  await Promise.all(writers.map(({ child }) => child.exited));
  const waits = each.flatMap((one) => one.waits);
  const refused = sum(each.map((one) => one.refused));
  const counts = each.map((one) => one.waits.length - one.refused);
  return {
    perSecond: (waits.length - refused) / (forMs / 1000),
    waits,
    refused,
    fairness: Math.min(...counts) / Math.max(...counts),
  };
}

function startWriter(way: string, db: string) {
  const ready = Promise.withResolvers<void>();
  const told = Promise.withResolvers<Told>();
  const script = join(import.meta.dir, "children/writer.ts");
  const child = Bun.spawn([process.execPath, script, way, db, String(forMs)], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message: "ready" | Told) => (message === "ready" ? ready.resolve() : told.resolve(message)),
  });
  return { child, ready: ready.promise, told: told.promise };
}

function row(name: string, outcome: Outcome, floor: Outcome): string[] {
  const { waits, refused, fairness } = outcome;
  return [
    name,
    perSecond(outcome.perSecond),
    times(outcome.perSecond / floor.perSecond),
    ms(median(waits)),
    ms(percentile(waits, 0.99)),
    ms(most(waits)),
    times(most(waits) / most(floor.waits)),
    times(fairness),
    String(refused),
  ];
}

const columns = ["p50", "p99", "worst", "worst to the first", "least to most busy writer", "refused"];

async function run(): Promise<Section> {
  const ours: [number, Outcome][] = [];
  for (const processes of [1, 2, 8, 32]) ours.push([processes, await together("inbox", processes)]);
  const handler = await together("handler", 32);
  const retry = await together("retry", 32);
  const alone = ours[0]![1];
  const crowd = ours.at(-1)![1];
  return {
    title: "Many writing processes",
    about:
      `Processes, warmed up, that write without a pause for ${forMs / 1000} s. First \`threads.send\` through our engine. Then the ways to ` +
      "wait for SQLite's lock alone, with one prepared insert a transaction: `busy_timeout=5000`, and `src/engines/sqlite/lock.ts`.",
    tables: [
      {
        head: ["threads.send", "together", "to one process", ...columns],
        rows: ours.map(([count, outcome]) =>
          row(count === 1 ? "1 process" : `${count} processes`, outcome, alone),
        ),
      },
      {
        head: ["32 processes, one insert", "together", "to the handler", ...columns],
        rows: [row("SQLite's busy handler", handler, handler), row("lock.ts", retry, handler)],
      },
    ],
    aims: [
      { aim: "32 writers: nobody is refused", found: String(crowd.refused), met: crowd.refused === 0 },
      {
        aim: "32 writers: the worst wait is shorter than with SQLite's busy handler",
        found: `${ms(most(retry.waits))} against ${ms(most(handler.waits))}`,
        met: most(retry.waits) < most(handler.waits),
      },
    ],
  };
}

export const contention: Benchmark = { name: "contention", run };
