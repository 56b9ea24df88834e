/**
 * The same durable work on every engine of ours and by libraries for jobs: sending one, and taking one and finishing it.
 * Every contender is a process of its own with N clients, each with its next call once the last is answered.
 */
import { join } from "node:path";
import postgres from "postgres";
import { program } from "../test/support/cli.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { startPostgres, startRabbit } from "../test/support/servers.ts";
import { type Contending, contend } from "./support/contender.ts";
import { median, ms, perSecond, times } from "./support/figures.ts";
import type { Load } from "./support/load.ts";
import { paced, quick } from "./support/pace.ts";
import { allPeers, installPeers, type Peer, peerNames } from "./support/peers.ts";
import type { Aim, Benchmark, Section, Table } from "./support/section.ts";
import { startChild, startNats, startRedis } from "./support/servers.ts";

const clientCounts = [1, 16, 64];
const rounds = paced(3, 1);
const warmUpMs = 150;
const forMs = { sends: paced(600, 300), takes: paced(800, 400) };
/** There is as much to take for everybody, and enough for the fastest. */
const stock: Record<number, number> = { 1: 4000, 16: 20_000, 64: 30_000 };

type Who =
  | "postgres floor"
  | "sqlite floor"
  | "sqlite"
  | "postgres"
  | Peer
  | "echo"
  | "sqlite hub"
  | "hub"
  | "two hubs"
  | "rabbit hub";

/** A row of a table: who does what, and against which floor. */
interface Entry {
  name: string;
  who: Who;
  work: string;
  floor?: string;
}

const floors = {
  postgres: floorOf("Postgres: insert … returning, the floor", "postgres floor", "insert"),
  sqlite: floorOf("SQLite: insert … returning, the floor", "sqlite floor", "insert"),
  echo: floorOf("echo: the floor", "echo", "message"),
};
const [onPostgres, onSqlite, onEcho] = [floors.postgres.name, floors.sqlite.name, floors.echo.name];

function floorOf(name: string, who: Who, work: string): Entry {
  return { name, who, work, floor: name };
}

const ourSends = { message: "a message", thread: "a thread with its task" };
const ourTakes = {
  claim: "claim a thread, done",
  next: "done and the next claim",
  receive: "receive a message",
};

const ours = (name: string, who: Who, works: Record<string, string>, floor: string): Entry[] =>
  Object.entries(works).map(([work, what]) => ({ name: `${name}: ${what}`, who, work, floor }));

type Peers = readonly Peer[];
const peerFloors: Partial<Record<Peer, string>> = {
  "pg-boss": onPostgres,
  "graphile-worker": onPostgres,
  plainjob: onSqlite,
};
const theirs = (peers: Peers, work: "send" | "claim"): Entry[] =>
  peers.map((who) => ({ name: peerNames[who], who, work, floor: peerFloors[who] }));

const embedded = (works: Record<string, string>, more: Record<string, string> = {}) => [
  floors.sqlite,
  ...ours("Restante on SQLite", "sqlite", works, onSqlite),
  floors.postgres,
  ...ours("Restante on Postgres", "postgres", { ...works, ...more }, onPostgres),
];

const overHttp = (works: Record<string, string>, rabbit: boolean): Entry[] => [
  floors.echo,
  ...ours("a hub on SQLite", "sqlite hub", works, onEcho),
  ...ours("a hub on Postgres", "hub", works, onEcho),
  ...ours("two hubs on one Postgres", "two hubs", works, onEcho),
  ...(rabbit ? ours("a hub on Postgres with RabbitMQ", "rabbit hub", works, onEcho) : []),
];

/** Of each entry and number of clients, all rounds. */
type Found = Map<string, Load[]>;
const keyOf = (name: string, clients: number) => `${name} ${clients}`;
const middle = (loads: readonly Load[], figure: keyof Load) => median(loads.map((load) => load[figure]));

/** The median of the rounds' own ratios: what disturbs the machine for a while disturbs both. */
function ratioOf(found: Found, name: string, to: string, clients: number): number {
  const [these, those] = [found.get(keyOf(name, clients))!, found.get(keyOf(to, clients))!];
  return median(these.map((load, round) => load.perSecond / those[round]!.perSecond));
}

/** Everybody takes a turn in every round. */
async function measure(entries: Entry[], contending: Map<Who, Contending>, forMs: number): Promise<Found> {
  const found: Found = new Map();
  for (const clients of clientCounts)
    for (let round = 0; round < rounds; round++)
      for (const { name, who, work } of entries) {
        const asked = { work, clients, warmUpMs, forMs, stock: stock[clients]! };
        const key = keyOf(name, clients);
        found.set(key, [...(found.get(key) ?? []), await contending.get(who)!.measure(asked)]);
      }
  return found;
}

