/** [G3] Carried mail between processes: several at one inbox, ones that are killed, commands, and hubs. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Subprocess } from "bun";
import {
  broker,
  type CarriedBus,
  deliverySuite,
  ids,
  send,
  sharedBroker,
  untilEmpty,
  untilRead,
  untilReturned,
} from "../support/carried.ts";
import { bareEnvironment, program, run, start } from "../support/cli.ts";
import { served } from "../support/hub.ts";
import { startTap } from "../support/tap.ts";
import { until } from "../support/until.ts";

const agent = "w";
const script = join(import.meta.dir, "reader-child.ts");

interface Child {
  process: Subprocess<"pipe", "pipe", "inherit">;
  /** What it has printed. */
  numbers: number[];
  [Symbol.asyncDispose](): Promise<void>;
}

function child(bus: CarriedBus, what: "collect" | "choosy" | "write", delivery = sharedBroker): Child {
  const process_ = Bun.spawn([process.execPath, script, bus.location, delivery, what, agent], {
    cwd: "/",
    env: bareEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const numbers: number[] = [];
  void (async () => {
    let rest = "";
    for await (const bytes of process_.stdout) {
      rest += new TextDecoder().decode(bytes);
      const lines = rest.split("\n");
      rest = lines.pop()!;
      numbers.push(...lines.map(Number));
    }
  })();
  return {
    process: process_,
    numbers,
    [Symbol.asyncDispose]: async () => {
      process_.kill("SIGKILL");
      await process_.exited;
    },
  };
}

deliverySuite("processes", (store) => {
  test("[B4] [G3] two processes at one inbox and 300 messages: each is collected by exactly one, and none is left", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const writer = bus.open();
    {
      await using one = child(bus, "collect");
      await using two = child(bus, "collect");
      await untilRead(at, bus, agent, 2);
      const sent = await Promise.all(Array.from({ length: 300 }, (_, i) => send(writer, agent, `m${i}`)));
      await until(
        "both readers together have read all that was sent",
        () => one.numbers.length + two.numbers.length >= sent.length,
      );
      await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
      const numeric = (a: number, b: number) => a - b;
      expect([...one.numbers, ...two.numbers].sort(numeric)).toEqual(sent.sort(numeric));
      expect((await writer.call("messages.pending", { channel: agent })).count).toBe(0);
      const twice = await bus.query("select message_id from messages where handed <> 1 or acked_at is null");
      expect(twice).toEqual([]);
      await until(
        "nothing lies in the agent's queue",
        async () => (await at.queue(bus.names.queue(agent)))?.waiting === 0,
      );
    }
    await untilEmpty(at, bus);
  });

  test("[B4] [G3] a process that is killed with a pointer in its hand gives it back: another process gets the message", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    await using holder = child(bus, "choosy", tap.url);
    await untilRead(at, bus);
    const id = await send(bus.open());
    await until("a pointer is delivered", () => tap.said("deliver") > 0);
    holder.process.kill("SIGKILL");
    await holder.process.exited;
    await untilReturned(at, bus);
    const reader = bus.deaf();
    // It may find the message before the pointer comes; what becomes of such a pointer is another test's.
    expect((await reader.receive({ agent })).messages).toMatchObject([{ id, redelivered: false }]);
    await reader.close();
    await tap.stop();
  });

  test("[G3] what a process committed and, killed, did not publish is published by another", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const reader = bus.deaf();
    const first = reader.receive({ agent });
    await untilRead(at, bus);
    const tap = await startTap(sharedBroker);
    await using writer = child(bus, "write", tap.url);
    writer.process.stdin.write("published\n");
    await writer.process.stdin.flush();
    await until("the writer has written one message", () => writer.numbers.length === 1);
    expect(ids(await first)).toEqual(writer.numbers);
    // From here on what it publishes does not arrive.
    tap.freeze();
    const second = reader.receive({ agent });
    writer.process.stdin.write("committed\n");
    await writer.process.stdin.flush();
    await until("the writer has written two messages", () => writer.numbers.length === 2);
    writer.process.kill("SIGKILL");
    expect(ids(await second)).toEqual([writer.numbers[1]!]);
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    await tap.stop();
  });

  test("[G3] inbox send never calls the broker: what it leaves in the outbox another process carries, soon", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    const env = { INBOX_DB: bus.location, INBOX_DELIVERY: tap.url, INBOX_AGENT: "lead" };
    const alone = await run(["send", "nobody yet", "x", "--json"], { env });
    expect([alone.code, alone.stderr]).toEqual([0, ""]);
    expect(await bus.outbox()).toEqual([1]);
    const reader = bus.deaf();
    const received = reader.receive({ agent });
    await untilRead(at, bus);
    expect((await run(["send", agent, "hello", "--json"], { env })).code).toBe(0);
    expect((await received).messages).toMatchObject([{ senderId: "lead", message: "hello" }]);
    await until("the outbox is empty", async () => (await bus.outbox()).length === 0);
    expect(tap.calls()).toBe(0);
    await tap.stop();
  });

  test("[W5] [G3] a POST to a hub wakes inbox receive by the broker, and inbox send a long poll at the hub", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const tap = await startTap(sharedBroker);
    await using hub = await served(bus.location, "--delivery", sharedBroker);
    const flags = ["--db", bus.location, "--delivery", tap.url, "--json"];
    const waiting = start(["receive", "--agent", agent, ...flags]);
    await untilRead(at, bus);
    const posted = await hub.ask(`POST /api/mailbox/${agent}/send`, { from: "lead", message: "by the hub" });
    expect(posted.status).toBe(201);
    const [code, stdout, stderr] = await Promise.all([
      waiting.exited,
      new Response(waiting.stdout).text(),
      new Response(waiting.stderr).text(),
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ woke: true, messages: [{ message: "by the hub" }] });
    await until("a pointer is acked", () => tap.said("ack") > 0);
    const polling = hub.ask("POST /api/mailbox/poller/receive", { timeoutSeconds: 30 });
    await untilRead(at, bus, "poller");
    expect((await run(["send", "poller", "by a command", ...flags])).code).toBe(0);
    expect((await polling).json).toMatchObject({ woke: true, messages: [{ message: "by a command" }] });
    await untilEmpty(at, bus);
    await tap.stop();
  });

  test("[W5] [G3] of two hubs each wakes the other's long poll, and both stop in good time", async () => {
    await using bus = await store.start();
    await using at = await broker();
    const hubs = await Promise.all([1, 2].map(() => served(bus.location, "--delivery", sharedBroker)));
    const polls = hubs.map(({ ask }, i) => ask(`POST /api/mailbox/p${i}/receive`, { timeoutSeconds: 30 }));
    for (const i of [0, 1]) await untilRead(at, bus, `p${i}`);
    for (const i of [0, 1])
      await hubs[1 - i]!.ask(`POST /api/mailbox/p${i}/send`, { from: "lead", message: `m${i}` });
    const answers = await Promise.all(polls);
    expect(answers.map(({ json }) => json.messages[0].message)).toEqual(["m0", "m1"]);
    for (const hub of hubs) hub.kill("SIGTERM");
    expect(await Promise.all(hubs.map(({ exited }) => exited))).toEqual([0, 0]);
    for (const hub of hubs) await hub[Symbol.asyncDispose]();
    for (const i of [0, 1]) await untilEmpty(at, bus, `p${i}`);
  });

  test("[G3] [C3] a command with an invalid address ends with invalid_input, without a stack trace and without its password", async () => {
    await using bus = await store.start();
    const env = { INBOX_DB: bus.location };
    const receive = ["receive", "--agent", agent, "--timeout-seconds", "0"];
    const patient = { program: ["timeout", "40", program] };
    const results = await Promise.all([
      run([...receive, "--delivery", "http://x", "--json"], { env, ...patient }),
      run([...receive, "--delivery", "amqp://"], { env, ...patient }),
      run(["serve", "--port", "0", "--delivery", "amqp://u:s3cret@h?queues=maybe"], { env, ...patient }),
      run(["send", agent, "x"], { env: { ...env, INBOX_DELIVERY: "u:s3cret@h" }, ...patient }),
      run(["send", agent, "x", "--json"], {
        env: { ...env, INBOX_DELIVERY: "amqp://u:s3cret%zz@h" },
        ...patient,
      }),
    ]);
    for (const { code, stdout, stderr } of results) {
      const text = stdout + stderr;
      expect(text).toContain("invalid_input");
      expect(text).not.toContain("s3cret");
      expect(text).not.toMatch(/\n\s+at /);
      expect(code).toBe(30);
    }
    expect(await bus.query("select message_id from messages")).toEqual([]);
    const none = await run([...receive, "--json"], { env: { ...env, INBOX_DELIVERY: "" } });
    expect([none.code, none.stderr]).toEqual([10, ""]);
  });

  test("[G3] [X2] a broker that refuses the password is one that is away; nothing that is printed or served has the password in it", async () => {
    await using bus = await store.start();
    const secret = "s3cret-w0rd";
    const address = new URL(sharedBroker);
    address.password = secret;
    await using hub = await served(bus.location, "--delivery", address.href);
    const env = { INBOX_DB: bus.location, INBOX_DELIVERY: address.href };
    const outputs: string[] = [];
    const inbox = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(args, { env });
      outputs.push(stdout, stderr);
      return code;
    };
    expect(await inbox("send", agent, "hello")).toBe(0);
    expect(await inbox("receive", "--agent", agent, "--timeout-seconds", "20")).toBe(0);
    expect(await inbox("receive", "--agent", agent, "--timeout-seconds", "1", "--json")).toBe(10);
    await inbox("doctor");
    await inbox("doctor", "--json");
    const waiting = hub.ask(`POST /api/mailbox/${agent}/receive`, { timeoutSeconds: 20 });
    await hub.ask(`POST /api/mailbox/${agent}/send`, { from: "lead", message: "x" });
    expect((await waiting).json).toMatchObject({ woke: true });
    for (const route of ["GET /healthz", "GET /openapi.json", "GET /api/agents", "GET /nowhere"])
      outputs.push((await hub.ask(route)).text);
    expect(outputs.filter((text) => text.includes(secret))).toEqual([]);
    expect(outputs.filter((text) => /\n\s+at /.test(text))).toEqual([]);
  });
});
