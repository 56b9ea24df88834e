/**
 * How the usual calls behave as one thing grows: messages that are there, agents and topics, waiters in a hub, writers in one
 * process. Everything else stays the same. `growth=1000000` ends the messages there.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Inbox, openInbox } from "../src/inbox/inbox.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { bytesOf } from "../test/support/socket.ts";
import { median, ms, perSecond, times } from "./support/figures.ts";
import { fillTables } from "./support/filling.ts";
import { holdOpen, openLine } from "./support/line.ts";
import { paced } from "./support/pace.ts";
import type { Aim, Benchmark, Section, Table } from "./support/section.ts";

const messageCounts = [1000, 10_000, 100_000, 1_000_000, 10_000_000];
const nameCounts = [1, 10, 100, 1000, 10_000];
const waiterCounts = [1, 10, 100, 1000, 2000];
const writerCounts = [1, 2, 4, 8, 16, 32, 64];
const calls = paced(300, 50);
const writerMs = paced(1500, 300);
/** A database that would take longer to fill is not made: ten million messages take two minutes or three, and 6 GB. */
const longestFillMs = paced(4 * 60_000, 4000);

const at = "'2026-01-01T00:00:00.000Z'";
const numbers = (count: number) =>
  `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})`;
const text = "x".repeat(200);

/** Mail on 100 topics and to 100 agents, of which a thousand messages wait, and none of those asked for. */
const mail = (count: number) => [
  `insert into messages (from_agent, to_agent, kind, summary, body, created_at, acked_at)
   ${numbers(count)} select 'agent-' || (i % 100), iif(i % 2, 'topic-' || (i % 100), 'agent-' || (i % 100)), 'event', 'Message ' || i,
     '${text}', ${at}, iif(i % ${Math.max(1, count / 1000)} = 0, null, ${at}) from numbers`,
  `insert into events (source, event_type, to_agent, message_id, created_at)
   select from_agent, 'message.sent', to_agent, message_id, ${at} from messages`,
  ...names(100),
];

const names = (count: number) => [
  `insert or ignore into agents (name, first_seen_at, last_seen_at)
   ${numbers(count)} select 'agent-' || (i - 1), ${at}, ${at} from numbers`,
];

const topics = (count: number) => [
  ...names(count),
  `insert into messages (from_agent, to_agent, kind, summary, created_at, acked_at)
   ${numbers(count)} select 'agent-0', 'topic-' || i, 'event', 'Message', ${at}, ${at} from numbers`,
];

type Timed = Record<string, (inbox: Inbox, turn: number) => Promise<unknown>>;
const message = (channel: string) => ({ channel, content: text, sender: "ci" });

const usual: Timed = {
  "send to an agent": (inbox) => inbox.call("messages.send", message("reader")),
  "receive it": (inbox) => inbox.call("mailbox.receive", { agent: "reader", timeoutSeconds: 0 }),
  "send to a topic": (inbox) => inbox.call("messages.send", message("news")),
  "read a topic, 50": (inbox) => inbox.call("messages.inbox", { channel: "news", limit: 50 } as never),
  "send a thread": (inbox) => inbox.call("threads.send", { from: "ci", to: "reader", subject: "Work" }),
  "claim and done": async (inbox) => {
    const { thread } = await inbox.call("threads.claim", { agent: "reader" });
    await inbox.call("threads.done", { agent: "reader", thread: thread!.threadId, body: "ok" });
  },
};

const toNewNames: Timed = {
  ...usual,
  "send to a new topic": (inbox, turn) => inbox.call("messages.send", message(`fresh-${turn}`)),
};

/** Of each call the median, in the order of the table. */
async function timesOf(path: string, timed: Timed): Promise<Map<string, number>> {
  const inbox = openInbox(path, { supervised: true });
  const samples = new Map(Object.keys(timed).map((name) => [name, [] as number[]]));
  try {
    for (let turn = -20; turn < calls; turn++)
      for (const [name, call] of Object.entries(timed)) {
        const started = performance.now();
        await call(inbox, turn);
        if (turn >= 0) samples.get(name)!.push(performance.now() - started);
      }
  } finally {
    await inbox.close();
  }
  return new Map([...samples].map(([name, each]) => [name, median(each)]));
}

interface Grown {
  what: string;
  counts: number[];
  /** By the name of a call, its figure at each count. */
  figures: Map<string, number[]>;
  rate?: true;
}

interface Growing {
  what: string;
  counts: readonly number[];
  rows: (count: number) => string[];
  timed: Timed;
}

/** One database at a time: the largest takes gigabytes. */
async function asDatabaseGrows({ what, counts, rows, timed }: Growing): Promise<Grown> {
  using folder = temporaryFolder();
  const grown: Grown = { what, counts: [], figures: new Map() };
  let fillMs = 0;
  for (const count of counts) {
    // Ten times as many take ten times as long.
    const last = grown.counts.at(-1) ?? count;
    if (fillMs * (count / last) > longestFillMs) break;
    const path = join(folder.path, `${count}.db`);
    const started = performance.now();
    fillTables(path, rows(count));
    fillMs = performance.now() - started;
    grown.counts.push(count);
    for (const [name, figure] of await timesOf(path, timed))
      grown.figures.set(name, [...(grown.figures.get(name) ?? []), figure]);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  }
  return grown;
}

