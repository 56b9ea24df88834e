/** A year of steady traffic, with limits of 30 days and without: how big the file is month by month, and what a send feels of gc. */
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { type EmbeddedInbox, openInbox } from "../src/inbox/inbox.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { median, percentile, times } from "./support/figures.ts";
import type { Benchmark, Section } from "./support/section.ts";

const usualMessages = 48_000;
const months = 12;
const days = 30;
const dayMs = 86_400_000;
/** A thread is four messages or events' worth of work: made, claimed, reported on, ended. */
const threadsPart = 0.1;
const atOnce = 1000;

/** What an agent writes in a line or two. Finding its words again is most of what a message costs, so that a year takes minutes. */
const textOf = (i: number) =>
  Array.from({ length: 12 }, (_, n) => `word${(i * 7919 + n * 104_729) % 5000}`).join(" ");

interface Bus {
  inbox: EmbeddedInbox;
  pass(ms: number): void;
  bytes(): number;
}

function openBus(path: string): Bus {
  createDatabase(path);
  let offset = 0;
  const inbox = openInbox(path, { now: () => Date.now() + offset });
  return {
    inbox,
    pass: (ms) => {
      offset += ms;
    },
    bytes: () => {
      const db = new Database(path);
      db.run("pragma wal_checkpoint(truncate)");
      db.close();
      return statSync(path).size;
    },
  };
}

/** Mail that is read and acked, and threads that are worked on and end. */
async function traffic({ inbox }: Bus, from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += atOnce) {
    const here = Math.min(atOnce, from + count - at);
    await Promise.all(
      Array.from({ length: here }, async (_, i) => {
        const [sender, channel] = [`agent${i % 10}`, `agent${(i + 1) % 10}`];
        if (i >= here * threadsPart)
          return inbox.call("messages.send", { channel, content: textOf(at + i), sender });
        const { thread } = await inbox.call("threads.send", {
          from: sender,
          to: channel,
          subject: "s",
          body: textOf(at + i),
        });
        await inbox.call("threads.claim", { agent: channel, thread: thread.threadId });
        return inbox.call("threads.done", { agent: channel, thread: thread.threadId, summary: "done" });
      }),
    );
    for (let i = 0; i < 10; i++)
      await inbox.call("messages.ackAll", { channel: `agent${i}`, agent: `agent${i}` });
  }
}

/** The sizes at the end of each month. Within one, gc runs every few days, as a hub's does all the time. */
async function year(bus: Bus, messages: number, limited: boolean): Promise<number[]> {
  if (limited) await bus.inbox.call("retention.set", { kind: "all", days, agent: "boss" });
  const sizes: number[] = [];
  const parts = 4;
  const each = Math.ceil(messages / months / parts);
  for (let part = 0; part < months * parts; part++) {
    await traffic(bus, part * each, each);
    bus.pass((days / parts) * dayMs);
    if (limited) await bus.inbox.call("retention.apply", {});
    if (part % parts === parts - 1) sizes.push(bus.bytes());
  }
  return sizes;
}

/** Sends one after another, for as long as something else goes on. */
async function sends({ inbox }: Bus, meanwhile: () => Promise<unknown>): Promise<number[]> {
  let going = true;
  const other = meanwhile().finally(() => {
    going = false;
  });
  const took: number[] = [];
  while (going) {
    const started = performance.now();
    await inbox.call("messages.send", { channel: "measured", content: "x", sender: "agent0" });
    took.push(performance.now() - started);
  }
  await other;
  return took;
}

async function run(messages = usualMessages): Promise<Section> {
  using folder = temporaryFolder();
  const [limited, free] = [openBus(join(folder.path, "limited.db")), openBus(join(folder.path, "free.db"))];
  const kept = await year(limited, messages, true);
  // A year without limits only shows what the limits are for: a smaller one does.
  const grown = await year(free, Math.min(messages, usualMessages), false);
  const alone = await sends(free, () => Bun.sleep(2000));
  await free.inbox.call("retention.set", { kind: "all", days, agent: "boss" });
  const during = await sends(free, () => free.inbox.call("retention.apply", {}));
  const settled = 2; // the third month: 30 days, and what has piled up between two runs, are there
  const growth = Math.max(...kept.slice(settled)) / kept[settled]!;
  await limited.inbox.close();
  await free.inbox.close();
  return {
    title: "A year with limits",
    about:
      `${messages.toLocaleString("en")} messages in twelve months of a moved clock, on SQLite in one process: mail that is acked, and a tenth of it threads ` +
      `that end. Everything is kept for ${days} days, and gc runs four times a month. Sizes are those of the file with its log copied back, as ratios to the third month's.`,
    tables: [
      {
        head: ["end of month", "kept 30 days", "kept for ever"],
        rows: kept.map((bytes, i) => [
          String(i + 1),
          times(bytes / kept[settled]!),
          times(grown[i]! / grown[settled]!),
        ]),
      },
      {
        head: ["a send while gc deletes eleven months, to one alone", "p50", "p99"],
        rows: [
          [
            "",
            times(median(during) / median(alone)),
            times(percentile(during, 0.99) / percentile(alone, 0.99)),
          ],
        ],
      },
    ],
    aims: [
      {
        aim: "from the third month on no month is more than 1.1 × as big as it",
        found: times(growth),
        met: growth <= 1.1,
      },
    ],
    notes: ["`npm run bench -- retain=5000000` does it with five million messages."],
  };
}

export const retain: Benchmark = { name: "retain", run };