/** Until the hub knows `--delivery`, what RabbitMQ would do is left out. */
const takesDelivery = () =>
  Bun.spawnSync([program, "serve", "--help"]).stdout.toString().includes("--delivery");

async function run(): Promise<Section> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder()).path;
  const server = await startPostgres();
  stack.defer(() => server.stop());
  const redis = await startRedis(folder);
  stack.defer(() => redis.stop());
  const echo = await startChild("echo.ts");
  stack.defer(() => echo.stop());

  const database = async (name: string) => {
    const admin = postgres(server.url, { max: 1, onnotice: () => {} });
    await admin.unsafe(`create database ${name}`);
    await admin.end();
    return server.url.replace(/postgres$/, name);
  };
  const hub = async (location: string, ...more: string[]) => stack.use(await served(location, ...more)).url;

  const contending = new Map<Who, Contending>();
  const add = async (who: Who, kind: string, ...addresses: string[]) => {
    contending.set(who, stack.use(await contend(kind, ...addresses)));
  };
  await add("sqlite floor", "floor", join(folder, "floor.db"));
  await add("postgres floor", "floor", await database("floor"));
  await add("sqlite", "inbox", join(folder, "embedded.db"));
  await add("postgres", "inbox", await database("embedded"));
  const nats = await startNats(folder);
  if (nats) stack.defer(() => nats.stop());
  const peers = installPeers() ? allPeers.filter((peer) => peer !== "nats" || nats) : [];
  const places: Partial<Record<Peer, string>> = {
    bullmq: redis.url,
    "redis-streams": redis.url,
    nats: nats?.url,
    plainjob: join(folder, "plainjob.db"),
  };
  for (const peer of peers) await add(peer, peer, places[peer] ?? (await database(peer.replace("-", "_"))));
  await add("echo", "hub", "", echo.url);
  const file = join(folder, "hub.db");
  await add("sqlite hub", "hub", file, await hub(file));
  const one = await database("hub");
  await add("hub", "hub", one, await hub(one));
  const two = await database("hubs");
  await add("two hubs", "hub", two, await hub(two), await hub(two));
  const rabbit = takesDelivery();
  if (rabbit) {
    const broker = await startRabbit();
    stack.defer(() => broker.stop());
    const carried = await database("carried");
    // DELIVERY: this is the place where the hub is told of RabbitMQ.
    await add("rabbit hub", "hub", carried, await hub(carried, "--delivery", broker.url));
  }

  const parts = {
    sends: [...embedded(ourSends, { "to one": "a message, all to one channel" }), ...theirs(peers, "send")],
    takes: [...embedded(ourTakes), ...theirs(peers, "claim")],
    httpSends: quick ? [] : overHttp(ourSends, rabbit),
    httpTakes: quick ? [] : overHttp(ourTakes, rabbit),
  };
  const found = {
    sends: await measure(parts.sends, contending, forMs.sends),
    takes: await measure(parts.takes, contending, forMs.takes),
    httpSends: await measure(parts.httpSends, contending, forMs.sends),
    httpTakes: await measure(parts.httpTakes, contending, forMs.takes),
  };
  return section(parts, found, peers, rabbit);
}

type Parts = Record<"sends" | "takes" | "httpSends" | "httpTakes", Entry[]>;

function tableOf(title: string, entries: Entry[], found: Found, against: Peers): Table {
  return {
    head: [
      title,
      "clients",
      "a second",
      "to its floor",
      ...against.map((peer) => `to ${peerNames[peer]}`),
      "p50",
      "p99",
    ],
    rows: clientCounts.flatMap((clients) =>
      entries.map(({ name, floor }) => {
        const loads = found.get(keyOf(name, clients))!;
        return [
          name,
          String(clients),
          perSecond(middle(loads, "perSecond")),
          floor ? times(ratioOf(found, name, floor, clients)) : "–",
          ...against.map((peer) => times(ratioOf(found, name, peerNames[peer], clients))),
          ms(middle(loads, "p50")),
          ms(middle(loads, "p99")),
        ];
      }),
    ),
  };
}

/** Of what, on which engine, to whom, and how often as fast at least with 1, 16 and 64 clients; null: not an aim. */
type Wanted = [what: string, on: "Postgres" | "SQLite", to: Peer, least: (number | null)[]];

