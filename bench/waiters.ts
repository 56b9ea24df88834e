/** What a hundred waiting processes cost: idle, and when somebody writes what none of them waits for. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { createDatabase } from "../src/engines/sqlite/connect.ts";
import { type Inbox, openInbox } from "../src/inbox/inbox.ts";
import { bareEnvironment, program } from "../test/support/cli.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { compile } from "./support/compile.ts";
import { digits, median, ms, sum, times } from "./support/figures.ts";
import { cpuMs, memoryOf } from "./support/proc.ts";
import type { Benchmark, Section } from "./support/section.ts";

const waiterCount = 100;
const idlerCount = 20;
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

/** The floor: compiled programs that do nothing but look up once a second. */
function startIdlers(folder: string): Subprocess[] {
  const source = join(folder, "idler.ts");
  writeFileSync(source, "setInterval(() => {}, 1000);\n");
  const idler = compile(source, join(folder, "idler"));
  return Array.from({ length: idlerCount }, () =>
    Bun.spawn([idler], { env: bareEnvironment(), stdio: ["ignore", "ignore", "inherit"] }),
  );
}

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
async function write(
  inbox: Inbox,
  threads: readonly string[],
  count: number,
  everyMs: number,
): Promise<void> {
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
  const idlers = startIdlers(folder.path);
  try {
    await Bun.sleep(settleMs);
    const [idle, floor] = await Promise.all([
      costOf(waiters, () => Bun.sleep(idleMs)),
      costOf(idlers, () => Bun.sleep(idleMs)),
    ]);
    const memory = [waiters, idlers].map((group) => median(group.map(({ pid }) => memoryOf(pid))));
    const often = await costOf(waiters, () => write(inbox, threads, 50, 100));
    const seldom = await costOf(waiters, () => write(inbox, threads, 15, 1000));
    return section({ idle, floor, often, seldom, memory: memory[0]!, idlerMemory: memory[1]! });
  } finally {
    for (const child of [...waiters, ...idlers]) child.kill();
    await Promise.all([...waiters, ...idlers].map(({ exited }) => exited));
    await inbox.close();
  }
}

type Cost = Awaited<ReturnType<typeof costOf>>;
type Measured = Record<"idle" | "floor" | "often" | "seldom", Cost> &
  Record<"memory" | "idlerMemory", number>;

function section({ idle, floor, often, seldom, memory, idlerMemory }: Measured): Section {
  const idleShare = idle.cpu / idle.tookMs;
  const floorShare = (floor.cpu / floor.tookMs / idlerCount) * waiterCount;
  const perWrite = ({ cpu, tookMs }: Cost, writes: number) => (cpu - idleShare * tookMs) / writes;
  const [fast, slow] = [perWrite(often, 50), perWrite(seldom, 15)];
  const percent = (share: number) => `${digits(share * 100)} %`;
  return {
    title: "A hundred waiters",
    about:
      "100 processes `inbox wait-reply`, each on a thread of its own, all on one database; processor time from " +
      "`/proc/PID/task/*/schedstat`. Idle: 30 s after the first 60 s; the floor is a compiled Bun program with a timer of one second. " +
      "A write is a progress message, which none of them asked for; the idle time is taken off.",
    tables: [
      {
        head: ["All 100 together", "processor time", "to the floor"],
        rows: [
          ["idle, the floor", `${percent(floorShare)} of a core`, times(1)],
          ["idle", `${percent(idleShare)} of a core`, times(idleShare / floorShare)],
        ],
      },
      {
        head: ["For one write, all 100 together", "processor time", "to one idle second"],
        rows: [
          ["10 writes a second", ms(fast), times(fast / (idleShare * 1000))],
          ["1 write a second", ms(slow), times(slow / (idleShare * 1000))],
        ],
      },
      {
        head: ["One process", "memory (PSS)", "to the floor"],
        rows: [
          ["the floor", `${digits(idlerMemory)} MiB`, times(1)],
          ["a waiter", `${digits(memory)} MiB`, times(memory / idlerMemory)],
        ],
      },
    ],
    aims: [
      { aim: "idle: all together under 1 % of a core", found: percent(idleShare), met: idleShare < 0.01 },
      { aim: "a write costs all together under 3 ms", found: ms(fast), met: fast < 3 },
    ],
  };
}

export const waiters: Benchmark = { name: "waiters", run };
