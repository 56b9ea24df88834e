import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const thread = "thr_1";

async function blocked(inbox: Inbox): Promise<void> {
  await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
  await inbox.call("threads.claim", { agent: "w", thread });
  await inbox.call("threads.update", { agent: "w", thread, status: "blocked", summary: "?" });
}

const answer = (inbox: Inbox, summary: string) =>
  inbox.call("threads.reply", { from: "lead", thread, summary });

describe.each(engines)("$name", ({ start }) => {
  test("[W1] [W5] a wait sleeps until another connection writes, and then has the message", async () => {
    await using bench = await start();
    await blocked(bench.inbox);
    const waiting = bench.another().call("threads.waitReply", { agent: "w", thread });
    expect(await Promise.race([waiting, Bun.sleep(50).then(() => "still waiting")])).toBe("still waiting");
    await answer(bench.inbox, "yes");
    expect(await waiting).toMatchObject({ woke: true, message: { summary: "yes", kind: "answer" } });
  });

  test("[W2] a reply that came before the wait began is found: it starts after the waiter's own last message", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    await answer(inbox, "came at once");
    expect((await inbox.call("threads.waitReply", { agent: "w", thread })).message?.summary).toBe(
      "came at once",
    );
    expect((await inbox.call("threads.waitReply", { thread })).message?.summary).toBe("came at once");
    await inbox.call("threads.update", { agent: "w", thread, summary: "thanks" });
    expect(await inbox.call("threads.waitReply", { agent: "w", thread, timeoutSeconds: 0.05 })).toMatchObject(
      { woke: false },
    );
  });

  test("[W2] a waiter's own messages never match", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    await inbox.call("threads.reply", {
      from: "w",
      to: "lead",
      thread,
      summary: "my own answer",
      kind: "answer",
    });
    const wait = { thread, afterMessage: "msg_1", timeoutSeconds: 0.05 };
    expect((await inbox.call("threads.waitReply", { ...wait, agent: "w" })).woke).toBe(false);
    expect((await inbox.call("threads.waitReply", wait)).woke).toBe(false); // the lease's holder waits
    expect((await inbox.call("threads.waitReply", { ...wait, agent: "lead" })).message?.summary).toBe(
      "my own answer",
    );
  });

  test("[W2] without an identity nothing is collected", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    await answer(inbox, "yes");
    await inbox.call("threads.waitReply", { thread });
    expect((await inbox.call("threads.fetch", { agent: "w", unread: true })).threads).toHaveLength(1);
  });

  test("[W2] a writer that races the start of the wait is never missed", async () => {
    await using bench = await start();
    await blocked(bench.inbox);
    const waiter = bench.another();
    for (let i = 0; i < 40; i++) {
      const { message } = await bench.inbox.call("threads.update", { agent: "w", thread, summary: `q${i}` });
      const waiting = waiter.call("threads.waitReply", {
        agent: "w",
        thread,
        afterMessage: message.messageId,
      });
      if (i % 3) await Promise.resolve();
      await answer(bench.inbox, `a${i}`);
      expect((await waiting).message?.summary).toBe(`a${i}`);
    }
  });

  test("[W3] kinds default to answer, control and result; others when asked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    await inbox.call("threads.send", { from: "lead", thread, summary: "progress" });
    await inbox.call("threads.reply", { from: "lead", thread, kind: "question", summary: "question" });
    const wait = { agent: "w", thread, timeoutSeconds: 0.05 };
    expect((await inbox.call("threads.waitReply", wait)).woke).toBe(false);
    const asked = await inbox.call("threads.waitReply", { ...wait, kinds: ["progress", "question"] });
    expect(asked.messages.map(({ summary }) => summary)).toEqual(["progress", "question"]);
  });

  test("[W3] a timeout says woke: false and gives the cursor to resume from, which misses nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    const late = await inbox.call("threads.waitReply", { agent: "w", thread, timeoutSeconds: 0.05 });
    expect(late).toMatchObject({ woke: false, message: null, messages: [] });
    await answer(inbox, "first");
    const first = await inbox.call("threads.waitReply", { agent: "w", thread, afterEvent: late.nextEventId });
    expect(first.messages.map(({ summary }) => summary)).toEqual(["first"]);
    await answer(inbox, "second");
    const second = await inbox.call("threads.waitReply", {
      agent: "w",
      thread,
      afterEvent: first.nextEventId,
    });
    expect(second.messages.map(({ summary }) => summary)).toEqual(["second"]);
  });

  test("[W3] a long backlog comes in pages that the cursor joins without gap or repeat", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    for (let i = 0; i < 250; i++) await answer(inbox, `a${i}`);
    const got: string[] = [];
    let afterEvent: number | undefined;
    while (got.length < 250) {
      const page = await inbox.call("threads.waitReply", { agent: "w", thread, afterEvent });
      got.push(...page.messages.map(({ summary }) => summary));
      afterEvent = page.nextEventId;
    }
    expect(got).toEqual(Array.from({ length: 250 }, (_, i) => `a${i}`));
  });

  test("[W3] where to start is said once", async () => {
    await using bench = await start();
    await blocked(bench.inbox);
    const both = { agent: "w", thread, afterEvent: 1, afterMessage: "msg_1" };
    expect((await refusal(bench.inbox.call("threads.waitReply", both))).code).toBe("invalid_input");
    expect((await refusal(bench.inbox.call("threads.waitReply", { thread: "thr_9" }))).code).toBe(
      "not_found",
    );
    for (const timeoutSeconds of [-1, Number.NaN, 1e12])
      expect((await refusal(bench.inbox.call("threads.waitReply", { thread, timeoutSeconds }))).code).toBe(
        "invalid_input",
      );
  });

  test("[W4] a wait that is aborted has consumed nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    const controller = new AbortController();
    const waiting = inbox.call("threads.waitReply", { agent: "w", thread }, { signal: controller.signal });
    controller.abort();
    expect(waiting).rejects.toThrow();
    await answer(inbox, "yes");
    expect((await inbox.call("threads.fetch", { agent: "w", unread: true })).threads).toHaveLength(1);
  });

  test("[T13] watch starts now, after a cursor it is exclusive, and next_event_id is the last event seen", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    let over = false;
    const waiting = bench
      .another()
      .call("events.watch", {})
      .finally(() => {
        over = true;
      });
    // Nobody sees from outside when it has begun, and what was written before is not for it.
    while (!over) await answer(inbox, "yes");
    const { event, nextEventId, events } = await waiting;
    expect(event).toMatchObject({
      eventType: "message.sent",
      threadId: thread,
      source: "lead",
      status: "blocked",
    });
    expect(nextEventId).toBe(events.at(-1)!.eventId);
    const before = await inbox.call("events.watch", { afterEvent: event!.eventId - 1, limit: 1 });
    expect(before.event?.eventId).toBe(event!.eventId);
    const { nextEventId: last } = await inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
    const none = await inbox.call("events.watch", { afterEvent: last, timeoutSeconds: 0.05 });
    expect(none).toEqual({ woke: false, nextEventId: last, event: null, events: [] });
  });

  test("[T13] watch filters on the state after the event, by agent, status, thread and run", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    await inbox.call("threads.send", { from: "x", to: "y", subject: "t", run: "nightly" });
    await inbox.call("mailbox.send", { from: "lead", to: "w", message: "plain" });
    const types = async (filter: object) =>
      (await inbox.call("events.watch", { afterEvent: 0, ...filter })).events.map(
        ({ eventType }) => eventType,
      );
    expect(await types({ status: ["claimed"] })).toEqual(["thread.claimed", "messages.collected"]);
    expect(await types({ status: ["blocked"] })).toEqual(["thread.updated"]);
    expect(await types({ run: "nightly" })).toEqual(["thread.created"]);
    expect(await types({ agent: "y" })).toEqual(["thread.created"]);
    expect(await types({ thread: "thr_2" })).toEqual(["thread.created"]);
    expect((await types({ agent: "w" })).at(-1)).toBe("message.sent");
  });

  test("[T13] an event without a thread has null thread, run and task", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: "a", to: "b", message: "hi" });
    await inbox.call("pools.join", { agent: "a", pool: "p" });
    const { events } = await inbox.call("events.watch", { afterEvent: 0 });
    expect(events.map(({ eventType }) => eventType)).toEqual(["agent.joined", "message.sent", "pool.joined"]);
    for (const event of events)
      expect(event).toMatchObject({ threadId: null, runId: null, taskId: null, status: null });
  });

  test("[W6] follow streams every event once, in order, those of the past and those to come", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await blocked(inbox);
    const controller = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      const stream = bench.another().follow({ afterEvent: 0, limit: 2 }, { signal: controller.signal });
      for await (const event of stream) {
        seen.push(event.eventId);
        if (event.summary === "last") return;
      }
    })();
    for (let i = 0; i < 20; i++) await answer(inbox, `a${i}`);
    await answer(inbox, "last");
    await following;
    const { events } = await inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
    expect(seen).toEqual(events.map(({ eventId }) => eventId));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test("[W6] after an abort follow yields nothing more, not even the rest of what it has read", async () => {
    await using bench = await start();
    for (let i = 0; i < 5; i++)
      await bench.inbox.call("mailbox.send", { from: "a", to: "b", message: "hey" });
    const controller = new AbortController();
    const seen: number[] = [];
    const following = async () => {
      for await (const { eventId } of bench.inbox.follow({ afterEvent: 0 }, { signal: controller.signal })) {
        seen.push(eventId);
        controller.abort();
      }
    };
    // A hub's stream ends with the reason of the abort, an embedded one without.
    await following().catch((error) => expect(error).toBe(controller.signal.reason));
    expect(seen).toHaveLength(1);
  });

  test("[T14] every answer of a thread's life says from which event to go on, and nothing is missed from there", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const thread = "thr_1";
    const next = async (afterEvent: number) =>
      (await inbox.call("events.watch", { thread, afterEvent, timeoutSeconds: 0.01 })).events.map(
        ({ eventType }) => eventType,
      );
    const sent = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    expect(await next(sent.nextEventId)).toEqual([]);
    expect(await next(sent.nextEventId - 1)).toEqual(["thread.created"]);
    const fetched = await inbox.call("threads.fetch", { agent: "w" });
    const listed = await inbox.call("threads.list", {});
    const { nextEventId: claimed } = await inbox.call("threads.claim", { agent: "w" });
    for (const { nextEventId } of [sent, fetched, listed])
      expect((await next(nextEventId))[0]).toBe("thread.claimed");
    const nothing = await inbox.call("threads.claim", { agent: "w" });
    const asked = await inbox.call("threads.update", {
      agent: "w",
      thread,
      status: "blocked",
      summary: "Which?",
    });
    for (const nextEventId of [claimed, nothing.nextEventId])
      expect((await next(nextEventId)).at(-1)).toBe("thread.updated");
    const shown = await inbox.call("threads.show", { thread });
    expect(shown.nextEventId).toBe(asked.nextEventId);
    const told = await inbox.call("threads.reply", { from: "lead", thread, summary: "That" });
    expect(await next(asked.nextEventId)).toEqual(["message.sent"]);
    expect(await next(told.nextEventId)).toEqual([]);
    for (const { nextEventId: afterEvent } of [sent, asked, shown, listed]) {
      const { message } = await inbox.call("threads.waitReply", { thread, afterEvent, timeoutSeconds: 5 });
      expect(message?.messageId).toBe(told.message.messageId);
    }
    const late = { thread, afterEvent: told.nextEventId, timeoutSeconds: 0.01 };
    expect((await inbox.call("threads.waitReply", late)).woke).toBe(false);
    const plain = await inbox.call("mailbox.send", { from: "lead", to: "*", message: "all" });
    const after = await inbox.call("events.watch", { afterEvent: plain.nextEventId - 1, limit: 1000 });
    expect(after.events).toMatchObject([{ eventType: "message.sent" }]);
  });

  test("[W3] a timeout of 0 returns at once on every wait: existing messages are found, and nothing is waited for", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const thread = "thr_1";
    const timeoutSeconds = 0;
    await inbox.call("threads.send", { from: "lead", to: "other", subject: "s" });
    const { nextEventId } = await inbox.call("threads.list", {});
    const waits = [
      await inbox.call("threads.waitReply", { thread, agent: "other", timeoutSeconds }),
      await inbox.call("events.watch", { timeoutSeconds }),
      await inbox.call("events.watch", { afterEvent: nextEventId + 100, timeoutSeconds }),
      await inbox.call("threads.claim", { agent: "w", wait: true, timeoutSeconds }),
      await inbox.call("mailbox.receive", { agent: "w", timeoutSeconds }),
      await inbox.call("mailbox.wait", { agent: "w", timeoutSeconds }),
      await inbox.call("mailbox.gather", { agent: "w", from: ["nobody"], timeoutSeconds }),
    ];
    expect(waits.map(({ woke }) => woke)).toEqual(waits.map(() => false));
    const told = await inbox.call("threads.reply", { from: "lead", thread, summary: "That" });
    const { message } = await inbox.call("threads.waitReply", { thread, agent: "other", timeoutSeconds });
    expect(message?.messageId).toBe(told.message.messageId);
    const events: number[] = [];
    for await (const { eventId } of inbox.follow({ afterEvent: 0, limit: 2, timeoutSeconds }))
      events.push(eventId);
    expect(events.length).toBeGreaterThan(2);
    expect((await inbox.call("events.watch", { afterEvent: 0, timeoutSeconds })).events[0]?.eventId).toBe(
      events[0]!,
    );
  });

  test("[T14.4] an answer that came beside a send never passes the send's event", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const agent of ["w", "lead"]) await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 });
    for (let turn = 0; turn < 10; turn++) {
      const newcomer = `new-${turn}`;
      // Calls of one moment share a transaction on some engines.
      const [first, second, sent, claimed, other] = await Promise.all([
        inbox.call("mailbox.receive", { agent: "w", timeoutSeconds: 0 }),
        inbox.call("mailbox.receive", { agent: "w", timeoutSeconds: 0 }),
        inbox.call("threads.send", { from: "lead", to: "w", subject: `${turn}` }),
        inbox.call("threads.claim", { agent: newcomer }),
        inbox.call("threads.send", { from: "lead", to: newcomer, subject: "s" }),
      ]);
      const got = [first, second].some(({ messages }) => messages.length);
      if (!got)
        for (const { nextEventId } of [first, second]) expect(nextEventId).toBeLessThan(sent.nextEventId);
      if (!claimed.thread) expect(claimed.nextEventId).toBeLessThan(other.nextEventId);
      await inbox.call("mailbox.receive", { agent: "w", max: 100, timeoutSeconds: 0 });
    }
  });
});
