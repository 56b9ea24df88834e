/** How many durable writes a second one process makes, alone and with callers that share commits. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { openInbox } from "../src/inbox/inbox.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { median, ms, percentile, perSecond, times } from "./support/figures.ts";
import type { Benchmark, Section } from "./support/section.ts";

const forMs = 2500;
const warmUpMs = 500;

interface Outcome {
  perSecond: number;
  waits: number[];
}

/** So many callers, each with its next write as soon as its last one is answered. */
async function callers(count: number, write: () => Promise<unknown>): Promise<Outcome> {
  const waits: number[] = [];
  const started = performance.now() + warmUpMs;
  const end = started + forMs;
  const caller = async () => {
    for (let now = performance.now(); now < end; ) {
      await write();
      const after = performance.now();
      if (now >= started) waits.push(after - now);
      now = after;
    }
  };
  await Promise.all(Array.from({ length: count }, caller));
  return { perSecond: waits.length / (forMs / 1000), waits };
}

async function withInbox(kind: "thread" | "plain", count: number): Promise<Outcome> {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const inbox = openInbox(db);
  const body = "x".repeat(200);
  const outcome = await callers(count, () =>
    kind === "thread"
      ? inbox.call("threads.send", { from: "leader", to: "worker", subject: "Add the routes", body })
      : inbox.call("mailbox.send", { from: "leader", to: "worker", message: body }),
  );
  await inbox.close();
  return outcome;
}

/** The floor: one prepared insert a transaction, nothing else. */
async function rawInserts(): Promise<Outcome> {
  using folder = temporaryFolder();
  const db = new Database(join(folder.path, "raw.db"));
  db.run(
    "pragma journal_mode = wal; pragma synchronous = full; create table rows (id integer primary key, body text)",
  );
  const insert = db.query("insert into rows (body) values (?)");
  const body = "x".repeat(200);
  const outcome = await callers(1, async () => insert.run(body));
  db.close();
  return outcome;
}

async function run(): Promise<Section> {
  const floor = await rawInserts();
  const rows: [string, Outcome, Outcome][] = [["raw insert, a commit each: the floor", floor, floor]];
  let gain = 0;
  for (const kind of ["plain", "thread"] as const) {
    const name = kind === "plain" ? "a plain message" : "a thread with its task";
    const alone = await withInbox(kind, 1);
    rows.push([`${name}, a commit each (1 caller)`, alone, alone]);
    for (const count of [10, 100]) {
      const shared = await withInbox(kind, count);
      rows.push([`${name}, ${count} callers`, shared, alone]);
      if (kind === "thread" && count === 100) gain = shared.perSecond / alone.perSecond;
    }
  }
  return {
    title: "Writes in one process",
    about: `Durable writes (\`synchronous=full\`) for ${forMs / 1000} s; each caller sends its next one once the last is answered.`,
    tables: [
      {
        head: ["", "writes", "to the floor", "to a commit each", "p50", "p99"],
        rows: rows.map(([name, outcome, alone]) => [
          name,
          perSecond(outcome.perSecond),
          times(outcome.perSecond / floor.perSecond),
          times(outcome.perSecond / alone.perSecond),
          ms(median(outcome.waits)),
          ms(percentile(outcome.waits, 0.99)),
        ]),
      },
    ],
    aims: [{ aim: "100 callers write more than one by one", found: times(gain), met: gain > 1 }],
  };
}

export const writes: Benchmark = { name: "writes", run };
