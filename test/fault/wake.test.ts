/**
 * Wake-ups across processes, and what is left of them when everything they are made of is taken away. The
 * rule gives one second; a busy machine gets ten.
 */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Subprocess } from "bun";
import { isPortable } from "../../src/platform/portable.ts";
import { type Desk, desk, program, start } from "../support/cli.ts";
import { until, untilWatching } from "../support/until.ts";

const slackMs = 10_000;
const wait = ["wait-reply", "thr_1", "--agent", "leader", "--json"];

let bus: Desk;
let wakeFolder: string;
let waiter: Subprocess<"pipe", "pipe", "pipe"> | undefined;

beforeEach(async () => {
  bus = await desk();
  wakeFolder = `${bus.db}-wake`;
  await bus.inbox("send", "--from", "leader", "--to", "worker", "--subject", "s");
});

afterEach(async () => {
  waiter?.kill("SIGKILL");
  await waiter?.exited;
  waiter = undefined;
  bus[Symbol.dispose]();
});

async function waiting(args: string[] = wait) {
  waiter = bus.start(...args);
  await untilWatching(waiter);
  return waiter;
}

const reply = (body: string) => bus.inbox("reply", "thr_1", "--from", "worker", "--body", body);

/** What the waiter says in the end, or that it had to be stopped. */
async function answerOf(child: Subprocess<"pipe", "pipe", "pipe">) {
  const [stdout, stderr] = [new Response(child.stdout).text(), new Response(child.stderr).text()];
  const timer = setTimeout(() => child.kill("SIGKILL"), slackMs);
  const code = await child.exited;
  clearTimeout(timer);
  return {
    code,
    stderr: await stderr,
    json: JSON.parse((await stdout) || '{"error":{"code":"still waiting"}}'),
  };
}

async function expectWokenBy(child: Subprocess<"pipe", "pipe", "pipe">, body: string): Promise<void> {
  const answer = await answerOf(child);
  expect(answer.stderr).toBe("");
  expect(answer.json.error).toBeUndefined();
  expect(answer.json.message.body).toBe(body);
  expect(answer.json.woke).toBe(true);
  expect(answer.code).toBe(0);
}

describe("a write by another process", () => {
  test("[W5] wakes wait-reply", async () => {
    const child = await waiting();
    await reply("at last");
    await expectWokenBy(child, "at last");
  });

  test("[W5] [L2] wakes claim --wait", async () => {
    const child = await waiting(["claim", "--agent", "idle", "--wait", "--json"]);
    await bus.inbox("send", "--from", "leader", "--to", "idle", "--subject", "work");
    expect((await answerOf(child)).json.thread.thread_id).toBe("thr_2");
  });

  test("[W5] [W6] wakes watch --follow, event by event, also after the wake folder was deleted", async () => {
    const child = await waiting(["watch", "--follow"]);
    const lines = linesOf(child.stdout);
    for (const body of ["one", "two", "three", "four"]) {
      const { message } = (await reply(body)).json;
      let event: { message_id?: string };
      do event = JSON.parse(await lines.next());
      while (event.message_id === undefined || event.message_id === null);
      expect(event.message_id).toBe(message.message_id);
      rmSync(wakeFolder, { recursive: true, force: true });
    }
  });

  test("[W1] [W5] a write by another program without any wake-up is noticed each time", async () => {
    const child = await waiting(["watch", "--follow"]);
    const lines = linesOf(child.stdout);
    for (const number of [2, 3, 4]) {
      const db = new Database(bus.db);
      db.run(`insert into messages (message_id, thread_id, from_agent, to_agent, kind, summary, created_at)
          values (${number}, 1, 'worker', 'leader', 'answer', 's', '2030-01-01T00:00:00.000Z');
        insert into events (thread_id, source, event_type, message_id, created_at)
          values (1, 'worker', 'message.sent', ${number}, '2030-01-01T00:00:00.000Z')`);
      db.close();
      expect(JSON.parse(await lines.next()).message_id).toBe(`msg_${number}`);
    }
  });
});

const losses = [
  { what: "deleted", harm: () => rmSync(wakeFolder, { recursive: true }) },
  {
    what: "emptied",
    harm: () => {
      for (const name of readdirSync(wakeFolder)) rmSync(join(wakeFolder, name));
    },
  },
  {
    what: "replaced file by file",
    harm: () => {
      for (const name of readdirSync(wakeFolder)) {
        writeFileSync(join(wakeFolder, "new"), "");
        renameSync(join(wakeFolder, "new"), join(wakeFolder, name));
      }
    },
  },
  {
    what: "replaced by a file",
    harm: () => {
      rmSync(wakeFolder, { recursive: true });
      writeFileSync(wakeFolder, "");
    },
  },
];

