/** [W7] `wait-reply` in a thread that has ended, or that ends meanwhile. */
import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";

const thread = "thr_1";

async function claimed(inbox: Inbox): Promise<void> {
  await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
  await inbox.call("threads.claim", { agent: "w", thread });
}

const ways = {
  done: (inbox: Inbox) => inbox.call("threads.done", { agent: "w", thread, summary: "the end" }),
  failed: (inbox: Inbox) => inbox.call("threads.fail", { agent: "w", thread, summary: "the end" }),
  cancelled: (inbox: Inbox) => inbox.call("threads.cancel", { agent: "w", thread, reason: "the end" }),
};
const statuses = ["done", "failed", "cancelled"] as const;

const summaries = ({ messages }: { messages: { summary: string }[] }) =>
  messages.map(({ summary }) => summary);

const stillWaits = async (...waits: Promise<unknown>[]) =>
  expect(await Promise.race([...waits, Bun.sleep(50).then(() => "still waiting")])).toBe("still waiting");

describe.each(engines)("$name", ({ start }) => {
  test.each(statuses)(
    "[W7.1] [W7.2] a thread that is %s is not waited in: first its last message, then nothing, and how it ended",
    async (ended) => {
      await using bench = await start();
      const { inbox } = bench;
      await claimed(inbox);
      const open = await inbox.call("threads.waitReply", { agent: "lead", thread, timeoutSeconds: 0 });
      expect(open).toMatchObject({ woke: false, threadId: thread });
      expect(open).not.toHaveProperty("ended");
      await ways[ended](inbox);
      // None of these has a timeout.
      const first = await inbox.call("threads.waitReply", { agent: "lead", thread });
      expect(first).toMatchObject({ woke: true, ended, threadId: thread });
      expect(first.messages).toHaveLength(1);
      const { nextEventId: afterEvent } = first;
      const none = { woke: false, ended, threadId: thread, message: null, messages: [] };
      expect(await inbox.call("threads.waitReply", { agent: "lead", thread, afterEvent })).toMatchObject(
        none,
      );
      expect(await inbox.call("threads.waitReply", { thread, afterEvent })).toMatchObject(none);
      expect(
        await inbox.call("threads.waitReply", { agent: "lead", thread, kinds: ["question"] }),
      ).toMatchObject(none);
    },
  );

  test.each(statuses)(
    "[W7.2] in a thread that is %s, and whose last message check has collected, wait-reply says how it ended",
    async (ended) => {
      await using bench = await start();
      const { inbox } = bench;
      await claimed(inbox);
      await ways[ended](inbox);
      expect((await inbox.call("mailbox.check", { agent: "lead" })).total).toBe(1);
      expect(await inbox.call("threads.waitReply", { agent: "lead", thread })).toMatchObject({
        woke: false,
        ended,
        messages: [],
      });
    },
  );

  test("[W7.1] an answer that is found again says that the thread was cancelled meanwhile", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await claimed(inbox);
    await inbox.call("threads.update", { agent: "w", thread, status: "blocked", summary: "?" });
    await inbox.call("threads.reply", { from: "lead", thread, summary: "go ahead" });
    const before = await inbox.call("threads.waitReply", { agent: "w", thread });
    expect(summaries(before)).toEqual(["go ahead"]);
    expect(before).not.toHaveProperty("ended");
    await inbox.call("threads.cancel", { agent: "lead", thread, reason: "no" });
    expect((await inbox.call("mailbox.check", { agent: "w" })).messages).toMatchObject([{ kind: "control" }]);
    const again = await inbox.call("threads.waitReply", { agent: "w", thread });
    expect(summaries(again)).toEqual(["go ahead"]);
    expect(again.ended).toBe("cancelled");
  });

  test.each(statuses)(
    "[W7.1] an open wait ends when the thread is %s, with or without a message for it",
    async (ended) => {
      await using bench = await start();
      const { inbox } = bench;
      await claimed(inbox);
      const led = bench.another().call("threads.waitReply", { agent: "lead", thread });
      const looked = bench.another().call("threads.waitReply", { agent: "eve", thread, kinds: ["question"] });
      await stillWaits(led, looked);
      await ways[ended](inbox);
      expect(await led).toMatchObject({ woke: true, ended });
      expect(await looked).toMatchObject({ woke: false, ended, messages: [] });
    },
  );

  test("[W7.2] [T11.3] of an open wait-reply and a receive of one agent one gets the result, and both end", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await claimed(inbox);
    const replied = bench.another().call("threads.waitReply", { agent: "lead", thread });
    const received = bench.another().call("mailbox.receive", { agent: "lead", timeoutSeconds: 30 });
    await stillWaits(replied, received);
    await ways.done(inbox);
    const reply = await replied;
    expect(reply.ended).toBe("done");
    if (reply.woke) await inbox.call("mailbox.send", { from: "w", to: "lead", message: "for the other" });
    const mail = (await received).messages.map(({ message }) => message);
    expect([...summaries(reply), ...mail]).toEqual(reply.woke ? ["the end", "for the other"] : ["the end"]);
  });

  test("[W7.3] while another reader is being handed the result the wait goes on, and gets it if it is given back", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await claimed(inbox);
    await ways.done(inbox);
    const mail = await inbox.hand("mailbox.check", { agent: "lead" });
    expect(mail.value.total).toBe(1);
    const late = { agent: "lead", thread, timeoutSeconds: 0.05 };
    expect(await inbox.call("threads.waitReply", late)).toMatchObject({ woke: false, ended: "done" });
    const waiting = bench.another().call("threads.waitReply", { agent: "lead", thread });
    await stillWaits(waiting);
    await mail.release?.();
    expect(summaries(await waiting)).toEqual(["the end"]);
  });

  test.each(["auto", "manual"] as const)(
    "[W7.3] the wait ends when the other reader has got the result (ack %s)",
    async (ack) => {
      await using bench = await start();
      const { inbox } = bench;
      await claimed(inbox);
      await ways.done(inbox);
      const mail = await inbox.hand("mailbox.receive", { agent: "lead", ack });
      const waiting = bench.another().call("threads.waitReply", { agent: "lead", thread });
      await stillWaits(waiting);
      await mail.confirm?.();
      expect(await waiting).toMatchObject({ woke: false, ended: "done", messages: [] });
    },
  );

  test("[W7.4] what is written in an ended thread is found by a wait-reply after it, and is not waited for", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await claimed(inbox);
    await ways.done(inbox);
    const { nextEventId: afterEvent } = await inbox.call("threads.waitReply", { agent: "lead", thread });
    await inbox.call("threads.reply", { from: "lead", thread, kind: "question", summary: "And the docs?" });
    expect(await inbox.call("threads.waitReply", { agent: "lead", thread })).toMatchObject({
      woke: false,
      ended: "done",
    });
    const mail = bench.another().call("mailbox.receive", { agent: "lead", timeoutSeconds: 30 });
    await inbox.call("threads.reply", { from: "w", to: "lead", thread, summary: "Written" });
    expect((await mail).messages.map(({ message }) => message)).toEqual(["Written"]);
    await inbox.call("threads.reply", { from: "w", to: "lead", thread, summary: "Proofread" });
    for (const from of [{}, { afterEvent }]) {
      const late = await inbox.call("threads.waitReply", { agent: "lead", thread, ...from });
      expect([late.ended, ...summaries(late)]).toEqual(["done", "Proofread"]);
    }
  });
});
