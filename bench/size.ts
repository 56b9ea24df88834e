/** Whether commands get slower as the database grows: from ten thousand threads to a million. */
import { join } from "node:path";
import { type Inbox, openInbox } from "../src/inbox/inbox.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { digits, median, ms, times } from "./support/figures.ts";
import { doneThread, fillDatabase, pendingThread, type Shape } from "./support/filling.ts";
import type { Benchmark, Section } from "./support/section.ts";

const sizes = [10_000, 100_000, 1_000_000];
const warmUp = 200;
const calls = 200;
const agent = "worker";

interface Threads {
  pending: string;
  done: string;
}

interface Call {
  name: string;
  /** The thread that was claimed is given back afterwards; that is not timed. */
  timed(inbox: Inbox, threads: Threads): Promise<unknown>;
  claims?: true;
}

const operations: Call[] = [
  { name: "fetch (50 threads)", timed: (inbox) => inbox.call("threads.fetch", { agent }) },
  { name: "claim, the best one", timed: (inbox) => inbox.call("threads.claim", { agent }), claims: true },
  {
    name: "claim, named",
    timed: (inbox, { pending }) => inbox.call("threads.claim", { agent, thread: pending }),
    claims: true,
  },
  { name: "show", timed: (inbox, { done }) => inbox.call("threads.show", { thread: done }) },
  {
    name: "wait-reply, already answered",
    timed: (inbox, { done }) => inbox.call("threads.waitReply", { thread: done, kinds: ["task", "result"] }),
  },
];

/** The sizes take turns, so that neither the warming up of the program nor the machine's moods favour one. */
async function measure(inboxes: readonly Inbox[], { timed, claims }: Call, shape: Shape): Promise<number[]> {
  const samples = sizes.map((): number[] => []);
  for (let i = -warmUp; i < calls; i++)
    for (const [which, inbox] of inboxes.entries()) {
      const size = sizes[which]!;
      const threads = { pending: pendingThread(size, i + warmUp), done: doneThread(size, i + warmUp, shape) };
      const started = performance.now();
      const answer = await timed(inbox, threads);
      if (i >= 0) samples[which]!.push(performance.now() - started);
      if (!claims) continue;
      const { threadId } = (answer as { thread: { threadId: string } }).thread;
      await inbox.call("threads.release", { agent, thread: threadId });
    }
  return samples.map(median);
}

async function measureAll(shape: Shape, found: Map<string, number[]>): Promise<number> {
  using folder = temporaryFolder();
  const path = (size: number) => join(folder.path, `${size}.db`);
  const started = performance.now();
  for (const size of sizes) fillDatabase(path(size), size, shape);
  const filling = performance.now() - started;
  const inboxes = sizes.map((size) => openInbox(path(size)));
  for (const call of operations) {
    const name = shape === "heap" ? `${call.name}; all pending for one agent` : call.name;
    found.set(name, await measure(inboxes, call, shape));
  }
  for (const inbox of inboxes) await inbox.close();
  return filling;
}

async function run(): Promise<Section> {
  const found = new Map<string, number[]>();
  const filling = (await measureAll("spread", found)) + (await measureAll("heap", found));
  const growth = [...found].map(([name, p50s]) => ({ name, factor: p50s.at(-1)! / p50s[0]! }));
  return {
    title: "The size of the database",
    about:
      `Calls in one process, the median of ${calls} after ${warmUp} to warm up; the claims are durable writes. 100 agents, 99 % ` +
      "of the threads done, and the agent that asks has 100 open ones at every size; then all threads pending for one agent. " +
      "The threads asked for are all over the database.",
    tables: [
      {
        head: [
          "",
          ...sizes.map((size) => `${size.toLocaleString("en")} threads`),
          "a million to ten thousand",
        ],
        rows: [...found].map(([name, p50s], i) => [name, ...p50s.map(ms), times(growth[i]!.factor)]),
      },
    ],
    aims: growth.map(({ name, factor }) => ({
      aim: `${name}: at most 1.5 × from 10 k to 1 M`,
      found: times(factor),
      met: factor <= 1.5,
    })),
    notes: [`Filling all of them took ${digits(filling / 1000)} s.`],
  };
}

export const size: Benchmark = { name: "size", run };
