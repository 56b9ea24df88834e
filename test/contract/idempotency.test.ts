import { describe, expect, test } from "bun:test";
import { parseInput } from "../../src/contract/operation.ts";
import { type InputOf, operationNamed } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { all, type Procedure, run } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import { type Bench, engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const day = 86_400;

const post = (inbox: Inbox, idempotencyKey?: string, more: Partial<InputOf<"messages.send">> = {}) =>
  inbox.call("messages.send", { channel: "builds", content: "x", sender: "ci", ...more }, { idempotencyKey });
const repeated = (answer: object) => (answer as { deduplicated?: boolean }).deduplicated;

async function written(inbox: Inbox): Promise<number> {
  const { events } = await inbox.call("events.watch", { afterEvent: 0, limit: 1000, timeoutSeconds: 0.01 });
  return events.length;
}

/** A thread from lead to w that w holds. */
async function held(inbox: Inbox): Promise<string> {
  const { thread } = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
  await inbox.call("threads.claim", { agent: "w", thread: thread.threadId });
  return thread.threadId;
}

async function deadLetter(bench: Bench): Promise<number> {
  const { id } = await post(bench.inbox, undefined, { channel: "poisoned" });
  for (let i = 0; i < 6; i++) {
    await bench.inbox.call("mailbox.check", { agent: "poisoned", ack: "manual" });
    bench.pass(61);
  }
  return id;
}

describe.each(engines)("$name", ({ start }) => {
  test("[M9] the same key from the same sender returns the first result, and nothing is written twice", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const first = await post(inbox, "k", { metadata: { n: 1 } });
    expect(repeated(first)).toBeUndefined();
    const before = await written(inbox);
    await inbox.call("messages.ack", { id: first.id, agent: "w" });
    bench.pass(100);
    const again: object = await post(bench.another(), "k", { metadata: { n: 1 } });
    expect(again).toEqual({ ...first, deduplicated: true });
    expect(await post(inbox, "k", { metadata: { n: 1 } })).toEqual(again as typeof first);
    expect((await inbox.call("messages.inbox", { channel: "builds", includeAcked: true })).count).toBe(1);
    const { events } = await inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
    expect(events.slice(before).map(({ eventType }) => eventType)).not.toContain("message.sent");
  });

  test("[M9] without a key the same input is another write, and other keys are other writes", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const ids = [];
    for (const key of [undefined, undefined, "a", "b", "A", "a ", "a"]) ids.push((await post(inbox, key)).id);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 3]);
  });

  test("[M9] a key belongs to its sender", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const ids = [];
    for (const sender of ["a", "b", "a", "b"]) ids.push((await post(inbox, "k", { sender })).id);
    expect(ids).toEqual([1, 2, 1, 2]);
  });

  test("[M9] input that only spells out defaults is the same input", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "k");
    expect(repeated(await post(inbox, "k", { strict: false, ttlSeconds: undefined }))).toBe(true);
  });

  test("[M9] the same key with other input is a conflict, and nothing is written", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "k");
    const before = await written(inbox);
    for (const other of [
      { content: "y" },
      { channel: "other" },
      { ttlSeconds: 5 },
      { metadata: { n: 1 } },
      { correlationId: "r" },
      { taskId: "T" },
    ])
      expect((await refusal(post(inbox, "k", other))).code).toBe("conflict");
    const otherWrite = inbox.call(
      "mailbox.send",
      { from: "ci", to: "builds", message: "x" },
      { idempotencyKey: "k" },
    );
    const error = await refusal(otherWrite);
    expect(error.code).toBe("conflict");
    expect(error.message).toContain("k");
    expect(await written(inbox)).toBe(before);
    expect(repeated(await post(inbox, "k"))).toBe(true);
  });

  test("[M9.3] [M9.4] a key that a client made is kept for an hour, and of a long input its hash", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    const content = "x".repeat(5000);
    await post(inbox, "call-1", { content });
    bench.pass(3600 - 0.001);
    expect((await post(inbox, "call-1", { content })).id).toBe(1);
    expect((await refusal(post(inbox, "call-1", { content: `${content}y` }))).code).toBe("conflict");
    const kept = await bench.engine.read(function* (): Procedure<{ length: number }[]> {
      return yield* all<{ length: number }>(sql`select length(input_json) as length from idempotency_keys`);
    });
    expect(kept.map(({ length }) => length < 100)).toEqual([true]);
    bench.pass(0.002);
    expect((await post(inbox, "call-1", { content })).id).toBe(2);
  });

  test("[M9.3] a key that an earlier version stored with its whole input is known", async () => {
    await using bench = await start();
    const { inbox, engine } = bench;
    const content = "x".repeat(200);
    await post(inbox, "k", { content });
    const given = { channel: "builds", content, sender: "ci" };
    const whole = JSON.stringify(parseInput(operationNamed("messages.send"), given));
    await engine.write(() => run(sql`update idempotency_keys set input_json = ${whole}`));
    expect(await post(inbox, "k", { content })).toMatchObject({ id: 1, deduplicated: true });
    expect((await refusal(post(inbox, "k", { content: `${content}y` }))).code).toBe("conflict");
  });

  test("[M9] a key is kept for 7 days", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await post(inbox, "k");
    bench.pass(7 * day - 0.001);
    expect((await post(inbox, "k")).id).toBe(1);
    expect((await refusal(post(inbox, "k", { content: "y" }))).code).toBe("conflict");
    bench.pass(0.002);
    const after = await post(inbox, "k", { content: "y" });
    expect(after.id).toBe(2);
    expect(repeated(after)).toBeUndefined();
    expect(repeated(await post(inbox, "k", { content: "y" }))).toBe(true);
  });

  test("[M9] of racing calls with one key one writes, and all get its result", async () => {
    await using bench = await start();
    const connections = Array.from({ length: 8 }, () => bench.another());
    const answers = await Promise.all(
      connections.flatMap((inbox) => ["k", "l"].map((key) => post(inbox, key))),
    );
    expect(answers.filter((answer) => !repeated(answer))).toHaveLength(2);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(2);
    expect((await bench.inbox.call("messages.pending", { channel: "builds" })).count).toBe(2);
  });

  test("[M9] a broadcast with a key is sent once, to the agents that were known then", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, undefined, { sender: "a" });
    const first = await post(inbox, "k", { channel: "*" });
    await post(inbox, undefined, { sender: "later" });
    const again: object = await post(inbox, "k", { channel: "*" });
    expect(again).toEqual({ ...first, deduplicated: true });
    expect((await inbox.call("messages.pending", { channel: "a" })).count).toBe(1);
    expect((await inbox.call("messages.pending", { channel: "later" })).count).toBe(0);
  });

  test("[M9] a call that was refused has used up no key", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const strict = { channel: "w", strict: true };
    expect((await refusal(post(inbox, "k", strict))).code).toBe("not_found");
    await post(inbox, undefined, { sender: "w" });
    const sent = await post(inbox, "k", strict);
    expect(repeated(sent)).toBeUndefined();
    expect((await post(inbox, "k", strict)).id).toBe(sent.id);
  });

  test("[M9] every write takes a key", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const letter = await deadLetter(bench);
    await inbox.call("pools.join", { agent: "w", pool: "left" });
    await post(inbox, undefined, { channel: "one" });
    await post(inbox, undefined, { channel: "two" });
    const [renewed, updated, released, done, failed, cancelled] = [
      await held(inbox),
      await held(inbox),
      await held(inbox),
      await held(inbox),
      await held(inbox),
      await held(inbox),
    ];
    const agent = "w";
    const writes: ((options: { idempotencyKey: string }) => Promise<object>)[] = [
      (key) => inbox.call("messages.send", { channel: "c", content: "x", sender: agent }, key),
      (key) => inbox.call("mailbox.send", { from: agent, to: "c", message: "x" }, key),
      (key) => inbox.call("messages.ack", { id: letter + 2, agent }, key),
      (key) => inbox.call("messages.ackAll", { channel: "two", agent }, key),
      (key) => inbox.call("messages.gc", {}, key),
      (key) => inbox.call("retention.set", { kind: "mail", days: 9, agent }, key),
      (key) => inbox.call("quotas.set", { name: "x", openThreads: 9, agent }, key),
      (key) => inbox.call("costs.set", { usd: 9, agent }, key),
      (key) => inbox.call("threads.send", { from: agent, to: "c", subject: "s" }, key),
      (key) => inbox.call("threads.reply", { from: agent, thread: renewed!, summary: "x" }, key),
      (key) => inbox.call("threads.renew", { agent, thread: renewed! }, key),
      (key) => inbox.call("threads.update", { agent, thread: updated! }, key),
      (key) => inbox.call("threads.release", { agent, thread: released! }, key),
      (key) => inbox.call("threads.done", { agent, thread: done! }, key),
      (key) => inbox.call("threads.fail", { agent, thread: failed! }, key),
      (key) => inbox.call("threads.cancel", { agent, thread: cancelled!, reason: "x" }, key),
      (key) => inbox.call("deadLetters.requeue", { id: letter, agent }, key),
      (key) => inbox.call("deadLetters.purge", { channel: "poisoned", agent }, key),
      (key) => inbox.call("pools.join", { agent, pool: "p" }, key),
      (key) => inbox.call("pools.leave", { agent, pool: "left" }, key),
    ];
    for (const [i, write] of writes.entries()) {
      const key = { idempotencyKey: `key ${i}` };
      const first = await write(key);
      const before = await written(inbox);
      expect(repeated(first)).toBeUndefined();
      expect(await write(key)).toEqual({ ...first, deduplicated: true });
      expect(await written(inbox)).toBe(before);
    }
  });

  test("[M9] operations that are not writes take no key", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const key = { idempotencyKey: "k" };
    for (const call of [
      inbox.call("messages.inbox", { channel: "c" }, key),
      inbox.call("messages.pending", { channel: "c" }, key),
      inbox.call("mailbox.list", { agent: "w" }, key),
      inbox.call("mailbox.check", { agent: "w" }, key),
      inbox.call("agents.list", {}, key),
    ])
      expect((await refusal(call)).code).toBe("invalid_input");
  });

  test("[M9] a key has 1 to 256 bytes of text", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const key of ["", "a\u0000b", "\ud800"])
      expect((await refusal(post(inbox, key))).code).toBe("invalid_input");
    expect((await refusal(post(inbox, "x".repeat(257)))).code).toBe("too_large");
    expect(await written(inbox)).toBe(0);
    for (const key of ["x".repeat(256), "*", "-x", "2026-01-01T00:00 ☃"]) {
      const { id } = await post(inbox, key);
      expect((await post(inbox, key)).id).toBe(id);
    }
  });
});