describe.each(losses)("a wake folder that is $what", ({ harm }) => {
  test("[W1] while an agent waits loses no message", async () => {
    const child = await waiting();
    harm();
    await reply("anyway");
    await expectWokenBy(child, "anyway");
  });
});

test("[W1] a file in the place of the wake folder costs no message", async () => {
  writeFileSync(wakeFolder, "");
  waiter = bus.start(...wait);
  await reply("anyway");
  await expectWokenBy(waiter, "anyway");
});

/** Forbids inotify to the program, in a user namespace where one may forbid that. */
const noInotify = [
  "unshare",
  "-r",
  "sh",
  "-c",
  'echo 0 >/proc/sys/user/max_inotify_instances && exec "$0" "$@"',
];
const canForbid = spawnSync(noInotify[0]!, [...noInotify.slice(1), "true"], { stdio: "ignore" }).status === 0;

describe.skipIf(!canForbid)("without inotify (skipped where there are no user namespaces)", () => {
  async function waitingBlind() {
    waiter = start(wait, { cwd: bus.path, program: [...noInotify, program] });
    await until(
      "the waiter watches its folder",
      () => existsSync(wakeFolder) && readdirSync(wakeFolder).length,
    );
    return waiter;
  }

  test("[W1] [W5] wait-reply is woken nevertheless", async () => {
    const child = await waitingBlind();
    await reply("seen");
    await expectWokenBy(child, "seen");
  });

  test("[W1] also with the wake folder deleted", async () => {
    const child = await waitingBlind();
    rmSync(wakeFolder, { recursive: true });
    await reply("seen");
    await expectWokenBy(child, "seen");
  });

  test("[W1] an idle waiter burns next to nothing", async () => {
    await expectIdle([(await waitingBlind()).pid]);
  });
});

describe("the database", () => {
  async function expectStorageError(child: Subprocess<"pipe", "pipe", "pipe">): Promise<void> {
    const answer = await answerOf(child);
    expect(answer.json.error.code).toBe("storage");
    expect(answer.code).toBe(50);
    expect(answer.stderr).toBe("");
  }

  test("[C3] [W1] deleted under a waiter ends the wait with an error", async () => {
    const child = await waiting();
    rmSync(bus.db);
    await expectStorageError(child);
  });

  test("[C3] [W1] replaced under a waiter ends the wait with an error", async () => {
    const child = await waiting();
    copyFileSync(bus.db, `${bus.db}.copy`);
    chmodSync(`${bus.db}.copy`, 0o600);
    renameSync(`${bus.db}.copy`, bus.db);
    await expectStorageError(child);
  });

  test("[C3] [W1] deleted with its folder ends the wait, and nothing of it comes back", async () => {
    const child = await waiting();
    rmSync(dirname(bus.db), { recursive: true });
    await expectStorageError(child);
    expect(existsSync(dirname(bus.db))).toBe(false);
  });
});

test("[W1] idle waiters burn next to nothing", async () => {
  await bus.inbox("check", "--agent", "idle"); // known from before: who waits for the first time is an event
  const commands = [wait, ["claim", "--agent", "idle", "--wait"], ["watch"], ["watch", "--follow"]];
  const children = commands.map((args) => bus.start(...args));
  try {
    for (const child of children) await untilWatching(child);
    await expectIdle(children.map(({ pid }) => pid));
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map((child) => child.exited));
  }
});

test.skipIf(isPortable())("[W1] a command that waits wakes up about once a second", async () => {
  const child = await waiting();
  const settled = async () => {
    const before = wakeUpsOf(child.pid);
    await Bun.sleep(1000);
    return wakeUpsOf(child.pid) - before <= 3;
  };
  // The runtime's own timers become rare after half a minute; this must not take as long.
  await until("it has settled", settled, 20_000);
  await reply("at last");
  await expectWokenBy(child, "at last");
});

/** How often its threads have stopped sleeping. */
function wakeUpsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8"))
    .reduce((sum, status) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]), 0);
}

/** Processor time over three seconds: not a speed, but whether they sleep or turn in circles. */
async function expectIdle(pids: number[]): Promise<void> {
  const before = pids.map(ticksOf);
  await Bun.sleep(3000);
  const used = pids.map((pid, i) => ticksOf(pid) - before[i]!);
  for (const ticks of used) expect(ticks).toBeLessThan(30); // of 300
}

/** User and system time in hundredths of a second: fields 14 and 15, counted after the name. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function linesOf(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  return {
    async next(): Promise<string> {
      while (!buffer.includes("\n")) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the stream has ended");
        buffer += decoder.decode(value, { stream: true });
      }
      const [line, ...rest] = buffer.split("\n");
      buffer = rest.join("\n");
      return line!;
    },
  };
}
