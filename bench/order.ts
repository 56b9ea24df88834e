/** [G2] What it costs that no reader's cursor passes a row that commits later: the same procedures with and without what keeps the order. */
import postgres from "postgres";
import { messagesSend } from "../src/bus/procedures/messages-send.ts";
import type { Engine } from "../src/engines/engine.ts";
import { createPostgres, openPostgres } from "../src/engines/postgres/index.ts";
import type { Context } from "../src/sql/procedure.ts";
import { startPostgres } from "../test/support/servers.ts";
import { introduce } from "./contenders/stock.ts";
import { digits, median, ms, percentile, perSecond, times } from "./support/figures.ts";
import type { Benchmark, Section } from "./support/section.ts";

const writers = 16;
const rounds = 10;
const warmUpMs = 1500;
const forMs = 700;
const least = 0.85;

const text = "x".repeat(200);
const crowd = "builds";
const channelOf = (writer: number) => `agent-${writer}`;

/** Messages get their numbers in whatever order. */
const unlocked = (tx: Context): Context => ({ ...tx, *lock() {} });
/** And events too. */
const plainNumbers =
  "alter table restante.events alter event_id set default nextval('restante.event_numbers')";

const ways = {
  ordered: { name: "as it is", change: "", context: (tx: Context) => tx },
  events: { name: "without the channels' locks", change: "", context: unlocked },
  none: { name: "without any order", change: plainNumbers, context: unlocked },
};
type Way = keyof typeof ways;
const allWays = Object.keys(ways) as Way[];

interface Outcome {
  perSecond: number;
  waits: number[];
}

/** `engines` are those of the writers, in turn: one for all, as in one process, or one each. */
async function write(
  engines: readonly Engine[],
  way: Way,
  channel: (writer: number) => string,
  overMs: number,
): Promise<Outcome> {
  const waits: number[] = [];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const engine = engines[writer % engines.length]!;
      const input = { channel: channel(writer), content: text, sender: "ci", metadata: {}, strict: false };
      for (let now = performance.now(); now < started + overMs; ) {
        await engine.write((tx) => messagesSend(ways[way].context(tx), input));
        const after = performance.now();
        waits.push(after - now);
        now = after;
      }
    }),
  );
  return { perSecond: waits.length / ((performance.now() - started) / 1000), waits };
}

type Engines = Record<Way, Engine[]>;

async function run(): Promise<Section> {
  await using stack = new AsyncDisposableStack();
  const server = await startPostgres();
  stack.defer(() => server.stop());
  const shared: Engines = { ordered: [], events: [], none: [] };
  const own: Engines = { ordered: [], events: [], none: [] };
  const opened = (url: string) => {
    const engine = openPostgres(url);
    stack.defer(() => engine.close());
    return engine;
  };
  for (const way of allWays) {
    const url = await database(server.url, way);
    shared[way] = [opened(url)];
    own[way] = Array.from({ length: writers }, () => opened(url));
  }
  const together = await compare(shared, channelOf);
  const spread = await compare(own, channelOf);
  const crowded = await compare(own, () => crowd);
  const aim = (what: string, { ratios }: Compared) => ({
    aim: `${writers} writers on ${writers} channels, ${what}: at least ${digits(least)} × without any order`,
    found: times(ratios.none),
    met: ratios.none >= least,
  });
  const [inOne, each] = ["in one process", "a connection each"];
  return {
    title: "What the order costs",
    about:
      `${writers} writers, a channel each, send messages through our engine on Postgres: as it is; without the locks of the channels; and with plain \`nextval\` for the ` +
      `events as well, so that nothing keeps any order. ${rounds} rounds of ${forMs / 1000} s, the ways taking turns, each on a database of its own; the ratios are medians of the rounds' own. ` +
      "First as callers in one process, who share transactions; then with an engine each, as in processes of their own; then so, but all on one channel, where the order of its messages makes them wait for each other.",
    tables: [
      table(`a channel each, ${inOne}`, together),
      table(`a channel each, ${each}`, spread),
      table(`all on one channel, ${each}`, crowded),
    ],
    aims: [aim(inOne, together), aim(each, spread)],
  };
}

/** A bus of its own, with what the way changes in it. */
async function database(server: string, way: Way): Promise<string> {
  const admin = postgres(server, { max: 1 });
  await admin.unsafe(`create database ${way}_`);
  await admin.end();
  const url = server.replace(/postgres$/, `${way}_`);
  await createPostgres(url);
  await introduce(url, [...Array.from({ length: writers }, (_, i) => channelOf(i)), crowd]);
  const own = postgres(url, { max: 1 });
  if (ways[way].change) await own.unsafe(ways[way].change);
  await own.end();
  return url;
}

interface Compared {
  outcomes: Record<Way, Outcome[]>;
  /** As it is, to each way. */
  ratios: Record<Way, number>;
}

async function compare(engines: Engines, channel: (writer: number) => string): Promise<Compared> {
  const outcomes: Record<Way, Outcome[]> = { ordered: [], events: [], none: [] };
  for (const way of allWays) await write(engines[way], way, channel, warmUpMs);
  for (let round = 0; round < rounds; round++)
    // Nobody always comes first.
    for (const way of round % 2 ? allWays.toReversed() : allWays)
      outcomes[way].push(await write(engines[way], way, channel, forMs));
  const ratioTo = (way: Way) =>
    median(outcomes.ordered.map(({ perSecond }, round) => perSecond / outcomes[way][round]!.perSecond));
  return { outcomes, ratios: { ordered: 1, events: ratioTo("events"), none: ratioTo("none") } };
}

function table(what: string, { outcomes, ratios }: Compared) {
  return {
    head: [`${writers} writers, ${what}`, "sends", "as it is, to this", "p50", "p99"],
    rows: allWays.map((way) => {
      const waits = outcomes[way].flatMap((outcome) => outcome.waits);
      return [
        ways[way].name,
        perSecond(median(outcomes[way].map((outcome) => outcome.perSecond))),
        times(ratios[way]),
        ms(median(waits)),
        ms(percentile(waits, 0.99)),
      ];
    }),
  };
}

export const order: Benchmark = { name: "order", run };
