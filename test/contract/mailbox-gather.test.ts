import { describe, expect, test } from "bun:test";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const mebibyte = 1024 * 1024;
const agent = "lead";

const answer = (inbox: Inbox, sender: string, more: Partial<InputOf<"messages.send">> = {}) =>
  inbox.call("messages.send", { channel: agent, content: `from ${sender}`, sender, ...more });
const gather = (inbox: Inbox, more: Partial<InputOf<"mailbox.gather">> = {}) =>
  inbox.call("mailbox.gather", { agent, from: ["a", "b", "c"], ...more });
const senders = (got: { messages: { senderId: string }[] }) => got.messages.map(({ senderId }) => senderId);
const ids = (got: { messages: { id: number }[] }) => got.messages.map(({ id }) => id);
const left = async (inbox: Inbox) => ids(await inbox.call("mailbox.list", { agent }));

/** A thread from lead that the worker holds. */
async function held(inbox: Inbox, worker: string): Promise<string> {
  const { thread } = await inbox.call("threads.send", { from: agent, to: worker, subject: "s" });
  await inbox.call("threads.claim", { agent: worker, thread: thread.threadId });
  return thread.threadId;
}

describe.each(engines)("$name", ({ start }) => {
  test("[B5] gather ends when all have answered, and collects the answers together", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const sender of ["b", "stranger", "a", "c"]) await answer(inbox, sender);
    const got = await gather(inbox);
    expect(got).toMatchObject({ woke: true, missing: [], dead: [] });
    expect(got.messages).toMatchObject([
      { id: 1, senderId: "b", message: "from b", redelivered: false },
      { id: 3, senderId: "a" },
      { id: 4, senderId: "c" },
    ]);
    expect(await left(inbox)).toEqual([2]);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ status: "acked", ackedBy: agent });
  });

  test("[B5] [W5] it blocks until the last has answered, whichever connection that comes from", async () => {
    await using bench = await start();
    const waiting = gather(bench.another());
    const others = [bench.inbox, bench.another(), bench.another()];
    await answer(others[0]!, "a");
    await answer(others[1]!, "b");
    expect(await Promise.race([waiting, Bun.sleep(50).then(() => "still waiting")])).toBe("still waiting");
    await answer(others[2]!, "c");
    expect(senders(await waiting)).toEqual(["a", "b", "c"]);
    expect(await left(bench.inbox)).toEqual([]);
  });

  test("[B5] nothing is collected before there are enough", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "a");
    const waiting = gather(bench.another());
    await answer(inbox, "b");
    expect(await left(inbox)).toEqual([1, 2]);
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ handed: 0 });
    await answer(inbox, "c");
    expect(ids(await waiting)).toEqual([1, 2, 3]);
  });

  test("[B5] need: any ends with the first answer, N with the Nth; agents that have not answered are missing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "b");
    expect(await gather(inbox, { need: "any" })).toMatchObject({
      woke: true,
      messages: [{ senderId: "b" }],
      missing: ["a", "c"],
      dead: [],
    });
    const waiting = gather(bench.another(), { need: "2" });
    await answer(inbox, "c");
    await answer(inbox, "c");
    await answer(inbox, "a");
    const got = await waiting;
    expect(senders(got)).toEqual(["c", "c", "a"]);
    expect(got).toMatchObject({ woke: true, missing: ["b"] });
    for (const sender of ["a", "b", "c"]) await answer(inbox, sender);
    expect(await gather(inbox, { need: "3" })).toMatchObject({ woke: true, missing: [] });
  });

  test("[B5] need is all, any, or a number of those asked for", async () => {
    await using bench = await start();
    for (const need of ["0", "4", "-1", "1.5", "1e0", "some", "ALL"])
      expect((await refusal(gather(bench.inbox, { need, timeoutSeconds: 0 }))).code).toBe("invalid_input");
    const twice = { from: ["a", "a"], need: "2", timeoutSeconds: 0 };
    expect((await refusal(gather(bench.inbox, twice))).code).toBe("invalid_input");
    expect((await refusal(gather(bench.inbox, { from: [] }))).code).toBe("invalid_input");
    expect((await refusal(gather(bench.inbox, { from: ["*"] }))).code).toBe("invalid_input");
  });

  test("[B5] an agent that is named twice has to answer once", async () => {
    await using bench = await start();
    await answer(bench.inbox, "a");
    expect(await gather(bench.inbox, { from: ["a", "a"] })).toMatchObject({ woke: true, missing: [] });
  });

  test("[B5] [W3] after the timeout it returns the answers that have arrived, and the missing agents", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "b");
    const got = await gather(inbox, { timeoutSeconds: 0.05 });
    expect(got).toMatchObject({ woke: false, missing: ["a", "c"], dead: [] });
    expect(senders(got)).toEqual(["b"]);
    expect(await left(inbox)).toEqual([]);
    const none = await gather(inbox, { timeoutSeconds: 0 });
    expect(none).toMatchObject({ woke: false, messages: [], missing: ["a", "b", "c"] });
    const { events } = await inbox.call("events.watch", { afterEvent: 0 });
    expect(none.nextEventId).toBe(events.at(-1)!.eventId);
  });

  test("[B5] only messages after a given one count: earlier mail is stale", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "a");
    await answer(inbox, "b");
    await answer(inbox, "a");
    const now = { from: ["a", "b"], timeoutSeconds: 0 };
    expect(await gather(inbox, { ...now, after: 3 })).toMatchObject({ woke: false, messages: [] });
    const got = await gather(inbox, { ...now, after: 2 });
    expect(ids(got)).toEqual([3]);
    expect(got).toMatchObject({ woke: false, missing: ["b"] });
    expect(await left(inbox)).toEqual([1, 2]);
    expect((await refusal(gather(inbox, { after: -1 }))).code).toBe("invalid_input");
  });

  test("[B5] with a correlation id only answers that carry it count", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "a", { correlationId: "old" });
    await answer(inbox, "b");
    const waiting = gather(bench.another(), { from: ["a", "b"], correlationId: "round-2" });
    await answer(inbox, "b", { correlationId: "round-2" });
    await answer(inbox, "a", { correlationId: "round-2" });
    const got = await waiting;
    expect(ids(got)).toEqual([3, 4]);
    expect(got.messages.map(({ correlationId }) => correlationId)).toEqual(["round-2", "round-2"]);
    expect(await left(inbox)).toEqual([1, 2]);
  });

  test("[B5] of a sender that still works for you only a result is an answer", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const thread = await held(inbox, "a");
    await inbox.call("threads.update", { agent: "a", thread, summary: "half of it" });
    await inbox.call("threads.update", { agent: "a", thread, status: "blocked", summary: "which?" });
    await answer(inbox, "a");
    const now = { from: ["a"], timeoutSeconds: 0 };
    expect(await gather(inbox, now)).toMatchObject({ woke: false, messages: [], missing: ["a"] });
    expect(await left(inbox)).toEqual([2, 3, 4]);
    const waiting = gather(bench.another(), { from: ["a"] });
    await inbox.call("threads.done", { agent: "a", thread, summary: "all of it" });
    const got = await waiting;
    expect(got).toMatchObject({ woke: true, missing: [] });
    expect(got.messages.at(-1)).toMatchObject({ kind: "result", threadId: thread, message: "all of it" });
  });

  test("[B5] a result counts while another thread is open, and then nothing else of that sender does", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const first = await held(inbox, "a");
    await held(inbox, "a");
    await answer(inbox, "a");
    await inbox.call("threads.done", { agent: "a", thread: first, summary: "one of two" });
    const got = await gather(inbox, { from: ["a"], timeoutSeconds: 0 });
    expect(got).toMatchObject({ woke: true, missing: [] });
    expect(got.messages.map(({ kind }) => kind)).toEqual(["result"]);
    expect(await left(inbox)).toEqual([3]);
  });

  test("[B5] a thread that nobody has claimed yet is open too; a cancelled one is not", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: agent, to: "a", subject: "s" });
    await answer(inbox, "a");
    const now = { from: ["a"], timeoutSeconds: 0 };
    expect((await gather(inbox, now)).woke).toBe(false);
    await inbox.call("threads.cancel", { agent, thread: "thr_1", reason: "never mind" });
    expect(await gather(inbox, now)).toMatchObject({ woke: true, messages: [{ message: "from a" }] });
  });

  test("[B5] a failure is a result", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const thread = await held(inbox, "a");
    await inbox.call("threads.fail", { agent: "a", thread, summary: "no" });
    expect(await gather(inbox, { from: ["a"] })).toMatchObject({
      woke: true,
      messages: [{ kind: "result", metadata: { success: false } }],
      missing: [],
    });
  });

  test("[B5] a message that is hidden with another reader is not an answer yet, nor is an acked one", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "a");
    await answer(inbox, "b");
    await inbox.call("mailbox.receive", { agent, ack: "manual" });
    await inbox.call("messages.ack", { id: 2, agent });
    const now = { from: ["a", "b"], timeoutSeconds: 0 };
    expect(await gather(inbox, now)).toMatchObject({ woke: false, messages: [], missing: ["a", "b"] });
    bench.pass(61);
    expect(await gather(inbox, now)).toMatchObject({
      messages: [{ id: 1, redelivered: true }],
      missing: ["b"],
    });
  });

  test("[B5] [W1] an answer that comes back from another reader ends the wait, without anybody writing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "a");
    await inbox.call("mailbox.receive", { agent, ack: "manual", visibilitySeconds: 1 });
    // Longer than the test may take: what ends it is the answer.
    const got = await gather(bench.another(), { from: ["a"], timeoutSeconds: 600 });
    expect(got).toMatchObject({ woke: true, messages: [{ id: 1, redelivered: true }], missing: [] });
  });

  test("[B5] answers that another reader took in between are waited for again, not reported as there", async () => {
    await using bench = await start();
    await answer(bench.inbox, "a");
    const [taken, got] = await Promise.all([
      bench.another().call("mailbox.check", { agent }),
      gather(bench.another(), { from: ["a"], timeoutSeconds: 0.5 }),
    ]);
    expect(taken.total + got.messages.length).toBe(1);
    expect(got.woke).toBe(got.messages.length === 1);
    expect(got.missing).toEqual(got.woke ? [] : ["a"]);
  });

  test("[B5] an agent that has answered is not missing, however big the answers are", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const from = ["a", "b", "c", "d", "e"];
    for (const sender of from) await answer(inbox, sender, { content: sender.repeat(mebibyte) });
    const got = await gather(inbox, { from, timeoutSeconds: 0 });
    expect(got).toMatchObject({ woke: true, missing: [] });
    expect(senders(got)).toEqual(from);
  });

  test("[B4] [B5] answers that were not shown are not collected", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "a");
    const handed = await inbox.hand("mailbox.gather", { agent, from: ["a"] });
    expect(ids(handed.value)).toEqual([1]);
    await handed.release?.();
    expect(await inbox.call("messages.status", { id: 1 })).toMatchObject({ status: "pending", handed: 0 });
    await inbox.hand("mailbox.gather", { agent, from: ["a"] });
    bench.pass(61);
    expect((await gather(inbox, { from: ["a"] })).messages).toMatchObject([{ id: 1, redelivered: true }]);
  });

  test("[W4] a gather that is aborted has consumed nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await answer(inbox, "a");
    const controller = new AbortController();
    const input = { agent, from: ["a", "b"] };
    const waiting = bench.another().call("mailbox.gather", input, { signal: controller.signal });
    controller.abort();
    expect(waiting).rejects.toThrow();
    await answer(inbox, "b");
    const { messages } = await gather(inbox, { from: ["a", "b"] });
    expect(messages).toMatchObject([
      { id: 1, redelivered: false },
      { id: 2, redelivered: false },
    ]);
  });
});