/** A message to one of many who wait in one hub: from its POST to the waiter's answer. */
async function asWaitersGrow(): Promise<Grown> {
  await using hub = await served();
  const grown: Grown = { what: "Waiters in one hub", counts: [...waiterCounts], figures: new Map() };
  const [sender, receiver] = [await openLine(hub.url), await openLine(hub.url)];
  const wait = (agent: string) => bytesOf(`POST /api/mailbox/${agent}/receive`, { timeoutSeconds: 60 });
  const send = bytesOf("POST /api/messages", message("main"));
  for (const count of waiterCounts) {
    const others = Array.from({ length: count - 1 }, (_, i) => wait(`waiter-${i}`));
    const close = await holdOpen(hub.url, others);
    await Bun.sleep(500);
    const samples: number[] = [];
    for (let turn = -20; turn < calls; turn++) {
      const arrival = receiver.ask(wait("main"));
      await Bun.sleep(2); // it waits by then
      const started = performance.now();
      await Promise.all([sender.ask(send), arrival]);
      if (turn >= 0) samples.push(performance.now() - started);
    }
    const figure = median(samples);
    grown.figures.set("a message to one of them", [
      ...(grown.figures.get("a message to one of them") ?? []),
      figure,
    ]);
    close();
    await Bun.sleep(200);
  }
  for (const line of [sender, receiver]) line.close();
  return grown;
}

async function asWritersGrow(): Promise<Grown> {
  using folder = temporaryFolder();
  const path = join(folder.path, "writers.db");
  fillTables(path, names(64));
  const inbox = openInbox(path, { supervised: true });
  const grown: Grown = {
    what: "Writers in one process, writes a second",
    counts: [...writerCounts],
    figures: new Map(),
    rate: true,
  };
  const works: Record<string, (writer: number) => Promise<unknown>> = {
    "a message": (writer) => inbox.call("messages.send", message(`agent-${writer}`)),
    "a thread with its task": (writer) =>
      inbox.call("threads.send", { from: "ci", to: `agent-${writer}`, subject: "Work" }),
  };
  for (const [name, work] of Object.entries(works)) {
    const rates: number[] = [];
    for (const count of writerCounts) {
      let written = 0;
      const end = performance.now() + writerMs;
      await Promise.all(
        Array.from({ length: count }, async (_, writer) => {
          for (; performance.now() < end; written++) await work(writer);
        }),
      );
      rates.push(written / (writerMs / 1000));
    }
    grown.figures.set(name, rates);
  }
  await inbox.close();
  return grown;
}

/** What is in a tree of n costs a step, and one more for each tenfold. */
const steps = (count: number) => 1 + Math.log10(count);

function aimsOf({ what, counts, figures, rate }: Grown): Aim[] {
  const [first, last] = [counts[0]!, counts.at(-1)!];
  const most = steps(last) / steps(first);
  return [...figures].map(([name, each]) => {
    const factor = each.at(-1)! / each[0]!;
    const range = `from ${first.toLocaleString("en")} to ${last.toLocaleString("en")}`;
    return rate
      ? { aim: `${what}: ${name}: no fewer ${range}`, found: times(factor), met: factor >= 1 }
      : {
          aim: `${what}: ${name}: at most ${times(most)} ${range}, as a logarithm grows`,
          found: times(factor),
          met: factor <= most,
        };
  });
}

const tableOf = ({ what, counts, figures, rate }: Grown): Table => ({
  head: [what, ...counts.map((count) => count.toLocaleString("en")), "last to first"],
  rows: [...figures].map(([name, each]) => [
    name,
    ...each.map(rate ? perSecond : ms),
    times(each.at(-1)! / each[0]!),
  ]),
});

async function run(most = Number.POSITIVE_INFINITY): Promise<Section> {
  const counts = messageCounts.filter((count) => count <= most);
  const grown = [
    await asDatabaseGrows({ what: "Messages", counts, rows: mail, timed: usual }),
    await asDatabaseGrows({
      what: "Agents and topics, N of each",
      counts: nameCounts,
      rows: topics,
      timed: toNewNames,
    }),
    await asWaitersGrow(),
    await asWritersGrow(),
  ];
  const reached = grown[0]!.counts.at(-1)!;
  return {
    title: "Growth",
    about:
      `Calls on SQLite, one after another, as one thing grows and the others stay: the median of ${calls}, every write durable. ` +
      "Waiters are open requests at one hub, each for an agent of its own; writers are callers in one process, each with its next call once the last is answered.",
    tables: grown.map(tableOf),
    aims: grown.flatMap(aimsOf),
    notes: [
      reached === messageCounts.at(-1)
        ? "Nothing was left out."
        : `Messages end at ${reached.toLocaleString("en")}: filling the next database would take longer than this part may.`,
    ],
  };
}

export const growth: Benchmark = { name: "growth", run };
