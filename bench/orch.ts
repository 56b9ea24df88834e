/** What a queue and a keeper for each sub-agent cost, against starting the same commands with neither. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Inbox, openInbox } from "../src/inbox/inbox.ts";
import { bareEnvironment } from "../test/support/cli.ts";
import { type Crew, crew } from "../test/support/crew.ts";
import { until } from "../test/support/until.ts";
import { actAsTestUser } from "../test/support/user.ts";
import { compile } from "./support/compile.ts";
import { digits, median, most, ms, percentile, times } from "./support/figures.ts";
import { cpuMs, memoryOf } from "./support/proc.ts";
import type { Benchmark, Section } from "./support/section.ts";

const single = 100;
const many = 1000;
const slots = 8;
const crowd = 100;
const timed = 20;
const limitSeconds = 0.5;

/** Prints when it began and when it was about to end. */
const clock = "date +%s%N; date +%s%N";
const shell = (command: string) => ["sh", "-c", command];
const wallMs = () => performance.timeOrigin + performance.now();
const stamps = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((nanoseconds) => Number(nanoseconds) / 1e6);

interface Lags {
  /** From the call to the command's first breath. */
  start: number[];
  /** From its last word to the answer in the caller's hand. */
  end: number[];
}

async function lagsOf(once: () => Promise<string>): Promise<Lags> {
  const lags: Lags = { start: [], end: [] };
  for (let round = -5; round < single; round++) {
    const before = wallMs();
    const [began, ended] = stamps(await once()) as [number, number];
    if (round < 0) continue;
    lags.start.push(began - before);
    lags.end.push(wallMs() - ended);
  }
  return lags;
}

/** A supervisor that stays: something runs all the time. */
async function withSupervisor<T>(use: (team: Crew, inbox: Inbox) => Promise<T>): Promise<T> {
  using team = await crew('[runners.direct]\ncommand = ["sleep", "{prompt}"]\n');
  const inbox = openInbox(team.db, { supervised: true });
  try {
    await team.orch("assign", "sh", "sleep 100000");
    await until("the keeper runs", () => team.keepers().length);
    return await use(team, inbox);
  } finally {
    await inbox.close();
  }
}

const assign = (inbox: Inbox, team: Crew, message: string, timeout?: number) =>
  inbox.call("tasks.assign", { agent: "main", profile: "sh", message, cwd: team.path, timeout });

async function received(inbox: Inbox): Promise<string> {
  const { messages } = await inbox.call("mailbox.receive", { agent: "main", timeoutSeconds: 60 });
  return messages[0]!.message;
}

const queued = () =>
  withSupervisor((team, inbox) =>
    lagsOf(async () => {
      await assign(inbox, team, clock);
      return received(inbox);
    }),
  );

async function direct(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { env: bareEnvironment(), stdout: "pipe", stderr: "ignore" });
  const text = await new Response(child.stdout).text();
  await child.exited;
  return text;
}

/** A program of the same kind as a keeper that does nothing but start the command and hand on what it prints. */
function bareKeeper(folder: string): string {
  const source = join(folder, "bare.ts");
  writeFileSync(
    source,
    `const child = Bun.spawn(process.argv.slice(2), { stdout: "inherit", stderr: "inherit" });\nawait child.exited;\n`,
  );
  return compile(source, join(folder, "bare"));
}

async function inTurns(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  let left = many;
  const slot = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: slots }, slot));
  return (performance.now() - started) / many;
}

/** From the run of all to the last result. */
async function throughQueue(): Promise<{ each: number; supervisorMs: number }> {
  using team = await crew();
  const inbox = openInbox(team.db, { supervised: true });
  for (let i = 0; i < many; i++)
    await inbox.call("tasks.push", { agent: "main", prompt: "exit 0", profile: "sh", cwd: team.path });
  const started = performance.now();
  await team.orch("run", String(slots));
  const supervisor = await until("a supervisor runs", () => team.supervisors()[0]);
  let supervisorMs = 0;
  for (let count = 0; count < many; ) {
    const { messages } = await inbox.call("mailbox.receive", { agent: "main", timeoutSeconds: 60 });
    count += messages.length;
    try {
      supervisorMs = cpuMs(supervisor.pid);
    } catch {
      // It has ended.
    }
  }
  const each = (performance.now() - started) / many;
  await inbox.close();
  return { each, supervisorMs: supervisorMs / many };
}

async function memory(): Promise<{ supervisor: number; keeper: number }> {
  return withSupervisor(async (team, inbox) => {
    for (let i = 1; i < crowd; i++) await assign(inbox, team, "sleep 100000");
    await until("all sub-agents of the crowd run", async () => {
      const { running } = await inbox.call("tasks.queue", { all: true });
      return running.filter(({ pid }) => pid !== null).length === crowd;
    });
    await Bun.sleep(6000); // a beat of each
    const [supervisor] = team.supervisors();
    const keepers = team.keepers().map(({ pid }) => memoryOf(pid));
    return { supervisor: memoryOf(supervisor!.pid), keeper: median(keepers) };
  });
}

