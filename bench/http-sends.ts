/** How many durable sends a second the hub takes over HTTP, against a server that only echoes and against Redis Streams. */
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { startRabbit } from "../test/support/servers.ts";
import { digits, median, ms, perSecond, times } from "./support/figures.ts";
import { type Load, post, rabbitPublish, redisAppend } from "./support/load.ts";
import { paced } from "./support/pace.ts";
import type { Benchmark, Section } from "./support/section.ts";
import { startChild, startRedis } from "./support/servers.ts";

const connections = [1, 10, 50, 200];
const rounds = paced(3, 1);
const seconds = 1;

const text = "x".repeat(200);
const kinds = {
  message: {
    name: "A channel message",
    path: "/api/messages",
    body: { channel: "builds", content: text, sender: "ci" },
  },
  thread: {
    name: "A thread with its task",
    path: "/api/threads",
    body: { from: "leader", to: "worker", subject: "Add the routes", body: text },
  },
};
type Kind = keyof typeof kinds;

const servers = ["echo", "redis", "rabbit", "hand", "each", "hub"] as const;
type Server = (typeof servers)[number];
const names: Record<Server, string> = {
  echo: "echo: the floor",
  redis: "Redis Streams",
  rabbit: "RabbitMQ, confirms",
  hand: "the same rows by hand",
  each: "the hub, a commit each",
  hub: "the hub",
};
type Run = (kind: Kind, count: number, forSeconds: number) => Promise<Load>;

/** Every server takes its turn in every round; of the rounds the median counts. */
async function measure(run: Record<Server, Run>, kind: Kind): Promise<Map<string, Load>> {
  for (const server of servers) await run[server](kind, 50, 1); // warm
  const found = new Map<string, Load>();
  for (const count of connections) {
    const loads: Record<Server, Load[]> = { echo: [], redis: [], rabbit: [], hand: [], each: [], hub: [] };
    for (let round = 0; round < rounds; round++)
      for (const server of servers) loads[server].push(await run[server](kind, count, seconds));
    for (const server of servers) {
      const middle = (figure: keyof Load) => median(loads[server].map((load) => load[figure]));
      found.set(`${server} ${count}`, {
        perSecond: middle("perSecond"),
        p50: middle("p50"),
        p99: middle("p99"),
      });
    }
  }
  return found;
}

async function run(): Promise<Section> {
  using folder = temporaryFolder();
  await using hub = await served();
  const echo = await startChild("echo.ts");
  const hand = await startChild("rows-by-hand.ts", join(folder.path, "hand.db"));
  const each = await startChild("commit-each.ts", join(folder.path, "each.db"));
  const redis = await startRedis(folder.path);
  const rabbit = await startRabbit();
  const posting =
    (url: string): Run =>
    (kind, count, forSeconds) =>
      post(url + kinds[kind].path, count, JSON.stringify(kinds[kind].body), forSeconds);
  const runs: Record<Server, Run> = {
    echo: posting(echo.url),
    redis: (kind, count, forSeconds) =>
      redisAppend(redis.url, count, JSON.stringify(kinds[kind].body), forSeconds),
    rabbit: (kind, count, forSeconds) =>
      rabbitPublish(rabbit.url, count, JSON.stringify(kinds[kind].body), forSeconds),
    hand: posting(hand.url),
    each: posting(each.url),
    hub: posting(hub.url),
  };
  try {
    return section({ message: await measure(runs, "message"), thread: await measure(runs, "thread") });
  } finally {
    for (const server of [echo, hand, each, redis, rabbit]) await server.stop();
  }
}

function section(found: Record<Kind, Map<string, Load>>): Section {
  const rate = (kind: Kind, server: Server, count: number) =>
    found[kind].get(`${server} ${count}`)!.perSecond;
  const ratio = (kind: Kind, to: Server) => rate(kind, "hub", 50) / rate(kind, to, 50);
  const aim = (kind: Kind, to: Server, least: number) => ({
    aim: `${kinds[kind].name.toLowerCase()}, 50 connections: at least ${digits(least)} × ${to === "echo" ? "echo" : names[to]}`,
    found: times(ratio(kind, to)),
    met: ratio(kind, to) >= least,
  });
  return {
    title: "Sends over HTTP",
    about:
      `\`inbox serve\` and a load generator (wrk, redis-benchmark) as two processes on one machine; each connection sends its next ` +
      `request once the last is answered: ${rounds} rounds of ${seconds} s with the servers taking turns, the median of each figure. ` +
      "Every answer means durable (`synchronous=full`; Redis: XADD of the same JSON with `appendfsync always`; RabbitMQ: a persistent message on a durable queue, confirmed, one channel a connection). The echo is " +
      "`Bun.serve` with the hub's routes, giving the JSON back. “By hand” is `Bun.serve` with the same rows and answers, a commit for all requests of a turn, and nothing else: no rule, " +
      "no check, no waking. “A commit each” is the hub with its calls one after another.",
    tables: Object.keys(kinds).map((key) => ({
      head: [kinds[key as Kind].name, "connections", "sends", "to echo", "to Redis", "p50", "p99"],
      rows: connections.flatMap((count) =>
        servers.map((server) => {
          const load = found[key as Kind].get(`${server} ${count}`)!;
          return [
            names[server],
            String(count),
            perSecond(load.perSecond),
            times(load.perSecond / rate(key as Kind, "echo", count)),
            times(load.perSecond / rate(key as Kind, "redis", count)),
            ms(load.p50),
            ms(load.p99),
          ];
        }),
      ),
    })),
    aims: [aim("message", "echo", 0.35), aim("message", "redis", 0.5), aim("thread", "echo", 0.25)],
  };
}

export const httpSends: Benchmark = {
  name: "http-sends",
  needs: ["wrk", "redis-server", "redis-benchmark"],
  run,
};
