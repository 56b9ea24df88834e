import { describe, expect, test } from "bun:test";
import { hand } from "../../src/bus/hand-over/hand.ts";
import { releaseHandOver } from "../../src/bus/hand-over/settle.ts";
import { type Granted, threadsClaim } from "../../src/bus/procedures/threads-claim.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { type Bench, engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const agent = "w";

const write = (inbox: Inbox, message = "x", from = "lead") =>
  inbox.call("mailbox.send", { from, to: agent, message });
const ids = (answer: { messages: { id: number }[] }) => answer.messages.map(({ id }) => id);
const status = (inbox: Inbox, id = 1) => inbox.call("messages.status", { id });
const check = (inbox: Inbox) => inbox.call("mailbox.check", { agent });
const manual = (inbox: Inbox, visibilitySeconds?: number) =>
  inbox.call("mailbox.check", { agent, ack: "manual", visibilitySeconds });

/** Deliveries that the reader never acknowledges. */
async function lapse(bench: Bench, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await manual(bench.inbox);
    bench.pass(61);
  }
}

describe.each(engines)("$name", ({ start }) => {
  test("[B4] mail that was handed over and not confirmed is hidden, not collected", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    const handed = await inbox.hand("mailbox.receive", { agent });
    expect(ids(handed.value)).toEqual([1]);
    expect(await check(bench.another())).toMatchObject({ woke: false, messages: [], hidden: 1 });
    expect(await inbox.call("mailbox.list", { agent })).toEqual({ messages: [], total: 0, hidden: 1 });
    expect((await inbox.call("messages.pending", { channel: agent })).count).toBe(1);
    expect(await status(inbox)).toMatchObject({ status: "pending", handed: 1, ackedAt: null });
    await handed.confirm?.();
    expect(await status(inbox)).toMatchObject({ status: "acked", handed: 1, ackedBy: agent });
    bench.pass(61);
    expect(await check(inbox)).toMatchObject({ messages: [], hidden: 0 });
  });

  test("[B4] a lost answer is delivered again after a minute: same id, redelivered: true", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await write(inbox);
    const lost = await inbox.hand("mailbox.receive", { agent });
    expect(lost.value.messages).toMatchObject([{ id: 1, redelivered: false }]);
    bench.pass(59.999);
    expect((await check(inbox)).total).toBe(0);
    bench.pass(0.001);
    const again = await check(bench.another());
    expect(again.messages).toEqual([{ ...lost.value.messages[0]!, redelivered: true }]);
    expect(await status(inbox)).toMatchObject({ status: "acked", handed: 2 });
  });

  test("[B4] an answer given back is there again at once, as if the call had not been made", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    await write(inbox);
    const before = [await status(inbox, 1), await status(inbox, 2)];
    const handed = await inbox.hand("mailbox.check", { agent });
    await handed.release?.();
    expect([await status(inbox, 1), await status(inbox, 2)]).toEqual(before);
    expect(await inbox.call("mailbox.list", { agent })).toMatchObject({ total: 2, hidden: 0 });
    const { messages } = await check(inbox);
    expect(messages).toMatchObject([
      { id: 1, redelivered: false },
      { id: 2, redelivered: false },
    ]);
  });

  test("[B4] an answer given back that may have been seen is there at once, and marked as redelivered", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    const handed = await inbox.hand("mailbox.check", { agent });
    await handed.release?.({ seen: true });
    expect(await inbox.call("mailbox.list", { agent })).toMatchObject({ total: 1, hidden: 0 });
    expect((await check(inbox)).messages).toMatchObject([{ id: 1, redelivered: true }]);
    expect(await status(inbox)).toMatchObject({ status: "acked", handed: 2 });
  });

  test("[B4] [W5] releasing mail wakes an agent that waits for it", async () => {
    await using bench = await start();
    await write(bench.inbox);
    const handed = await bench.inbox.hand("mailbox.receive", { agent });
    const waiting = bench.another().call("mailbox.receive", { agent });
    await handed.release?.();
    expect(ids(await waiting)).toEqual([1]);
  });

  test("[B4] a late confirmation still counts if the message was handed to nobody else", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    const handed = await inbox.hand("mailbox.receive", { agent });
    bench.pass(1000);
    await handed.confirm?.();
    expect(await status(inbox)).toMatchObject({ status: "acked", handed: 1 });
    expect((await check(inbox)).total).toBe(0);
  });

  test("[B4] after another was handed the message the first can neither confirm it nor give it back", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    const lost = [await inbox.hand("mailbox.receive", { agent })];
    bench.pass(61);
    lost.push(await bench.another().hand("mailbox.receive", { agent }));
    bench.pass(61);
    const last = await bench.another().hand("mailbox.receive", { agent });
    expect(last.value.messages).toMatchObject([{ id: 1, redelivered: true }]);
    await lost[0]!.release?.();
    expect((await check(inbox)).hidden).toBe(1);
    // Both are told: a reader that goes on with what is another's would do its work twice.
    for (const each of lost) expect((await refusal(each.confirm!())).code).toBe("conflict");
    expect(await status(inbox)).toMatchObject({ status: "pending", handed: 3 });
    await last.confirm?.();
    expect(await status(inbox)).toMatchObject({ status: "acked", handed: 3 });
  });

  test("[B4] of a batch that lapsed and of which another took a part, the rest is confirmed and the part is named", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const text of ["a", "b", "c"]) await write(inbox, text);
    const first = await inbox.hand("mailbox.check", { agent });
    expect(ids(first.value)).toEqual([1, 2, 3]);
    bench.pass(61);
    const second = await bench.another().hand("mailbox.receive", { agent });
    expect(ids(second.value)).toEqual([1]);
    const late = await refusal(first.confirm!());
    expect(late).toMatchObject({
      code: "conflict",
      details: { collected: ["msg_2", "msg_3"], lost: ["msg_1"] },
    });
    expect(late.message).toContain("msg_1");
    await second.confirm?.();
    for (const id of [1, 2, 3]) expect(await status(inbox, id)).toMatchObject({ status: "acked" });
    // Said again it is the same answer, and changes nothing.
    expect(await refusal(first.confirm!())).toMatchObject({ details: { lost: ["msg_1"] } });
  });

  test("[B4] the same call again, by its id, is handed the same mail, and no other", async () => {
    await using bench = await start();
    const call = crypto.randomUUID();
    for (const text of ["a", "b"]) await write(bench.inbox, text);
    const take = () => bench.engine.write((tx) => hand(tx, { agent, max: 1 }, { call: call }));
    const [first, again] = [await take(), await take()];
    expect([ids(first), ids(again)]).toEqual([[1], [1]]);
    expect(again.messages[0]).toMatchObject({ redelivered: true });
    expect(await status(bench.inbox)).toMatchObject({ handed: 1 });
    expect(ids(await check(bench.inbox))).toEqual([2]);
  });

  test("[B4] [L1] a call that was given up before it came is handed nothing and granted nothing", async () => {
    await using bench = await start();
    await write(bench.inbox);
    await bench.inbox.call("threads.send", { from: "lead", to: agent, subject: "s" });
    const call = crypto.randomUUID();
    const settle = () => bench.engine.write((tx) => releaseHandOver(tx, { of: "call", agent, id: call }));
    await settle();
    await settle();
    const taken = bench.engine.write((tx) => hand(tx, { agent, max: 9 }, { call: call }));
    expect(await refusal(taken)).toMatchObject({ code: "conflict" });
    const input = { agent, leaseSeconds: 900, handOver: call };
    expect(await refusal(bench.engine.write((tx) => threadsClaim(tx, input)))).toMatchObject({
      code: "conflict",
    });
    expect((await check(bench.inbox)).total).toBe(2);
    expect((await bench.inbox.call("threads.claim", { agent })).thread?.threadId).toBe("thr_1");
  });

  test("[B4] [L1] the same claim again, by its id, is granted the same thread under the same token", async () => {
    await using bench = await start();
    for (const subject of ["a", "b"])
      await bench.inbox.call("threads.send", { from: "lead", to: agent, subject });
    const input = { agent, leaseSeconds: 900, handOver: crypto.randomUUID() };
    const take = async () => ((await bench.engine.write((tx) => threadsClaim(tx, input))) as Granted).answer;
    const [first, again] = [await take(), await take()];
    expect(again).toEqual(first);
    expect(first.thread?.threadId).toBe("thr_1");
  });

  test.each([
    ["its last holder", agent],
    ["another agent", "other"],
  ])(
    "[B4.1] [L5.6] [L7.3] a lapsed lease that %s claims and is never shown is released each time, and uses no attempt",
    async (_, claims) => {
      await using bench = await start();
      const { inbox } = bench;
      bench.freeze();
      await inbox.call("threads.send", { from: "lead", to: agent, subject: "s", maxAttempts: 2 });
      const thread = "thr_1";
      await inbox.call("threads.claim", { agent, thread, leaseSeconds: 10 });
      bench.pass(11);
      const expectFree = async () => {
        const shown = await inbox.call("threads.show", { thread });
        expect([shown.thread.status, shown.thread.assignedTo, shown.lease]).toEqual(["pending", agent, null]);
      };
      const handed = await inbox.hand("threads.claim", { agent: claims, thread });
      expect(handed.value.lease?.attempt).toBe(2);
      await handed.release?.();
      await expectFree();
      const again = await inbox.hand("threads.claim", { agent: claims, thread });
      expect(again.value.lease?.attempt).toBe(2);
      await again.release?.();
      await expectFree();
      expect((await inbox.call("threads.claim", { agent })).lease?.attempt).toBe(2);
    },
  );

  test("[B4.7] [L5.6] a claim of what the caller held until its lease lapsed is repeated and released by the id of its call", async () => {
    await using bench = await start();
    bench.freeze();
    await bench.inbox.call("threads.send", { from: "lead", to: agent, subject: "s" });
    await bench.inbox.call("threads.claim", { agent, leaseSeconds: 10 });
    bench.pass(11);
    const id = crypto.randomUUID();
    const input = { agent, leaseSeconds: 900, handOver: id };
    const take = async () => ((await bench.engine.write((tx) => threadsClaim(tx, input))) as Granted).answer;
    const [first, again] = [await take(), await take()];
    expect(again).toEqual(first);
    expect(first.lease?.attempt).toBe(2);
    // The caller that never got the answer knows only the id of its call.
    await bench.engine.write((tx) => releaseHandOver(tx, { of: "call", agent, id }));
    expect((await bench.inbox.call("threads.show", { thread: "thr_1" })).lease).toBeNull();
  });

  test("[L5.6] a claim by the holder of a valid lease that is never shown leaves the thread with its holder", async () => {
    await using bench = await start();
    await bench.inbox.call("threads.send", { from: "lead", to: agent, subject: "s" });
    await bench.inbox.call("threads.claim", { agent });
    const handed = await bench.inbox.hand("threads.claim", { agent, thread: "thr_1" });
    await handed.release?.();
    expect((await bench.inbox.call("threads.show", { thread: "thr_1" })).lease).toMatchObject({
      agentId: agent,
      attempt: 1,
    });
  });

  test("[B4] mail that was released after it may have been seen is marked as redelivered", async () => {
    await using bench = await start();
    await write(bench.inbox);
    const call = crypto.randomUUID();
    await bench.engine.write((tx) => hand(tx, { agent, max: 1 }, { call: call }));
    await bench.engine.write((tx) => releaseHandOver(tx, { of: "call", agent, id: call }));
    expect((await check(bench.inbox)).messages).toMatchObject([{ id: 1, redelivered: true }]);
  });

  test("[B4] once confirmed a second word changes nothing, neither the same nor the other", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    const handed = await inbox.hand("mailbox.receive", { agent });
    await handed.confirm?.();
    const acked = await status(inbox);
    bench.pass(5);
    await Promise.allSettled([handed.confirm?.(), handed.release?.()]);
    expect(await status(inbox)).toEqual(acked);
    expect((await check(inbox)).total).toBe(0);
  });

  test("[B4] a message that was acked by its number in between stays acked by that agent", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    const handed = await inbox.hand("mailbox.receive", { agent });
    await inbox.call("messages.ack", { id: 1, agent: "other" });
    expect((await refusal(handed.confirm!())).code).toBe("conflict");
    expect(await status(inbox)).toMatchObject({ status: "acked", ackedBy: "other" });
  });

  test("[B4] receivers on eight connections empty a mailbox: every message once, none twice", async () => {
    await using bench = await start();
    const count = 120;
    await Promise.all(Array.from({ length: count }, (_, i) => write(bench.inbox, `m${i}`)));
    const take = async (inbox: Inbox, i: number) => {
      const got: { id: number; redelivered: boolean }[] = [];
      for (;;) {
        const { messages } = await inbox.call("mailbox.receive", {
          agent,
          max: 1 + (i % 3),
          lifo: i % 2 === 1,
          timeoutSeconds: 0,
        });
        if (!messages.length) return got;
        got.push(...messages);
      }
    };
    const got = (await Promise.all(Array.from({ length: 8 }, (_, i) => take(bench.another(), i)))).flat();
    expect(got.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, i) => i + 1),
    );
    expect(got.some(({ redelivered }) => redelivered)).toBe(false);
    expect((await bench.inbox.call("messages.pending", { channel: agent })).count).toBe(0);
  });

  test("[B4] receivers that lapse, give back and confirm at random: each message is acked by one of them", async () => {
    await using bench = await start();
    const count = 30;
    await Promise.all(Array.from({ length: count }, (_, i) => write(bench.inbox, `m${i}`)));
    const takers = Array.from({ length: 4 }, () => bench.another());
    let turn = 0;
    while ((await bench.inbox.call("messages.pending", { channel: agent })).count) {
      const round = await Promise.all(
        takers.map((inbox) => inbox.hand("mailbox.receive", { agent, max: 4, timeoutSeconds: 0 })),
      );
      const numbers = round.flatMap(({ value }) => ids(value));
      expect(new Set(numbers).size).toBe(numbers.length);
      await Promise.all(
        round.map((handed) => {
          const what = turn++ % 5;
          return what === 0 ? undefined : what === 1 ? handed.release?.() : handed.confirm?.();
        }),
      );
      if (numbers.length === 0) bench.pass(61);
    }
    const { events } = await bench.inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
    const collected = events
      .filter(({ eventType }) => eventType === "messages.collected")
      .flatMap(({ payload }) => payload.messages as string[]);
    expect(collected).toHaveLength(count);
    expect(new Set(collected).size).toBe(count);
  });

  test("[M3] a position is committed when the page was shown, not before", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    const read = { channel: agent, reader: "r", commit: true };
    const unread = async () => ids(await inbox.call("messages.inbox", { channel: agent, reader: "r" }));
    const lost = await inbox.hand("messages.inbox", read);
    expect(ids(lost.value)).toEqual([1]);
    expect(await unread()).toEqual([1]);
    await lost.release?.();
    expect(await unread()).toEqual([1]);
    const shown = await inbox.hand("messages.inbox", read);
    await shown.confirm?.();
    expect(await unread()).toEqual([]);
  });

  test("[B3] with manual acks a message is hidden for 60 seconds, and comes back with redelivered: true", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await write(inbox);
    expect((await manual(inbox)).messages).toMatchObject([{ id: 1, redelivered: false }]);
    expect(await status(inbox)).toMatchObject({ status: "pending", handed: 1, ackedAt: null });
    bench.pass(59.999);
    expect(await check(inbox)).toMatchObject({ total: 0, hidden: 1 });
    bench.pass(0.001);
    expect(await inbox.call("mailbox.list", { agent })).toMatchObject({
      messages: [{ id: 1, redelivered: true }],
      total: 1,
      hidden: 0,
    });
    expect((await check(inbox)).messages).toMatchObject([{ id: 1, redelivered: true }]);
  });

  test("[B3] an ack by its number within that time collects it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    await write(inbox);
    expect(ids(await manual(inbox))).toEqual([1, 2]);
    expect(await inbox.call("messages.ack", { id: 2, agent })).toMatchObject({ already: false });
    bench.pass(61);
    expect((await check(inbox)).messages).toMatchObject([{ id: 1, redelivered: true }]);
    expect(await status(inbox, 2)).toMatchObject({ status: "acked", ackedBy: agent, handed: 1 });
  });

  test("[B4.6] [M4] a message that is acked by its number while it is handed over does not belong to the receiver", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const ack of ["messages.ack", "messages.ackAll"] as const) {
      const { message } = await write(inbox);
      const id = Number(message.messageId.slice(4));
      await manual(inbox, 1);
      bench.pass(2);
      const handed = await bench.another().hand("mailbox.receive", { agent });
      expect(handed.value.messages).toMatchObject([{ id, redelivered: true }]);
      if (ack === "messages.ack")
        expect(await inbox.call(ack, { id, agent })).toMatchObject({ already: false });
      else expect(await inbox.call(ack, { channel: agent, agent })).toMatchObject({ ackedCount: 1 });
      expect(await refusal(handed.confirm!())).toMatchObject({
        code: "conflict",
        details: { collected: [], lost: [message.messageId] },
      });
    }
  });

  test("[B3] how long it is hidden can be said, and counts from when the answer had arrived", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await write(inbox);
    const handed = await inbox.hand("mailbox.receive", { agent, ack: "manual", visibilitySeconds: 100 });
    bench.pass(30);
    await handed.confirm?.();
    bench.pass(99.999);
    expect((await check(inbox)).hidden).toBe(1);
    bench.pass(0.001);
    expect((await manual(inbox, 1)).total).toBe(1);
    bench.pass(1);
    expect((await manual(inbox, 604_800)).total).toBe(1);
    bench.pass(604_799);
    expect((await check(inbox)).hidden).toBe(1);
    for (const visibilitySeconds of [0, -1, 1.5, 604_801, Number.NaN])
      for (const call of ["mailbox.receive", "mailbox.check", "mailbox.wait"] as const)
        expect((await refusal(inbox.call(call, { agent, visibilitySeconds }))).code).toBe("invalid_input");
    const unknown = { agent, ack: "later" as "auto" };
    expect((await refusal(inbox.call("mailbox.check", unknown))).code).toBe("invalid_input");
  });

  test("[B3] [W1] a receiver that waits gets what comes back, without anybody writing", async () => {
    await using bench = await start();
    await write(bench.inbox);
    await manual(bench.inbox, 1);
    const { messages } = await bench.another().call("mailbox.receive", { agent, timeoutSeconds: 10 });
    expect(messages).toMatchObject([{ id: 1, redelivered: true }]);
  });

  test("[B3] receive, check, wait and gather all hide messages that are acked by hand", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const how = { agent, ack: "manual" as const };
    const calls = [
      () => inbox.call("mailbox.receive", how),
      () => inbox.call("mailbox.check", how),
      () => inbox.call("mailbox.wait", { ...how, batchWindow: 0 }),
      () => inbox.call("mailbox.gather", { ...how, from: ["lead"] }),
    ];
    for (const [i, call] of calls.entries()) {
      await write(inbox);
      expect(ids(await call())).toEqual([i + 1]);
      expect(await status(inbox, i + 1)).toMatchObject({ status: "pending", handed: 1 });
      expect((await check(inbox)).hidden).toBe(i + 1);
    }
    bench.pass(61);
    expect(ids(await check(inbox))).toEqual([1, 2, 3, 4]);
  });

  test("[B3] after 5 lapsed deliveries a message goes to the dead letters, not before", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox, "poison");
    for (let delivery = 1; delivery <= 5; delivery++) {
      expect((await manual(inbox)).messages).toMatchObject([{ id: 1, redelivered: delivery > 1 }]);
      expect((await inbox.call("deadLetters.list", {})).count).toBe(0);
      bench.pass(61);
    }
    expect(await manual(inbox)).toMatchObject({ woke: false, messages: [], hidden: 0 });
    const { messages } = await inbox.call("deadLetters.list", {});
    expect(messages).toMatchObject([
      { id: 1, channel: agent, sender: "lead", content: "poison", status: "dead", lapses: 5 },
    ]);
    const dead = await status(inbox);
    expect(dead).toMatchObject({ status: "dead", handed: 5, ackedAt: null, deadAt: messages[0]!.deadAt });
    expect(dead.deadReason).toContain("5");
    expect((await inbox.call("messages.pending", { channel: agent })).count).toBe(0);
    expect((await inbox.call("messages.inbox", { channel: agent })).count).toBe(0);
    expect((await inbox.call("mailbox.list", { agent })).total).toBe(0);
    bench.pass(1000);
    expect((await check(inbox)).total).toBe(0);
  });

  test("[B3] [W5] the sender of a dead letter is notified, and woken", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox, "poison");
    await lapse(bench, 5);
    const told = bench.another().call("mailbox.receive", { agent: "lead" });
    await check(inbox);
    const { messages } = await told;
    expect(messages).toMatchObject([
      { senderId: agent, kind: "control", threadId: null, metadata: { dead: 1 }, redelivered: false },
    ]);
    expect(messages[0]!.message).toContain("msg_1");
    expect(messages[0]!.message).toContain(agent);
    expect((await inbox.call("mailbox.check", { agent: "lead" })).total).toBe(0);
  });

  test("[B3] a message that is acked in its fifth delivery does not die", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    await lapse(bench, 4);
    await manual(inbox);
    await inbox.call("messages.ack", { id: 1, agent });
    bench.pass(61);
    expect((await check(inbox)).total).toBe(0);
    expect((await inbox.call("deadLetters.list", {})).count).toBe(0);
    expect((await inbox.call("mailbox.check", { agent: "lead" })).total).toBe(0);
    expect(await status(inbox)).toMatchObject({ status: "acked", handed: 5 });
  });

  test("[B3] only lapsed manual deliveries count: not lost answers, not released mail", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    await lapse(bench, 4);
    for (let i = 0; i < 6; i++) {
      await inbox.hand("mailbox.receive", { agent });
      bench.pass(61);
    }
    for (let i = 0; i < 6; i++) {
      await inbox.hand("mailbox.receive", { agent, ack: "manual" }); // it never arrived
      bench.pass(61);
    }
    for (let i = 0; i < 6; i++) await (await inbox.hand("mailbox.receive", { agent })).release?.();
    expect((await inbox.call("deadLetters.list", {})).count).toBe(0);
    expect(ids(await manual(inbox))).toEqual([1]);
    bench.pass(61);
    expect((await manual(inbox)).total).toBe(0);
    expect((await inbox.call("deadLetters.list", {})).messages).toMatchObject([{ id: 1, lapses: 5 }]);
  });

  test("[B3] what time has made a dead letter is one in every read, before anybody writes", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox);
    await lapse(bench, 5);
    expect((await inbox.call("messages.pending", { channel: agent })).count).toBe(0);
    expect((await inbox.call("mailbox.list", { agent })).total).toBe(0);
    expect((await inbox.call("deadLetters.list", {})).messages).toMatchObject([{ id: 1, status: "dead" }]);
    expect((await status(inbox)).status).toBe("dead");
  });

  test("[B7] a slow message does not block other messages", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 3; i++) await write(inbox);
    expect(ids(await inbox.call("mailbox.receive", { agent, ack: "manual" }))).toEqual([1]);
    const second = await bench.another().call("mailbox.receive", { agent });
    expect(ids(second)).toEqual([2]);
    expect(second.hidden).toBe(1);
    expect(ids(await inbox.call("mailbox.receive", { agent }))).toEqual([3]);
  });

  test("[B7] empty means nothing deliverable, and says how many are hidden", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 3; i++) await write(inbox);
    await manual(inbox, 100);
    await write(inbox);
    await inbox.hand("mailbox.receive", { agent });
    const empty = { woke: false, messages: [], total: 0, hidden: 4 };
    expect(await check(inbox)).toMatchObject(empty);
    expect(await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 })).toMatchObject(empty);
    expect(await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0.02 })).toMatchObject(empty);
    expect(await inbox.call("mailbox.wait", { agent, timeoutSeconds: 0 })).toMatchObject(empty);
    await inbox.call("messages.ack", { id: 1, agent });
    expect((await check(inbox)).hidden).toBe(3);
    bench.pass(61);
    expect(await check(inbox)).toMatchObject({ messages: [{ id: 4 }], hidden: 2 });
    bench.pass(40);
    expect(await check(inbox)).toMatchObject({ total: 2, hidden: 0 });
  });

  test("[B7] a poisonous message at the head is skipped in the same call", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox, "poison");
    await write(inbox, "poison");
    await lapse(bench, 5);
    await write(inbox, "good");
    await write(inbox, "good");
    expect(ids(await inbox.call("mailbox.receive", { agent }))).toEqual([3]);
    expect(ids(await check(inbox))).toEqual([4]);
    expect(ids(await inbox.call("deadLetters.list", {}))).toEqual([1, 2]);
  });

  test("[B7] a receive with a timeout waits on when all it found was a poisonous message", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox, "poison");
    await lapse(bench, 5);
    const told = bench.another().call("mailbox.receive", { agent: "lead" });
    const waiting = bench.another().call("mailbox.receive", { agent, timeoutSeconds: 10 });
    await told; // the poison is out of the way
    await write(inbox, "good");
    expect((await waiting).messages).toMatchObject([{ message: "good" }]);
  });

  test("[B3] mail to oneself dies like any other, and its notice is deliverable", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox, "poison", agent);
    await lapse(bench, 5);
    expect((await check(inbox)).messages).toMatchObject([{ senderId: agent, kind: "control" }]);
    expect((await check(inbox)).total).toBe(0);
  });
});
