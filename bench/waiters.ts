/** What a hundred waiting processes cost: idle, and when somebody writes what none of them waits for. */
import { join } from "node:path";
import type { Subprocess } from "bun";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { type Inbox, openInbox } from "../src/inbox.ts";
import { bareEnvironment, program } from "../test/support/cli.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { digits, median, ms, sum, times } from "./support/figures.ts";
import { cpuMs, memoryOf } from "./support/proc.ts";
import type { Benchmark, Section } from "./support/section.ts";

const waiterCount = 100;
const settleMs = 60_000;
const idleMs = 30_000;

async function sendThreads(inbox: Inbox): Promise<string[]> {
  const threads: string[] = [];
  for (let i = 0; i < waiterCount; i++) {
    const task = { from: "leader", to: `worker-${i}`, subject: `Task ${i}` };
    threads.push((await inbox.call("threads.send", task)).thread.threadId);
  }
  return threads;
}

const startWaiter = (db: string, thread: string) =>
  Bun.spawn([program, "wait-reply", "--agent", "leader", "--thread", thread, "--json", "--db", db], {
    cwd: "/",
    env: bareEnvironment(),
    stdio: ["ignore", "ignore", "inherit"],
  });

/** Processor time of all waiters together while something happens, and how long that took. */
async function costOf(waiters: readonly Subprocess[], happens: () => Promise<unknown>) {
  const cpu = () => sum(waiters.map(({ pid }) => cpuMs(pid)));
  const [before, started] = [cpu(), performance.now()];
  await happens();
  const gone = waiters.filter(({ exitCode }) => exitCode !== null);
  if (gone.length) throw new Error(`${gone.length} waiters have ended`);
  return { cpu: cpu() - before, tookMs: performance.now() - started };
}

/** Progress messages, which no waiter asked for, to every other thread in turn. */
async function write(inbox: Inbox, threads: readonly string[], count: number, everyMs: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const thread = threads[(i * 7) % threads.length]!;
    await inbox.call("threads.reply", { from: "worker", thread, kind: "progress", summary: "Half way" });
    await Bun.sleep(everyMs);
  }
}

async function run(): Promise<Section> {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const inbox = openInbox(db);
  const threads = await sendThreads(inbox);
  const waiters = threads.map((thread) => startWaiter(db, thread));
  try {
    await Bun.sleep(settleMs);
    const idle = await costOf(waiters, () => Bun.sleep(idleMs));
    const memory = waiters.map(({ pid }) => memoryOf(pid));
    const often = await costOf(waiters, () => write(inbox, threads, 50, 100));
    const seldom = await costOf(waiters, () => write(inbox, threads, 15, 1000));
    return section(idle, often, seldom, memory);
  } finally {
    for (const waiter of waiters) waiter.kill();
    await Promise.all(waiters.map(({ exited }) => exited));
    await inbox.close();
  }
}

type Cost = Awaited<ReturnType<typeof costOf>>;

function section(idle: Cost, often: Cost, seldom: Cost, memory: ReturnType<typeof memoryOf>[]): Section {
  const idleShare = idle.cpu / idle.tookMs;
  const perWrite = ({ cpu, tookMs }: Cost, writes: number) => (cpu - idleShare * tookMs) / writes;
  const [fast, slow] = [perWrite(often, 50), perWrite(seldom, 15)];
  const own = median(memory.map((one) => one.own));
  const proportional = median(memory.map((one) => one.proportional));
  const percent = `${digits(idleShare * 100)} %`;
  return {
    title: "A hundred waiters",
    about:
      "100 processes `inbox wait-reply`, each on a thread of its own, all on one database; processor time from " +
      "`/proc/PID/task/*/schedstat`. Idle: 30 s after the first 60 s. A write is a progress message, which none of them asked " +
      "for; the idle time is taken off.",
    tables: [
      {
        head: ["All 100 together", "processor time", "for each waiter"],
        rows: [
          ["idle, of one core", percent, `${digits(idleShare * 10_000)} µs a second`],
          ["for one write, 10 writes a second", ms(fast), times(fast / (idleShare * 1000))],
          ["for one write, 1 write a second", ms(slow), times(slow / (idleShare * 1000))],
        ],
      },
      {
        head: ["One waiter", "memory", "to all it maps"],
        rows: [
          ["proportional share (PSS)", `${digits(proportional)} MiB`, times(proportional / proportional)],
          ["of it its own alone", `${digits(own)} MiB`, times(own / proportional)],
        ],
      },
    ],
    aims: [
      { aim: "idle: all together under 1 % of a core", found: percent, met: idleShare < 0.01 },
      { aim: "a write costs all together under 3 ms", found: ms(fast), met: fast < 3 },
    ],
  };
}

export const waiters: Benchmark = { name: "waiters", run };