const sendAims: Wanted[] = [
  [ourSends.message, "Postgres", "pg-boss", [1, 1, 1]],
  [ourSends.message, "Postgres", "graphile-worker", [1, 1, 1]],
  [ourSends.thread, "Postgres", "pg-boss", [1, 1, 1]],
  [ourSends.thread, "Postgres", "graphile-worker", [1, 1, 1]],
  [ourSends.message, "SQLite", "bullmq", [null, null, 1]],
  [ourSends.thread, "SQLite", "bullmq", [null, null, 0.6]],
];

/** Of each library the fastest way from one job to the next: ours and BullMQ's is one call, graphile-worker's does not wait for the end. */
const takeAims: Wanted[] = [
  [ourTakes.next, "Postgres", "pg-boss", [1, 1, 1.5]],
  [ourTakes.next, "Postgres", "graphile-worker", [0.8, 0.8, 0.8]],
  [ourTakes.receive, "Postgres", "pg-boss", [1, 1, 1]],
  [ourTakes.next, "SQLite", "pg-boss", [2, 2, 2]],
  [ourTakes.next, "SQLite", "graphile-worker", [1.2, 1.2, 1.2]],
  [ourTakes.next, "SQLite", "bullmq", [null, null, 0.7]],
  [ourTakes.receive, "SQLite", "bullmq", [null, null, 0.7]],
];

function aimsOf(wanted: readonly Wanted[], found: Found, peers: Peers): Aim[] {
  return wanted
    .filter(([, , to]) => peers.includes(to))
    .map(([what, on, to, least]) => {
      const counted = clientCounts.flatMap((clients, i) => {
        const wants = least[i];
        if (wants === null || wants === undefined) return [];
        return [
          { clients, wants, ratio: ratioOf(found, `Restante on ${on}: ${what}`, peerNames[to], clients) },
        ];
      });
      const each = <T>(of: (one: (typeof counted)[number]) => T) => counted.map(of).join(", ");
      return {
        aim: `${what}, embedded on ${on}, ${each(({ clients }) => clients)} clients: at least ${each(({ wants }) => wants)} × ${to}`,
        found: each(({ ratio }) => times(ratio)),
        met: counted.every(({ wants, ratio }) => ratio >= wants),
      };
    });
}

function section(parts: Parts, found: Record<keyof Parts, Found>, peers: Peers, rabbit: boolean): Section {
  return {
    title: "The engines",
    about:
      `One durable call after another by 1, 16 and 64 clients: ${rounds} rounds of ${forMs.sends / 1000} s (taking: ${forMs.takes / 1000} s) with everybody taking turns, the median of each figure and of the rounds' own ratios. ` +
      "All on one Postgres as it is installed (fsync on) with a database each and 10 connections a process; Redis with `appendfsync always`. " +
      "Embedded: the library in the clients' process, ours and the others alike. Over HTTP: `inbox serve` as processes of their own. " +
      "A send is one message of 200 bytes to an inbox of the client's own, or one thread to such an agent, or one job. " +
      "Taking is exclusive: `claim` and `done` of the best thread of one worker by all clients (two calls), a `claim` with `done` that ends the last thread (one call), `receive` of one message from the client's own inbox, acked; " +
      "pg-boss `fetch` and `complete`; graphile-worker's own loop with a task that does nothing, which does not wait for the end of a job before it takes the next; BullMQ's `moveToCompleted` that brings the next job; " +
      "`XREADGROUP` and `XACK` of a Redis stream; `next` and a confirmed ack of a NATS work queue (file storage, `sync_interval: always`); plainjob in the clients' process with `synchronous=full`. " +
      `Before each taking there are ${Object.values(stock)
        .map((count) => count.toLocaleString("en"))
        .join(", ")} to take for 1, 16, 64 clients, and the tables are vacuumed.`,
    tables: [
      tableOf("A send, embedded", parts.sends, found.sends, peers),
      tableOf("Taking one and finishing it, embedded", parts.takes, found.takes, peers),
      tableOf("A send over HTTP", parts.httpSends, found.httpSends, []),
      tableOf("Taking one and finishing it, over HTTP", parts.httpTakes, found.httpTakes, []),
    ],
    aims: [...aimsOf(sendAims, found.sends, peers), ...aimsOf(takeAims, found.takes, peers)],
    notes: [
      ...(rabbit
        ? []
        : ["Postgres with RabbitMQ is left out: this `inbox serve` does not know `--delivery`."]),
      ...(peers.includes("nats") || !peers.length
        ? []
        : ["NATS is left out: it takes nats-server 2.10 or later to sync each write."]),
      ...(peers.length ? [] : ["The libraries are left out: `bench/peers` could not be installed."]),
    ],
  };
}

export const engines: Benchmark = { name: "engines", needs: ["redis-server"], run };
