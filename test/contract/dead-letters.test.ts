import { describe, expect, test } from "bun:test";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { type Bench, engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const by = { agent: "operator" };

const post = (inbox: Inbox, channel: string, more: Partial<InputOf<"messages.send">> = {}) =>
  inbox.call("messages.send", { channel, content: "poison", sender: "lead", ...more });
const ids = (answer: { messages: { id: number }[] }) => answer.messages.map(({ id }) => id);
const dead = async (inbox: Inbox) => ids(await inbox.call("deadLetters.list", {}));
const pending = async (inbox: Inbox, channel: string) =>
  (await inbox.call("messages.pending", { channel })).count;

/** What is in these mailboxes is delivered five times, never acknowledged, and then found to be dead. */
async function letDie(bench: Bench, ...agents: string[]): Promise<void> {
  for (let i = 0; i < 6; i++) {
    for (const agent of agents) await bench.inbox.call("mailbox.check", { agent, ack: "manual" });
    if (i < 5) bench.pass(61);
  }
}

describe.each(engines)("$name", ({ start }) => {
  test("[B6] dead letters are listed oldest first, of all or of one channel, page by page", async () => {
    await using bench = await start();
    const { inbox } = bench;
    expect(await inbox.call("deadLetters.list", {})).toEqual({ messages: [], count: 0 });
    for (const channel of ["a", "b", "a", "b", "a"]) await post(inbox, channel);
    await letDie(bench, "b", "a");
    await post(inbox, "a");
    const all = await inbox.call("deadLetters.list", {});
    expect(all.count).toBe(5);
    expect(ids(all)).toEqual([1, 2, 3, 4, 5]);
    expect(ids(await inbox.call("deadLetters.list", { channel: "b" }))).toEqual([2, 4]);
    expect(ids(await inbox.call("deadLetters.list", { channel: "c" }))).toEqual([]);
    expect(ids(await inbox.call("deadLetters.list", { limit: 2 }))).toEqual([1, 2]);
    expect(ids(await inbox.call("deadLetters.list", { afterId: 2, limit: 2 }))).toEqual([3, 4]);
    expect(ids(await inbox.call("deadLetters.list", { channel: "a", afterId: 3 }))).toEqual([5]);
    for (const wrong of [{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { afterId: -1 }, { channel: "*" }])
      expect((await refusal(inbox.call("deadLetters.list", wrong))).code).toBe("invalid_input");
  });

  test("[B6] one can be shown whole, with when and why it died", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const sent = await post(inbox, "w", { metadata: { n: 1 }, correlationId: "r", taskId: "T" });
    await letDie(bench, "w");
    const { message } = await inbox.call("deadLetters.show", { id: 1 });
    const { recipient, ...record } = sent;
    expect(recipient.name).toBe("w");
    const { deadAt, deadReason } = message;
    expect(message).toEqual({ ...record, status: "dead", deadAt, deadReason, lapses: 5 });
    expect(Date.parse(deadAt)).toBeGreaterThanOrEqual(Date.parse(sent.createdAt) + 4 * 61_000 + 60_000);
    expect(deadReason).not.toBe("");
    expect((await inbox.call("deadLetters.list", {})).messages).toEqual([message]);
  });

  test("[B6] a message that is not dead is not found as a dead letter", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await post(inbox, "w");
    await inbox.call("messages.ack", { id: 2, agent: "w" });
    for (const id of [1, 2, 3]) {
      expect((await refusal(inbox.call("deadLetters.show", { id }))).code).toBe("not_found");
      expect((await refusal(inbox.call("deadLetters.requeue", { id, ...by }))).code).toBe("not_found");
      expect((await refusal(inbox.call("deadLetters.purge", { id, ...by }))).code).toBe("not_found");
    }
    expect(await pending(inbox, "w")).toBe(1);
  });

  test("[B6] [O1] a requeued letter is in its inbox again, and has five deliveries more", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await letDie(bench, "w");
    expect(await pending(inbox, "w")).toBe(0);
    expect(await inbox.call("deadLetters.requeue", { id: 1, ...by })).toEqual({ requeued: 1 });
    expect(await dead(inbox)).toEqual([]);
    expect(await pending(inbox, "w")).toBe(1);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({
      status: "pending",
      deadAt: null,
      deadReason: null,
    });
    for (let i = 0; i < 5; i++) {
      const { messages } = await inbox.call("mailbox.check", { agent: "w", ack: "manual" });
      expect(messages).toMatchObject([{ id: 1, redelivered: true }]);
      bench.pass(61);
    }
    // Only time has made it one, and nobody has written that down: it is listed and counted all the same.
    expect([await dead(inbox), (await inbox.call("stats.show", {})).deadLetters]).toEqual([[1], 1]);
    expect((await inbox.call("mailbox.check", { agent: "w" })).total).toBe(0);
    expect(await dead(inbox)).toEqual([1]);
    expect((await inbox.call("mailbox.check", { agent: "lead" })).total).toBe(2); // told each time
  });

  test("[B6] [W5] requeueing wakes an agent that waits for mail", async () => {
    await using bench = await start();
    await post(bench.inbox, "w");
    await letDie(bench, "w");
    const waiting = bench.another().call("mailbox.receive", { agent: "w" });
    await bench.inbox.call("deadLetters.requeue", { id: 1, ...by });
    expect(ids(await waiting)).toEqual([1]);
    expect(await bench.inbox.call("messages.status", { id: 1 })).toMatchObject({ status: "acked" });
  });

  test("[B6] all of a channel are requeued or purged together, no other's", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const channel of ["a", "b", "a", "b"]) await post(inbox, channel);
    await letDie(bench, "a", "b");
    await post(inbox, "a");
    expect(await inbox.call("deadLetters.requeue", { channel: "a", ...by })).toEqual({ requeued: 2 });
    expect(await dead(inbox)).toEqual([2, 4]);
    expect(ids(await inbox.call("mailbox.check", { agent: "a" }))).toEqual([1, 3, 9]); // 5 to 8 told the sender
    expect(await inbox.call("deadLetters.purge", { channel: "b", ...by })).toEqual({ purged: 2 });
    expect(await dead(inbox)).toEqual([]);
    expect(await inbox.call("deadLetters.requeue", { channel: "b", ...by })).toEqual({ requeued: 0 });
    expect(await inbox.call("deadLetters.purge", { channel: "a", ...by })).toEqual({ purged: 0 });
  });

  test("[B6] a purged letter is gone", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await post(inbox, "w");
    await letDie(bench, "w");
    expect(await inbox.call("deadLetters.purge", { id: 1, ...by })).toEqual({ purged: 1 });
    expect(await dead(inbox)).toEqual([2]);
    expect((await refusal(inbox.call("messages.status", { id: 1 }))).code).toBe("not_found");
    expect((await refusal(inbox.call("deadLetters.purge", { id: 1, ...by }))).code).toBe("not_found");
    expect((await inbox.call("mailbox.check", { agent: "w" })).total).toBe(0);
  });

  test("[B6] a thread's letter that is purged stays in its thread, settled", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    await letDie(bench, "w");
    expect(await dead(inbox)).toEqual([1]);
    expect((await inbox.call("deadLetters.show", { id: 1 })).message).toMatchObject({
      threadId: "thr_1",
      kind: "task",
    });
    expect(await inbox.call("deadLetters.purge", { id: 1, ...by })).toEqual({ purged: 1 });
    expect(await dead(inbox)).toEqual([]);
    expect((await inbox.call("threads.show", { thread: "thr_1" })).messages).toHaveLength(1);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({
      status: "acked",
      ackedBy: "operator",
      deadAt: null,
    });
    expect((await inbox.call("mailbox.check", { agent: "w" })).total).toBe(0);
  });

  test("[B6] a letter or a channel is named, not both and not neither", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await letDie(bench, "w");
    for (const which of [by, { id: 1, channel: "w", ...by }]) {
      expect((await refusal(inbox.call("deadLetters.requeue", which))).code).toBe("invalid_input");
      expect((await refusal(inbox.call("deadLetters.purge", which))).code).toBe("invalid_input");
    }
    expect(await dead(inbox)).toEqual([1]);
  });

  test("[B6] of racing requeues and purges of one letter exactly one does it", async () => {
    await using bench = await start();
    await post(bench.inbox, "w");
    await letDie(bench, "w");
    const calls = Array.from({ length: 8 }, (_, i) => {
      const inbox = bench.another();
      return i % 2
        ? inbox.call("deadLetters.requeue", { id: 1, ...by })
        : inbox.call("deadLetters.purge", { id: 1, ...by });
    });
    const settled = await Promise.allSettled(calls);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of settled)
      if (result.status === "rejected") expect(result.reason.code).toBe("not_found");
  });

  test("[B6] [M7] gc leaves dead letters alone", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await letDie(bench, "w");
    bench.pass(1000 * 3600);
    expect(await inbox.call("messages.gc", { ackedOlderThanHours: 1 })).toEqual({ expired: 0, acked: 0 });
    expect(await dead(inbox)).toEqual([1]);
  });

  test("[B6] [M5] a dead letter that has expired is in no list, and cannot be brought back", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w", { ttlSeconds: 1000 });
    await letDie(bench, "w");
    expect(await dead(inbox)).toEqual([1]);
    bench.pass(1000);
    expect(await dead(inbox)).toEqual([]);
    expect((await refusal(inbox.call("deadLetters.show", { id: 1 }))).code).toBe("not_found");
    expect((await refusal(inbox.call("deadLetters.requeue", { id: 1, ...by }))).code).toBe("not_found");
    expect(await inbox.call("deadLetters.requeue", { channel: "w", ...by })).toEqual({ requeued: 0 });
  });

  test("[B6] [M3] a reader that keeps its own position still sees messages that have died", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await letDie(bench, "w");
    const read = await inbox.call("messages.inbox", { channel: "w", reader: "audit" });
    expect(read.messages).toMatchObject([{ id: 1, status: "dead" }]);
    expect((await inbox.call("messages.inbox", { channel: "w" })).count).toBe(0);
  });
});
