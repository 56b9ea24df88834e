import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const mebibyte = 1024 * 1024;
const agent = "w";

const write = (inbox: Inbox, message: string, from = "lead") =>
  inbox.call("mailbox.send", { from, to: agent, message });
const texts = (answer: { messages: { message: string }[] }) => answer.messages.map(({ message }) => message);
const ids = (answer: { messages: { id: number }[] }) => answer.messages.map(({ id }) => id);
const pending = async (inbox: Inbox) => (await inbox.call("messages.pending", { channel: agent })).count;

describe.each(engines)("$name", ({ start }) => {
  test("[B1] receive collects one message, the oldest, and a collected message is acked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const text of ["one", "two", "three"]) await write(inbox, text);
    const first = await inbox.call("mailbox.receive", { agent });
    expect(first).toMatchObject({ woke: true, total: 1, hidden: 0 });
    expect(texts(first)).toEqual(["one"]);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ status: "acked", ackedBy: agent });
    expect(await pending(inbox)).toBe(2);
    expect(texts(await inbox.call("mailbox.receive", { agent }))).toEqual(["two"]);
    expect(texts(await inbox.call("mailbox.receive", { agent }))).toEqual(["three"]);
    expect(await pending(inbox)).toBe(0);
  });

  test("[B1] with max N receive collects up to N messages, and waits only for the first", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 1; i <= 5; i++) await write(inbox, String(i));
    expect(ids(await inbox.call("mailbox.receive", { agent, max: 3 }))).toEqual([1, 2, 3]);
    expect(ids(await inbox.call("mailbox.receive", { agent, max: 1000 }))).toEqual([4, 5]);
    for (const max of [0, -1, 1001, 1.5, Number.NaN])
      for (const call of ["mailbox.receive", "mailbox.check", "mailbox.wait"] as const)
        expect((await refusal(inbox.call(call, { agent, max }))).code).toBe("invalid_input");
  });

  test("[B1] [W5] receive blocks until another connection sends: plainly, on the channel, or in a thread", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const receiver = bench.another();
    const receive = () => receiver.call("mailbox.receive", { agent });
    const waiting = receive();
    expect(await Promise.race([waiting, Bun.sleep(50).then(() => "still waiting")])).toBe("still waiting");
    await write(inbox, "plain");
    expect(texts(await waiting)).toEqual(["plain"]);
    for (const send of [
      () => inbox.call("messages.send", { channel: agent, content: "text", sender: "lead" }),
      () => inbox.call("threads.send", { from: "lead", to: agent, subject: "text" }),
      () => inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "text" }),
      () => inbox.call("mailbox.send", { from: "lead", to: "*", message: "text" }),
    ]) {
      const next = receive();
      await send();
      expect(texts(await next)).toEqual(["text"]);
    }
  });

  test("[B1] a sender that races the start of the wait is never missed", async () => {
    await using bench = await start();
    const receiver = bench.another();
    for (let i = 0; i < 30; i++) {
      const waiting = receiver.call("mailbox.receive", { agent });
      if (i % 3) await Promise.resolve();
      await write(bench.inbox, `m${i}`);
      expect(texts(await waiting)).toEqual([`m${i}`]);
    }
  });

  test("[B1] check collects all that is ready, without blocking; nothing there is an empty answer", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const none = await inbox.call("mailbox.check", { agent });
    expect(none).toEqual({ woke: false, nextEventId: none.nextEventId, messages: [], total: 0, hidden: 0 });
    for (let i = 0; i < 60; i++) await write(inbox, String(i));
    const all = await inbox.call("mailbox.check", { agent });
    expect(all).toMatchObject({ woke: true, total: 60, hidden: 0 });
    expect(ids(all)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect((await inbox.call("mailbox.check", { agent })).total).toBe(0);
    await write(inbox, "a");
    await write(inbox, "b");
    expect(texts(await inbox.call("mailbox.check", { agent, max: 1 }))).toEqual(["a"]);
  });

  test("[B1] a mailbox of big messages is emptied in pieces of at most 4 MiB, in order, none twice", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 6; i++) await write(inbox, String(i).repeat(mebibyte));
    const got: number[] = [];
    for (;;) {
      const answer = await inbox.call("mailbox.check", { agent });
      if (!answer.total) break;
      expect(texts(answer).join("").length).toBeLessThanOrEqual(4 * mebibyte);
      got.push(...ids(answer));
    }
    expect(got).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("[B1] the newest comes first when asked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 1; i <= 5; i++) await write(inbox, String(i));
    expect(ids(await inbox.call("mailbox.receive", { agent, lifo: true }))).toEqual([5]);
    expect(ids(await inbox.call("mailbox.receive", { agent, lifo: true, max: 2 }))).toEqual([4, 3]);
    await write(inbox, "6");
    expect(ids(await inbox.call("mailbox.check", { agent, lifo: true }))).toEqual([6, 2, 1]);
  });

  test("[B1] mail can be limited to one sender; the rest stays", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const from of ["a", "b", "a", "c", "b"]) await write(inbox, `from ${from}`, from);
    expect(ids(await inbox.call("mailbox.receive", { agent, from: "b" }))).toEqual([2]);
    expect(ids(await inbox.call("mailbox.receive", { agent, from: "a", lifo: true }))).toEqual([3]);
    expect(await inbox.call("mailbox.receive", { agent, from: "d", timeoutSeconds: 0 })).toMatchObject({
      woke: false,
      messages: [],
    });
    expect(ids(await inbox.call("mailbox.check", { agent, from: "b" }))).toEqual([5]);
    expect(ids(await inbox.call("mailbox.check", { agent }))).toEqual([1, 4]);
  });

  test("[B1] a receive from one sender sleeps through the others' mail", async () => {
    await using bench = await start();
    const waiting = bench.another().call("mailbox.receive", { agent, from: "b" });
    await write(bench.inbox, "not this", "a");
    await write(bench.inbox, "this", "b");
    expect(texts(await waiting)).toEqual(["this"]);
    expect(await pending(bench.inbox)).toBe(1);
  });

  test("[B1] a receiver that another was faster than waits on for the rest of its time", async () => {
    await using bench = await start();
    await write(bench.inbox, "first");
    const receivers = [bench.another(), bench.another()].map((inbox) =>
      inbox.call("mailbox.receive", { agent, timeoutSeconds: 10 }),
    );
    await Promise.race(receivers);
    await write(bench.inbox, "second");
    const got = (await Promise.all(receivers)).flatMap(texts);
    expect(got.sort()).toEqual(["first", "second"]);
  });

  test("[B1] list shows waiting mail, oldest first, without collecting it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    expect(await inbox.call("mailbox.list", { agent })).toEqual({ messages: [], total: 0, hidden: 0 });
    for (const from of ["a", "b", "a"]) await write(inbox, `from ${from}`, from);
    await inbox.call("threads.send", { from: "lead", to: agent, subject: "s" });
    await inbox.call("mailbox.receive", { agent, ack: "manual" });
    const list = await inbox.call("mailbox.list", { agent });
    expect(list).toMatchObject({ total: 3, hidden: 1 });
    expect(ids(list)).toEqual([2, 3, 4]);
    expect(await inbox.call("mailbox.list", { agent })).toEqual(list);
    expect(await inbox.call("mailbox.list", { agent, limit: 1 })).toMatchObject({
      messages: [{ id: 2 }],
      total: 3,
    });
    const byOne = await inbox.call("mailbox.list", { agent, from: "a" });
    expect(ids(byOne)).toEqual([3]);
    expect(byOne.total).toBe(1);
    for (const limit of [0, 1001, 1.5])
      expect((await refusal(inbox.call("mailbox.list", { agent, limit }))).code).toBe("invalid_input");
    expect(ids(await inbox.call("mailbox.check", { agent }))).toEqual([2, 3, 4]);
  });

  test("[B2] every message has its id, sender, text, time, thread and kind", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const more = { correlationId: "r", metadata: { Any_Key: 1 } };
    const plain = await inbox.call("messages.send", { channel: agent, content: "hi", sender: "a", ...more });
    const { message } = await inbox.call("threads.send", {
      from: "lead",
      to: agent,
      subject: "s",
      summary: "short",
      body: "long",
      payload: { n: 1 },
    });
    const { messages } = await inbox.call("mailbox.wait", { agent, batchWindow: 0 });
    expect(messages).toEqual([
      {
        id: 1,
        senderId: "a",
        message: "hi",
        createdAt: plain.createdAt,
        threadId: null,
        kind: "event",
        correlationId: "r",
        metadata: { Any_Key: 1 },
        redelivered: false,
        senderVerified: false,
      },
      {
        id: 2,
        senderId: "lead",
        message: "long",
        summary: "short",
        createdAt: message.createdAt,
        threadId: "thr_1",
        kind: "task",
        correlationId: null,
        metadata: { n: 1 },
        redelivered: false,
        senderVerified: false,
      },
    ]);
  });

  test("[B2] wait continues for the batch window after the first message, and returns all messages together", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox, "there before", "a");
    // The window is longer than the test may take: what ends it is the third message.
    const waiting = bench.another().call("mailbox.wait", { agent, batchWindow: 60, max: 3 });
    await write(inbox, "later", "b");
    await write(inbox, "last", "c");
    const answer = await waiting;
    expect(texts(answer)).toEqual(["there before", "later", "last"]);
    expect(answer).toMatchObject({ woke: true, total: 3, hidden: 0 });
    expect(await pending(inbox)).toBe(0);
  });

  test("[B2] the window starts with the first message, not with the wait, and ends without more mail", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const waiting = bench.another().call("mailbox.wait", { agent, batchWindow: 0.5, timeoutSeconds: 10 });
    expect(await Promise.race([waiting, Bun.sleep(50).then(() => "still waiting")])).toBe("still waiting");
    const started = performance.now();
    await write(inbox, "first");
    expect(texts(await waiting)).toEqual(["first"]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(450);
  });

  test("[B2] the window is 2 seconds by default", async () => {
    await using bench = await start();
    const started = performance.now();
    await write(bench.inbox, "x");
    await bench.inbox.call("mailbox.wait", { agent });
    expect(performance.now() - started).toBeGreaterThanOrEqual(1950);
  });

  test("[B2] mail that has waited longer than the window is answered at once", async () => {
    await using bench = await start();
    bench.freeze();
    await write(bench.inbox, "old");
    bench.pass(60);
    expect(texts(await bench.inbox.call("mailbox.wait", { agent, batchWindow: 60 }))).toEqual(["old"]);
  });

  test("[B2] the window ends with the last answer that is expected", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const [i, worker] of ["a", "b"].entries()) {
      await inbox.call("threads.send", { from: agent, to: worker, subject: "s" });
      await inbox.call("threads.claim", { agent: worker, thread: `thr_${i + 1}` });
    }
    const done = (worker: string, thread: string) =>
      inbox.call("threads.done", { agent: worker, thread, summary: worker });
    await done("a", "thr_1");
    const waiting = bench.another().call("mailbox.wait", { agent, batchWindow: 60 });
    await done("b", "thr_2");
    expect(texts(await waiting)).toEqual(["a", "b"]);
    await write(inbox, "only one was asked for", "c");
    expect((await inbox.call("mailbox.wait", { agent, from: "c", batchWindow: 60 })).total).toBe(1);
  });

  test("[B2] [W3] a timeout of 0 answers at once, without a window", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const now = { agent, timeoutSeconds: 0, batchWindow: 60 };
    expect(await inbox.call("mailbox.wait", now)).toMatchObject({ woke: false, messages: [] });
    await write(inbox, "a");
    await write(inbox, "b");
    expect(texts(await inbox.call("mailbox.wait", now))).toEqual(["a", "b"]);
  });

  test("[B2] wait takes at most max, and only from one sender when asked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const from of ["a", "b", "b", "b"]) await write(inbox, from, from);
    const wait = { agent, from: "b", batchWindow: 60 };
    expect(ids(await inbox.call("mailbox.wait", { ...wait, max: 2 }))).toEqual([2, 3]);
    expect(ids(await inbox.call("mailbox.wait", { ...wait, max: 1 }))).toEqual([4]);
    expect(await pending(inbox)).toBe(1);
  });

  test("[B2] a batch window is a number from 0 to 60", async () => {
    await using bench = await start();
    for (const batchWindow of [-1, 61, Number.NaN, Number.POSITIVE_INFINITY])
      expect((await refusal(bench.inbox.call("mailbox.wait", { agent, batchWindow }))).code).toBe(
        "invalid_input",
      );
  });

  test("[W3] a timeout says woke: false and gives the cursor to resume from", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: "lead", to: "other", message: "x" });
    // The first call makes the agent known, which is an event that an engine may not count as settled yet.
    await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    const { nextEventId } = await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0.05 });
    const { events } = await inbox.call("events.watch", { afterEvent: 0 });
    for (const answer of [
      await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0.05 }),
      await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 }),
      await inbox.call("mailbox.wait", { agent, timeoutSeconds: 0.05 }),
    ])
      expect(answer).toEqual({ woke: false, nextEventId, messages: [], total: 0, hidden: 0 });
    expect(events.at(-1)!.eventId).toBe(nextEventId);
    for (const timeoutSeconds of [-1, Number.NaN, 1e12])
      for (const call of ["mailbox.receive", "mailbox.wait"] as const)
        expect((await refusal(inbox.call(call, { agent, timeoutSeconds }))).code).toBe("invalid_input");
  });

  test("[W4] a receive that is aborted has consumed nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const controller = new AbortController();
    const waiting = bench.another().call("mailbox.receive", { agent }, { signal: controller.signal });
    controller.abort();
    expect(waiting).rejects.toThrow();
    await write(inbox, "x");
    const { messages } = await inbox.call("mailbox.receive", { agent, timeoutSeconds: 5 });
    expect(messages).toMatchObject([{ id: 1, redelivered: false }]);
  });

  test("[W4] neither has a wait that is aborted within its window", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await write(inbox, "x");
    const controller = new AbortController();
    const wait = { agent, batchWindow: 60 };
    const waiting = bench.another().call("mailbox.wait", wait, { signal: controller.signal });
    await write(inbox, "y");
    controller.abort();
    expect(waiting).rejects.toThrow();
    const { messages } = await inbox.call("mailbox.wait", { ...wait, max: 2 });
    expect(messages).toMatchObject([
      { id: 1, redelivered: false },
      { id: 2, redelivered: false },
    ]);
  });

  test("[B8] agents are listed by name with what they hold, and live while their last call is 60 seconds old", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await inbox.call("threads.send", { from: "lead", to: agent, subject: "s" });
    await inbox.call("threads.claim", { agent, thread: "thr_1" });
    await inbox.call("pools.join", { agent, pool: "backend" });
    bench.pass(30);
    await inbox.call("mailbox.send", { from: "lead", to: "nobody-yet", message: "x" });
    bench.pass(30);
    const at60 = (await inbox.call("agents.list", {})).agents;
    expect(at60).toMatchObject([
      { name: "lead", pools: [], leases: 0, live: true },
      { name: agent, pools: ["backend"], leases: 1, live: true },
    ]);
    expect(Date.parse(at60[0]!.lastSeenAt) - Date.parse(at60[0]!.firstSeenAt)).toBe(30_000);
    bench.pass(11);
    const at71 = (await inbox.call("agents.list", {})).agents;
    expect(at71.map(({ name, live }) => [name, live])).toEqual([
      ["lead", true],
      [agent, false],
    ]);
  });

  test("[B8] agents are listed with their waiting mail: without collected, dead and expired messages", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("pools.join", { agent, pool: "backend" });
    for (let i = 0; i < 3; i++) await write(inbox, `${i}`);
    await inbox.call("messages.send", { channel: agent, sender: "lead", content: "brief", ttlSeconds: 10 });
    const waiting = async () =>
      (await inbox.call("agents.list", {})).agents.map(({ name, mail }) => [name, mail]);
    expect(await waiting()).toEqual([
      ["lead", 0],
      [agent, 4],
    ]);
    await inbox.call("mailbox.receive", { agent });
    bench.pass(10);
    expect((await waiting())[1]).toEqual([agent, 2]);
  });

  test("[B8] every call counts: one right after another is remembered, too", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await write(inbox, "x");
    bench.pass(9);
    await write(inbox, "y");
    bench.pass(55);
    expect((await inbox.call("agents.list", {})).agents).toMatchObject([{ name: "lead", live: true }]);
  });

  test("[T2] mailbox and channel show the summary beside a body that has one of its own", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const both = { summary: "Routes are done", body: "All five.\nTests pass." };
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s", ...both });
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "only a summary" });
    await inbox.call("mailbox.send", { from: "lead", to: "w", message: "one line\nand another" });
    const shown = await inbox.call("messages.inbox", { channel: "w" });
    expect(shown.messages.map(({ content, summary }) => [content, summary])).toEqual([
      [both.body, both.summary],
      ["only a summary", undefined],
      ["one line\nand another", undefined],
    ]);
    const { messages } = await inbox.call("mailbox.check", { agent: "w" });
    expect(messages.map(({ message, summary }) => [message, summary])).toEqual(
      shown.messages.map(({ content, summary }) => [content, summary]),
    );
  });
});
