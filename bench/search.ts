/** What others feel of searches: requests one after another, while somebody searches without a pause. */
import { join } from "node:path";
import { openEngine } from "../src/engines/registry.ts";
import { catchUp } from "../src/inbox/search.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { bytesOf } from "../test/support/socket.ts";
import { digits, median, most, ms, percentile, times } from "./support/figures.ts";
import { fillTables } from "./support/filling.ts";
import { openLine } from "./support/line.ts";
import type { Benchmark, Section } from "./support/section.ts";

const messages = 300_000;
const rounds = 5;
const calls = 1000;
const searchers = 4;

const cases: { name: string; q?: string; hits: number }[] = [
  { name: "no searches", hits: 0 },
  { name: "a word of one message", q: "needle", hits: 1 },
  { name: "a word of all messages", q: "expected", hits: 20 },
  { name: "the beginning of many words", q: "wo", hits: 20 },
  { name: "four words of all messages", q: "build ended expected agent", hits: 20 },
  { name: "two common words that never come together", q: "evenly oddly", hits: 0 },
];

/** Forty words in each, some of all messages, most from a few thousand. */
const rows = [
  `insert into messages (message_id, from_agent, to_agent, kind, summary, body, created_at)
   with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${messages}),
     few (n) as (select 1 union all select n + 1 from few where n < 30)
   select i, 'agent' || (i % 100), 'builds', 'event', 'Build ' || i,
     'It has ended as was expected' || iif(i = 777, ' needle', '') || iif(i % 2, ' oddly', ' evenly')
       || (select group_concat(' word' || ((i * 7919 + n * 104729) % 5000), '') from few),
     '2026-01-01T00:00:00.000Z' from numbers`,
  `insert into events (source, event_type, message_id, created_at)
   select from_agent, 'message.sent', message_id, created_at from messages`,
];

async function indexed(path: string): Promise<void> {
  const engine = openEngine(path);
  while (!(await catchUp(engine, 1000)));
  await engine.close();
}

async function run(): Promise<Section> {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  fillTables(path, rows);
  const started = performance.now();
  await indexed(path);
  const indexing = performance.now() - started;
  await using hub = await served(path);
  const other = await openLine(hub.url);
  const lines = await Promise.all(Array.from({ length: searchers }, () => openLine(hub.url)));
  const page = bytesOf("GET /api/messages/inbox/builds?limit=1");

  /** `calls` requests of somebody else, while others search for the same again and again. */
  async function others(q: string | undefined, hits: number) {
    let going = true;
    const took: number[] = [];
    const searching = (q === undefined ? [] : lines).map(async (line) => {
      const request = bytesOf(`GET /api/search?q=${encodeURIComponent(q!)}`);
      while (going) {
        const from = performance.now();
        const found = JSON.parse(await line.ask(request)).hits.length;
        took.push(performance.now() - from);
        if (found !== hits) throw new Error(`${found} hits for ${q}`);
      }
    });
    const samples: number[] = [];
    for (let i = 0; i < calls; i++) {
      const from = performance.now();
      await other.ask(page);
      samples.push(performance.now() - from);
    }
    going = false;
    await Promise.all(searching);
    return { samples, took };
  }

  const found = cases.map(() => ({
    p50: [] as number[],
    p99: [] as number[],
    most: [] as number[],
    took: [] as number[],
  }));
  for (let round = -1; round < rounds; round++)
    for (const [which, { q, hits }] of cases.entries()) {
      const { samples, took } = await others(q, hits);
      if (round < 0) continue;
      const one = found[which]!;
      one.p50.push(median(samples));
      one.p99.push(percentile(samples, 0.99));
      one.most.push(most(samples));
      one.took.push(...took);
    }
  for (const line of [other, ...lines]) line.close();
  const slowest = found.map((one) => median(one.most));
  const commonest = cases.findIndex(({ name }) => name === "a word of all messages");
  const ratio = slowest[commonest]! / slowest[0]!;
  return {
    title: "Searching, and everybody else",
    about:
      `A hub with ${messages.toLocaleString("en")} messages of forty words. One client reads a page of one message ${calls} times, while ${searchers} others search ` +
      `without a pause for the same. ${rounds} rounds with the searches taking turns; the median of each round's figure.`,
    tables: [
      {
        head: [
          "others' requests, during searches for",
          "p50",
          "p99",
          "slowest",
          "slowest, to no searches",
          "a search: p50",
        ],
        rows: cases.map(({ name }, i) => [
          name,
          ms(median(found[i]!.p50)),
          ms(median(found[i]!.p99)),
          ms(slowest[i]!),
          times(slowest[i]! / slowest[0]!),
          found[i]!.took.length ? ms(median(found[i]!.took)) : "–",
        ]),
      },
    ],
    aims: [
      {
        aim: "the slowest of others' requests during searches for a word of all messages: at most 3 × as without searches",
        found: times(ratio),
        met: ratio <= 3,
      },
    ],
    notes: [`The words of all messages were indexed in ${digits(indexing / 1000)} s.`],
  };
}

export const search: Benchmark = { name: "search", run };
