import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { type Bench, engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const post = (inbox: Inbox, channel: string, ttlSeconds?: number) =>
  inbox.call("messages.send", { channel, content: "x", sender: "lead", ttlSeconds });
const pending = async (inbox: Inbox, channel: string) =>
  (await inbox.call("messages.pending", { channel })).count;

/** Five deliveries that nobody acknowledges, and the sixth call that finds out. */
async function letDie(bench: Bench, agent: string): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await bench.inbox.call("mailbox.check", { agent, ack: "manual" });
    bench.pass(61);
  }
  await bench.inbox.call("mailbox.check", { agent });
}

describe.each(engines)("$name", ({ start }) => {
  test("[M4] an ack takes a message from pending to acked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const sent = await post(inbox, "w");
    bench.pass(5);
    const { message, already } = await inbox.call("messages.ack", { id: 1, agent: "w" });
    expect(already).toBe(false);
    const { recipient, ...record } = sent;
    expect(recipient.known).toBe(false);
    expect(message).toEqual({ ...record, status: "acked", ackedAt: message.ackedAt });
    expect(Date.parse(message.ackedAt!)).toBeGreaterThanOrEqual(Date.parse(sent.createdAt) + 5000);
    expect(await pending(inbox, "w")).toBe(0);
    expect((await inbox.call("messages.inbox", { channel: "w" })).messages).toEqual([]);
    const all = await inbox.call("messages.inbox", { channel: "w", includeAcked: true });
    expect(all.messages).toEqual([message]);
  });

  test("[M4] a second ack answers success with the first time, and changes nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    const first = await inbox.call("messages.ack", { id: 1, agent: "w" });
    const events = await inbox.call("events.watch", { afterEvent: 0 });
    bench.pass(100);
    const second = await bench.another().call("messages.ack", { id: 1, agent: "late" });
    expect(second).toEqual({ message: first.message, already: true });
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ ackedBy: "w" });
    expect(await inbox.call("events.watch", { afterEvent: 0 })).toEqual(events);
  });

  test("[M4] of concurrent acks exactly one gets already: false, and all get the same time", async () => {
    await using bench = await start();
    const ackers = Array.from({ length: 8 }, () => bench.another());
    for (let id = 1; id <= 5; id++) {
      await post(bench.inbox, "w");
      const answers = await Promise.all(
        ackers.map((inbox, i) => inbox.call("messages.ack", { id, agent: `w${i}` })),
      );
      expect(answers.filter(({ already }) => !already)).toHaveLength(1);
      expect(new Set(answers.map(({ message }) => message.ackedAt)).size).toBe(1);
      const winner = answers.findIndex(({ already }) => !already);
      expect((await bench.inbox.call("messages.status", { id })).ackedBy).toBe(`w${winner}`);
    }
  });

  test("[M4] an unknown id is not found", async () => {
    await using bench = await start();
    await post(bench.inbox, "w");
    for (const id of [0, 2, Number.MAX_SAFE_INTEGER]) {
      const error = await refusal(bench.inbox.call("messages.ack", { id, agent: "w" }));
      expect(error.code).toBe("not_found");
      expect(error.message).toContain(String(id));
    }
    for (const id of [-1, 1.5, Number.NaN, 2 ** 53])
      expect((await refusal(bench.inbox.call("messages.ack", { id, agent: "w" }))).code).toBe(
        "invalid_input",
      );
  });

  test("[M4] [M5] an expired message cannot be acked, not even once more", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w", 10);
    await post(inbox, "w", 10);
    await inbox.call("messages.ack", { id: 1, agent: "w" });
    bench.pass(11);
    for (const id of [1, 2])
      expect((await refusal(inbox.call("messages.ack", { id, agent: "w" }))).code).toBe("not_found");
    expect(await inbox.call("messages.ackAll", { channel: "w", agent: "w" })).toEqual({
      channel: "w",
      ackedCount: 0,
    });
  });

  test("[M4] a dead letter is not pending: its ack is refused, never answered as if it were acked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await letDie(bench, "w");
    const error = await refusal(inbox.call("messages.ack", { id: 1, agent: "w" }));
    expect(["not_found", "invalid_state"]).toContain(error.code);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ status: "dead", ackedAt: null });
  });

  test("[M4] a message that is hidden with one reader can be acked by any agent that knows its number", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await inbox.call("mailbox.receive", { agent: "w", ack: "manual" });
    expect(await inbox.call("messages.ack", { id: 1, agent: "helper" })).toMatchObject({ already: false });
    bench.pass(61);
    expect((await inbox.call("mailbox.check", { agent: "w" })).total).toBe(0);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ ackedBy: "helper" });
  });

  test("[M4] a thread's message is acked like any other, and stays in its thread", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    expect(await inbox.call("messages.ack", { id: 1, agent: "w" })).toMatchObject({
      already: false,
      message: { threadId: "thr_1", status: "acked" },
    });
    expect((await inbox.call("threads.show", { thread: "thr_1" })).messages).toHaveLength(1);
    expect((await inbox.call("mailbox.check", { agent: "w" })).total).toBe(0);
  });

  test("[M4] ackAll acks the pending messages of one channel and returns how many it changed", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 4; i++) await post(inbox, "w");
    await post(inbox, "w", 10);
    await post(inbox, "other");
    await inbox.call("messages.ack", { id: 1, agent: "first" });
    await inbox.call("mailbox.receive", { agent: "w", ack: "manual" }); // hidden is pending, too
    bench.pass(11);
    expect(await inbox.call("messages.ackAll", { channel: "w", agent: "w" })).toEqual({
      channel: "w",
      ackedCount: 3,
    });
    expect(await pending(inbox, "w")).toBe(0);
    expect(await pending(inbox, "other")).toBe(1);
    expect((await inbox.call("messages.ackAll", { channel: "w", agent: "w" })).ackedCount).toBe(0);
    expect((await inbox.call("messages.ackAll", { channel: "nobody", agent: "w" })).ackedCount).toBe(0);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ ackedBy: "first" });
    expect(await inbox.call("messages.status", { id: 2 })).toMatchObject({ ackedBy: "w" });
  });

  test("[M4] ackAll leaves dead letters dead", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "w");
    await letDie(bench, "w");
    await post(inbox, "w");
    expect((await inbox.call("messages.ackAll", { channel: "w", agent: "w" })).ackedCount).toBe(1);
    expect((await inbox.call("deadLetters.list", {})).count).toBe(1);
  });

  test("[M4] racing ackAlls and acks change every message once", async () => {
    await using bench = await start();
    for (let i = 0; i < 40; i++) await post(bench.inbox, "w");
    const connections = Array.from({ length: 4 }, () => bench.another());
    const all = connections.map((inbox) => inbox.call("messages.ackAll", { channel: "w", agent: "w" }));
    const single = connections.flatMap((inbox) =>
      [3, 20, 40].map((id) => inbox.call("messages.ack", { id, agent: "x" })),
    );
    const counted = (await Promise.all(all)).reduce((sum, { ackedCount }) => sum + ackedCount, 0);
    const won = (await Promise.all(single)).filter(({ already }) => !already).length;
    expect(counted + won).toBe(40);
  });

  test("[M4] [M3] an ack hides a message from plain reads, from no reader that keeps its own position", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "builds");
    await inbox.call("messages.ack", { id: 1, agent: "someone" });
    expect((await inbox.call("messages.inbox", { channel: "builds" })).count).toBe(0);
    const read = await inbox.call("messages.inbox", { channel: "builds", reader: "deployer" });
    expect(read.messages).toMatchObject([{ id: 1, status: "acked" }]);
  });
});
