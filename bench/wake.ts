/** From a write in one process to the message in the hand of another that waits for it. */
import { join } from "node:path";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { type Inbox, openInbox } from "../src/inbox/inbox.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { sharedNow } from "./support/clock.ts";
import { median, most, ms, percentile, times } from "./support/figures.ts";
import { fsyncTimes } from "./support/machine.ts";
import type { Benchmark, Section } from "./support/section.ts";

const warmUp = { signal: 50, poll: 5 };

interface Round {
  /** Until the writer's own call has returned, the message durable. */
  written: number;
  /** Until the waiter has it. */
  inHand: number;
}

async function rounds(inbox: Inbox, db: string, way: "signal" | "poll", count: number): Promise<Round[]> {
  const { thread } = await inbox.call("threads.send", { from: "leader", to: "worker", subject: "Ping" });
  const heard = new Map<string, (at: number) => void>();
  const hear = (message: string) => new Promise<number>((done) => heard.set(message, done));
  const ready = hear("ready");
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "children/waiter.ts"), db, thread.threadId, way],
    {
      stdio: ["ignore", "inherit", "inherit"],
      ipc: ({ message, at }: { message: string; at: number }) => heard.get(message)?.(at),
    },
  );
  await ready;
  const samples: Round[] = [];
  for (let i = -warmUp[way]; i < count; i++) {
    // The waiter has gone back to waiting by then; the length varies so that no timer keeps step with it.
    await Bun.sleep(5 + Math.random() * (way === "poll" ? 100 : 10));
    const reply = { from: "worker", thread: thread.threadId, kind: "answer", summary: `round ${i}` } as const;
    const arrival = hear(reply.summary);
    const started = sharedNow();
    await inbox.call("threads.reply", reply);
    const written = sharedNow() - started;
    const inHand = (await arrival) - started;
    if (i >= 0) samples.push({ written, inHand });
  }
  child.kill();
  await child.exited;
  return samples;
}

async function run(): Promise<Section> {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const inbox = openInbox(db);
  const signalled = await rounds(inbox, db, "signal", 500);
  const polled = await rounds(inbox, db, "poll", 100);
  await inbox.close();
  const fsync = fsyncTimes();
  const floor = median(fsync);
  const arrivals = signalled.map(({ inHand }) => inHand);
  const [p50, p99] = [median(arrivals), percentile(arrivals, 0.99)];
  const row = (name: string, samples: readonly number[]) => [
    name,
    ms(median(samples)),
    ms(percentile(samples, 0.99)),
    ms(most(samples)),
    times(median(samples) / floor),
  ];
  return {
    title: "A wake-up",
    about:
      "Two processes: one replies in a thread, the other waits in `wait-reply`. Counted from just before the call that writes, " +
      "500 rounds; the write is durable, so its fsync is in all but the first row.",
    tables: [
      {
        head: ["", "p50", "p99", "worst", "to a raw fsync"],
        rows: [
          row("raw fsync, the floor", fsync),
          row(
            "the writer's call returns",
            signalled.map(({ written }) => written),
          ),
          row("the waiter has the message", arrivals),
          row(
            "… if it polled every 100 ms",
            polled.map(({ inHand }) => inHand),
          ),
        ],
      },
    ],
    aims: [
      { aim: "p50 under 1.5 ms", found: ms(p50), met: p50 < 1.5 },
      { aim: "p99 under 15 ms", found: ms(p99), met: p99 < 15 },
    ],
  };
}

export const wake: Benchmark = { name: "wake", run };