async function idlerMemory(folder: string): Promise<number> {
  const source = join(folder, "idler.ts");
  writeFileSync(source, "setInterval(() => {}, 1000);\n");
  const idler = compile(source, join(folder, "idler"));
  const idlers = Array.from({ length: 20 }, () =>
    Bun.spawn([idler], { stdio: ["ignore", "ignore", "ignore"] }),
  );
  await Bun.sleep(3000);
  const found = median(idlers.map(({ pid }) => memoryOf(pid)));
  for (const one of idlers) one.kill();
  return found;
}

/** How much later than its limit a task that does not want to end has ended. */
const lateness = () =>
  withSupervisor(async (team, inbox) => {
    const late: number[] = [];
    for (let i = 0; i < timed; i++) {
      const { terminalId } = await assign(
        inbox,
        team,
        "trap '' TERM; setsid sleep 1000 & sleep 1000",
        limitSeconds,
      );
      await received(inbox);
      const { task } = await inbox.call("tasks.show", { name: terminalId });
      late.push(Date.parse(task.finishedAt!) - Date.parse(task.startedAt!) - limitSeconds * 1000);
    }
    return late;
  });

async function run(): Promise<Section> {
  actAsTestUser(); // whose temporary folders may start programs
  using team = await crew();
  const bare = bareKeeper(team.path);
  const plain = await lagsOf(() => direct(shell(clock)));
  const wrapped = await lagsOf(() => direct([bare, ...shell(clock)]));
  const kept = await queued();
  const plainEach = await inTurns(() => direct(shell("exit 0")));
  const wrappedEach = await inTurns(() => direct([bare, ...shell("exit 0")]));
  const through = await throughQueue();
  const sizes = await memory();
  const floor = await idlerMemory(team.path);
  return section({
    plain,
    wrapped,
    kept,
    plainEach,
    wrappedEach,
    through,
    sizes,
    floor,
    late: await lateness(),
  });
}

interface Measured {
  plain: Lags;
  wrapped: Lags;
  kept: Lags;
  plainEach: number;
  wrappedEach: number;
  through: { each: number; supervisorMs: number };
  sizes: { supervisor: number; keeper: number };
  floor: number;
  late: number[];
}

function section(found: Measured): Section {
  const { plain, wrapped, kept, plainEach, wrappedEach, through, sizes, floor, late } = found;
  const lagRow = (name: string, lags: Lags) => [
    name,
    ms(median(lags.start)),
    times(median(lags.start) / median(wrapped.start)),
    ms(median(lags.end)),
    ms(percentile(lags.end, 0.99)),
    times(median(lags.end) / median(wrapped.end)),
  ];
  const eachRow = (name: string, each: number) => [
    name,
    ms(each),
    ms(each - plainEach),
    times(each / wrappedEach),
  ];
  const size = (mib: number) => `${digits(mib)} MiB`;
  const startRatio = median(kept.start) / median(wrapped.start);
  const eachRatio = through.each / wrappedEach;
  return {
    title: "Sub-agents",
    about:
      `A command as a sub-agent, through queue, supervisor and keeper, against the same command started with neither. A keeper is a process of ` +
      `our program, so the floor is a compiled Bun program that starts the command and hands on its output; a keeper takes one task after another. ${single} one after another; then ${many} ` +
      `that do nothing, ${slots} at a time.`,
    tables: [
      {
        head: [
          "One command",
          "call to its start, p50",
          "to the floor",
          "its end to the caller, p50",
          "p99",
          "to the floor",
        ],
        rows: [
          lagRow("started directly", plain),
          lagRow("the floor", wrapped),
          lagRow("as a sub-agent", kept),
        ],
      },
      {
        head: [`${many} commands, ${slots} at a time`, "each", "more than directly", "to the floor"],
        rows: [
          eachRow("started directly", plainEach),
          eachRow("the floor", wrappedEach),
          eachRow("as sub-agents", through.each),
          ["of that, the supervisor's processor time", ms(through.supervisorMs), "–", "–"],
        ],
      },
      {
        head: [`Memory (PSS) with ${crowd} running`, "MiB", "to an idle Bun"],
        rows: [
          ["an idle compiled Bun", size(floor), times(1)],
          ["the supervisor", size(sizes.supervisor), times(sizes.supervisor / floor)],
          ["a keeper", size(sizes.keeper), times(sizes.keeper / floor)],
        ],
      },
      {
        head: [
          `A limit of ${limitSeconds} s, ${timed} that ignore SIGTERM`,
          "later than the limit, p50",
          "at most",
        ],
        rows: [["task ended, nothing left", ms(median(late)), ms(most(late))]],
      },
    ],
    aims: [
      { aim: "call to start: at most 2.5 × the floor", found: times(startRatio), met: startRatio <= 2.5 },
      { aim: "1,000 through 8 slots: at most 3 × the floor", found: times(eachRatio), met: eachRatio <= 3 },
      { aim: "a timeout is on time within 250 ms", found: ms(most(late)), met: most(late) <= 250 },
    ],
  };
}

export const orch: Benchmark = { name: "orch", run };
