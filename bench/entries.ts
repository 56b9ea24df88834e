/** The person's inbox: a page of its history when it has a million entries, and how soon a push is seen. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { overHttp } from "../test/support/mcp.ts";
import { bytesOf } from "../test/support/socket.ts";
import { openStream } from "../test/support/sse.ts";
import { digits, median, ms, percentile, times } from "./support/figures.ts";
import { fillTables } from "./support/filling.ts";
import { type Line, openLine } from "./support/line.ts";
import type { Benchmark, Section } from "./support/section.ts";

const sizes = [1000, 1_000_000];
const warmUp = 300;
const rounds = 5;
const callsOfRound = 200;
const calls = rounds * callsOfRound;
const page = 50;
const pushes = 500;

const id = (i: string | number) => `printf('%08x-0000-4000-8000-000000000000', ${i})`;
const idOf = (i: number) => `${i.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

const reads: { name: string; query(size: number, turn: number): string }[] = [
  { name: "the newest", query: () => "" },
  {
    name: "from an entry, all over the history",
    query: (size, turn) => `?before=${idOf(page + 1 + Math.floor(((turn * 0.618) % 1) * (size - page)))}`,
  },
  { name: "of one of ten workspaces", query: () => "?workspaceId=ws-bench3" },
  { name: "the unread ones", query: () => "?unread=true" },
];

/** `unread`: how many of the newest are. */
const rows = (size: number, unread: number) => [
  `insert into entries (entry_number, entry_id, workspace_id, workspace_label, docs_json, comments, created_at, read_at, sender)
   with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${size})
   select i, ${id("i")}, 'ws-bench' || (i % 10), 'Workspace ' || (i % 10), '[{"path":"reports/' || i || '.md"}]',
     'Entry ' || i || ' is about what was done, as it was to be expected, and asks for a look at section 2.',
     strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + i, 'unixepoch'),
     iif(i <= ${size - unread}, '2026-01-01T00:00:00.000Z', null), 'agent-' || (i % 10) from numbers`,
];

const inboxes = [
  { name: "a hundred unread", unread: () => 100 },
  { name: "all unread", unread: (size: number) => size },
];

/** The sizes take turns at every call, so that the machine's moods favour none. */
async function measure(
  lines: readonly Line[],
  query: (size: number, turn: number) => string,
  turns: { from: number; to: number },
) {
  const samples = sizes.map((): number[] => []);
  for (let turn = turns.from; turn < turns.to; turn++)
    for (const [which, line] of lines.entries()) {
      const request = bytesOf(`GET /api/inbox/history${query(sizes[which]!, turn)}`);
      const started = performance.now();
      const answer = await line.ask(request);
      samples[which]!.push(performance.now() - started);
      const { length } = JSON.parse(answer).entries;
      if (length !== page) throw new Error(`a page of ${length}`);
    }
  return samples;
}

/** A hub that starts writes the journal, here from nothing: it must not be measured with. */
async function journalDone(db: string): Promise<void> {
  const size = () => statSync(join(db, "../inbox/entries.jsonl"), { throwIfNoEntry: false })?.size ?? 0;
  for (let before = -1; before !== size() || before === 0; ) {
    before = size();
    await Bun.sleep(1000);
  }
}

async function pages(unread: (size: number) => number) {
  using folder = temporaryFolder();
  const path = (size: number) => join(folder.path, String(size), "coord.db");
  for (const size of sizes) fillTables(path(size), rows(size, unread(size)));
  await using small = await served(path(sizes[0]!));
  await using large = await served(path(sizes[1]!));
  const started = performance.now();
  for (const size of sizes) await journalDone(path(size));
  const journal = performance.now() - started;
  const lines = [await openLine(small.url), await openLine(large.url)];
  const found = reads.map(({ name }) => ({ name, samples: sizes.map((): number[] => []) }));
  for (const { query } of reads) await measure(lines, query, { from: 0, to: warmUp });
  // What is read takes turns too: a second in which the machine is busy must not be all that one of them has.
  for (let round = 0; round < rounds; round++)
    for (const [i, { query }] of reads.entries()) {
      const from = warmUp + round * callsOfRound;
      const measured = await measure(lines, query, { from, to: from + callsOfRound });
      for (const [which, some] of measured.entries()) found[i]!.samples[which]!.push(...some);
    }
  for (const line of lines) line.close();
  return { found, journal };
}

/** From the call of `inbox_push` until a page that listens has the event; and until the agent has its answer. */
async function seen(): Promise<{ event: number[]; answer: number[] }> {
  await using hub = await served();
  const { json } = await hub.ask("POST /api/workspaces", { path: "/tmp", label: "W" });
  await using agent = await overHttp(`${hub.url}/mcp/${json.workspace.workspaceId}`, "2025-11-25");
  const stream = await openStream(`${hub.url}/api/events`);
  const event: number[] = [];
  const answer: number[] = [];
  for (let i = -50; i < pushes; i++) {
    const started = performance.now();
    const answered = agent.call("inbox_push", { comments: `entry ${i}` }).then(() => {
      if (i >= 0) answer.push(performance.now() - started);
    });
    for (;;) if ((await stream.next()).event === "entry.pushed") break;
    if (i >= 0) event.push(performance.now() - started);
    await answered;
  }
  stream.close();
  return { event, answer };
}

async function run(): Promise<Section> {
  const measured = [];
  for (const { name, unread } of inboxes) measured.push({ inbox: name, ...(await pages(unread)) });
  const { event, answer } = await seen();
  const table = measured.flatMap(({ inbox, found }) =>
    found.map(({ name, samples }) => ({
      name: `${inbox}: ${name}`,
      samples,
      factor: median(samples[1]!) / median(samples[0]!),
    })),
  );
  return {
    title: "The person's inbox",
    about:
      `\`GET /api/inbox/history\`, ${page} entries with the number of unread ones, from two hubs in turn: one with a thousand entries, one with ` +
      `a million. ${calls} calls after ${warmUp} to warm up, in ${rounds} rounds. Then ${pushes} pushes, one after another, over \`/mcp/WORKSPACE\`, with a client that listens at \`/api/events\`.`,
    tables: [
      {
        head: [
          "",
          ...sizes.flatMap((size) => ["p50", "p99"].map((which) => `${size.toLocaleString("en")}: ${which}`)),
          "p50, a million to a thousand",
        ],
        rows: table.map(({ name, samples, factor }) => [
          name,
          ...samples.flatMap((one) => [ms(median(one)), ms(percentile(one, 0.99))]),
          times(factor),
        ]),
      },
      {
        head: ["from the call of inbox_push until", "p50", "p99", "p50, to the answer"],
        rows: [
          ["the agent has its answer", ms(median(answer)), ms(percentile(answer, 0.99)), times(1)],
          [
            "a page that listens has the event",
            ms(median(event)),
            ms(percentile(event, 0.99)),
            times(median(event) / median(answer)),
          ],
        ],
      },
    ],
    aims: table.map(({ name, factor }) => ({
      aim: `${name}: at most 1.3 × from 1 k to 1 M`,
      found: times(factor),
      met: factor <= 1.3,
    })),
    notes: [
      `A hub that starts beside a million entries and no journal has written it after ${digits(measured[0]!.journal / 1000)} s, while it serves.`,
    ],
  };
}

export const entries: Benchmark = { name: "entries", run };
