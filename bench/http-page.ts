/** Whether a page of a channel takes longer to read when the channel has a million messages. */
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { bytesOf } from "../test/support/socket.ts";
import { digits, median, ms, percentile, times } from "./support/figures.ts";
import { fillTables } from "./support/filling.ts";
import { type Line, openLine } from "./support/line.ts";
import type { Benchmark, Section } from "./support/section.ts";

const sizes = [1000, 1_000_000];
const warmUp = 300;
const calls = 1000;
const page = 50;

const reads: { name: string; query(size: number, turn: number): string }[] = [
  { name: "the first that wait, nine tenths are acked", query: () => "" },
  {
    name: "from a position, all over the channel",
    query: (size, turn) => `?includeAcked=true&afterId=${Math.floor(((turn * 0.618) % 1) * (size - page))}`,
  },
];

const at = "'2026-01-01T00:00:00.000Z'";
const rows = (size: number) => [
  `insert into messages (message_id, from_agent, to_agent, kind, summary, body, created_at, acked_at, acked_by)
   with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${size})
   select i, 'agent-' || (i % 100), 'builds', 'event', 'Build ' || i, 'Build ' || i || ' has ended, as it was to be expected.',
     ${at}, iif(i <= ${size * 0.9}, ${at}, null), iif(i <= ${size * 0.9}, 'deployer', null) from numbers`,
];

/** The sizes take turns, so that the machine's moods favour none. */
async function measure(lines: readonly Line[], query: (size: number, turn: number) => string) {
  const samples = sizes.map((): number[] => []);
  for (let i = -warmUp; i < calls; i++)
    for (const [which, line] of lines.entries()) {
      const request = bytesOf(`GET /api/messages/inbox/builds${query(sizes[which]!, i + warmUp)}`);
      const started = performance.now();
      const answer = await line.ask(request);
      if (i >= 0) samples[which]!.push(performance.now() - started);
      const { count } = JSON.parse(answer);
      if (count !== page) throw new Error(`a page of ${count}`);
    }
  return samples;
}

async function run(): Promise<Section> {
  using folder = temporaryFolder();
  const path = (size: number) => join(folder.path, `${size}.db`);
  const started = performance.now();
  for (const size of sizes) fillTables(path(size), rows(size));
  const filling = performance.now() - started;
  await using small = await served(path(sizes[0]!));
  await using large = await served(path(sizes[1]!));
  const lines = [await openLine(small.url), await openLine(large.url)];
  const found: { name: string; samples: number[][]; factor: number }[] = [];
  for (const { name, query } of reads) {
    const samples = await measure(lines, query);
    found.push({ name, samples, factor: median(samples[1]!) / median(samples[0]!) });
  }
  for (const line of lines) line.close();
  return {
    title: "A page of a channel",
    about:
      `\`GET /api/messages/inbox/CHANNEL\`, ${page} messages, from two hubs in turn: one with a channel of a thousand, one with a channel ` +
      `of a million. ${calls} calls after ${warmUp} to warm up.`,
    tables: [
      {
        head: [
          "",
          ...sizes.flatMap((size) => ["p50", "p99"].map((which) => `${size.toLocaleString("en")}: ${which}`)),
          "p50, a million to a thousand",
        ],
        rows: found.map(({ name, samples, factor }) => [
          name,
          ...samples.flatMap((one) => [ms(median(one)), ms(percentile(one, 0.99))]),
          times(factor),
        ]),
      },
    ],
    aims: found.map(({ name, factor }) => ({
      aim: `${name}: at most 1.3 × from 1 k to 1 M`,
      found: times(factor),
      met: factor <= 1.3,
    })),
    notes: [`Filling both took ${digits(filling / 1000)} s.`],
  };
}

export const httpPage: Benchmark = { name: "http-page", run };
