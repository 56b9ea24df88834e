/** From a POST to the answer of a long poll that waits for it, alone and beside a thousand other waiters; what those cost. */
import { served } from "../test/support/hub.ts";
import { bytesOf } from "../test/support/socket.ts";
import { digits, median, most, ms, percentile, times } from "./support/figures.ts";
import { holdOpen, openLine } from "./support/line.ts";
import { fsyncTimes } from "./support/machine.ts";
import { coreShare, residentOf } from "./support/proc.ts";
import type { Benchmark, Section } from "./support/section.ts";
import { startChild } from "./support/servers.ts";

const messages = 1000;
const warmUp = 200;
const everyMs = 10;
const others = 1000;
const settleMs = 5000;
const idleMs = 20_000;

interface Round {
  sent: number;
  received: number;
}

/** A hundred messages a second, each awaited by one long poll. */
async function exchange(url: string): Promise<Round[]> {
  const [sender, receiver] = [await openLine(url), await openLine(url)];
  const wait = bytesOf("GET /terminals/main/inbox/messages/wait?timeout=30&batch_window=0");
  const message = { sender_id: "worker", message: "x".repeat(200) };
  const send = bytesOf("POST /terminals/main/inbox/messages", message);
  const samples: Round[] = [];
  let next = performance.now();
  for (let i = -warmUp; i < messages; i++) {
    const arrival = receiver.ask(wait).then(() => performance.now());
    next += everyMs;
    await Bun.sleep(Math.max(2, next - performance.now())); // it waits by then
    const started = performance.now();
    const sent = sender.ask(send).then(() => performance.now());
    const round = { sent: (await sent) - started, received: (await arrival) - started };
    if (i >= 0) samples.push(round);
  }
  for (const line of [sender, receiver]) line.close();
  return samples;
}

/** The floor: as often, a request that is given straight back. */
async function echoes(url: string): Promise<number[]> {
  const line = await openLine(url);
  const samples: number[] = [];
  for (let i = -warmUp; i < messages; i++) {
    await Bun.sleep(everyMs);
    const started = performance.now();
    await line.ask(bytesOf("POST /api/messages", { content: "x".repeat(200) }));
    if (i >= 0) samples.push(performance.now() - started);
  }
  line.close();
  return samples;
}

/** A thousand requests that stay open; how much memory each takes, in KiB. */
async function block(url: string, pid: number, path: (i: number) => string) {
  const before = residentOf(pid);
  const requests = Array.from({ length: others }, (_, i) => bytesOf(`GET ${path(i)}`));
  const close = await holdOpen(url, requests);
  await Bun.sleep(settleMs);
  return { each: (residentOf(pid) - before) / others, close };
}

async function run(): Promise<Section> {
  await using hub = await served();
  const echo = await startChild("echo.ts");
  try {
    const alone = await exchange(hub.url);
    const echoed = await echoes(echo.url);
    await Bun.sleep(settleMs);
    const unused = await coreShare(hub.pid, idleMs);
    const other = (i: number) => `/terminals/other-${i}/inbox/messages/wait?timeout=600`;
    const blocked = await block(hub.url, hub.pid, other);
    const idle = await coreShare(hub.pid, idleMs);
    const crowded = await exchange(hub.url);
    blocked.close();
    const floor = await block(echo.url, echo.pid, () => "/wait");
    floor.close();
    return section({ echoed, alone, crowded, unused, idle, memory: blocked.each, floorMemory: floor.each });
  } finally {
    await echo.stop();
  }
}

type Measured = { echoed: number[] } & Record<"alone" | "crowded", Round[]> &
  Record<"unused" | "idle" | "memory" | "floorMemory", number>;

function section({ echoed, alone, crowded, unused, idle, memory, floorMemory }: Measured): Section {
  const fsync = fsyncTimes();
  const row = (name: string, samples: readonly number[]) => [
    name,
    ms(median(samples)),
    ms(percentile(samples, 0.99)),
    ms(most(samples)),
    times(median(samples) / median(fsync)),
  ];
  const pick = (rounds: Round[], which: keyof Round) => rounds.map((round) => round[which]);
  const [p50, p99] = [0.5, 0.99].map((share) => percentile(pick(alone, "received"), share)) as [
    number,
    number,
  ];
  const crowd99 = percentile(pick(crowded, "received"), 0.99);
  const percent = (share: number) => `${digits(share * 100)} % of a core`;
  const kib = (size: number) => `${digits(size)} KiB`;
  return {
    title: "A long poll",
    about:
      `${1000 / everyMs} messages a second to one agent that waits over HTTP with \`batch_window=0\`, ${messages} rounds, counted from just ` +
      `before the POST; the message is durable before anybody has it. Then the same beside ${others} long polls of other agents. ` +
      `Memory is the growth of the hub's resident set by those; its floor is \`Bun.serve\` with as many requests that it never answers. ` +
      `Idle: ${idleMs / 1000} s in which nothing is sent.`,
    tables: [
      {
        head: ["", "p50", "p99", "worst", "to a raw fsync"],
        rows: [
          row("raw fsync, without a pause", fsync),
          row("an echo is answered, the floor", echoed),
          row("the POST is answered", pick(alone, "sent")),
          row("the waiter has the message", pick(alone, "received")),
          row("1,000 others wait: the POST is answered", pick(crowded, "sent")),
          row("1,000 others wait: the waiter has the message", pick(crowded, "received")),
        ],
      },
      {
        head: ["1,000 others wait", "found", "without them, or the floor"],
        rows: [
          ["memory of one waiter", kib(memory), kib(floorMemory)],
          ["the idle hub", percent(idle), percent(unused)],
        ],
      },
    ],
    aims: [
      { aim: "p50 under 1 ms", found: ms(p50), met: p50 < 1 },
      { aim: "p99 under 5 ms", found: ms(p99), met: p99 < 5 },
      { aim: "1,000 others wait: p99 under 20 ms", found: ms(crowd99), met: crowd99 < 20 },
      { aim: "a waiter takes under 20 KB", found: kib(memory), met: memory * 1.024 < 20 },
    ],
  };
}

export const httpReceive: Benchmark = { name: "http-receive", run };
