/** How much one agent may write, and have open. */
import { describe, expect, test } from "bun:test";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const set = (inbox: Inbox, limits: Omit<InputOf<"quotas.set">, "agent">) =>
  inbox.call("quotas.set", { agent: "boss", ...limits });
const post = (inbox: Inbox, sender: string, content = "x", channel = "builds") =>
  inbox.call("messages.send", { channel, content, sender });
const refused = async (call: Promise<unknown>) => {
  const { code, details } = await refusal(call);
  return [code, details?.quota];
};
const start = async ({ start: begin }: (typeof engines)[number]) => {
  const bench = await begin();
  bench.freeze();
  return bench;
};

describe.each(engines)("$name", (engine) => {
  test("[Y5] there are no quotas until they are set; an agent's own quota replaces the one for all", async () => {
    await using bench = await start(engine);
    const { inbox } = bench;
    expect(await inbox.call("quotas.list", {})).toEqual({ quotas: [] });
    const none = { messagesPerMinute: null, bytesPerDay: null, openThreads: null, subAgents: null };
    await set(inbox, { name: "!first", subAgents: 1 });
    await set(inbox, { messagesPerMinute: 2 });
    const { quotas } = await set(inbox, { name: "bulk", messagesPerMinute: 1000 });
    expect(quotas).toEqual([
      { ...none, name: null, messagesPerMinute: 2 },
      { ...none, name: "!first", subAgents: 1 },
      { ...none, name: "bulk", messagesPerMinute: 1000 },
    ]);
    for (let i = 0; i < 5; i++) await post(inbox, "bulk");
    for (const agent of ["w", "!first"]) {
      for (let i = 0; i < 2; i++) await post(inbox, agent);
      expect(await refused(post(inbox, agent))).toEqual(["limited", "messages per minute"]);
    }
    await set(inbox, { name: "bulk" });
    expect((await inbox.call("quotas.list", {})).quotas.length).toBe(2);
    expect(await refused(post(inbox, "bulk"))).toEqual(["limited", "messages per minute"]);
    await set(inbox, {});
    await post(inbox, "bulk");
  });

  test("[Y5.1] a limit that is not given is kept, none or null removes one, and a call without a limit the quota", async () => {
    await using bench = await start(engine);
    const { inbox } = bench;
    const limitsOf = async (limits: Omit<InputOf<"quotas.set">, "agent">) =>
      (await set(inbox, { name: "w", ...limits })).quotas.map(({ messagesPerMinute, openThreads }) => [
        messagesPerMinute,
        openThreads,
      ]);
    expect(await limitsOf({ messagesPerMinute: 5 })).toEqual([[5, null]]);
    expect(await limitsOf({ openThreads: 3 })).toEqual([[5, 3]]);
    expect(await limitsOf({ messagesPerMinute: "none" })).toEqual([[null, 3]]);
    const { events } = await inbox.call("events.watch", { afterEvent: 0, timeoutSeconds: 0 });
    expect(events.at(-1)!.payload.quotas).toMatchObject({ messages_per_minute: null, open_threads: 3 });
    expect(await limitsOf({ openThreads: null })).toEqual([]);
    expect(await limitsOf({ openThreads: 0 })).toEqual([[null, 0]]);
    expect(await limitsOf({})).toEqual([]);
  });

  test("[Y5] messages are counted per minute, however they are sent; a refused write writes nothing", async () => {
    await using bench = await start(engine);
    const { inbox } = bench;
    const { thread } = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    const { threadId } = thread;
    await inbox.call("threads.claim", { agent: "w", thread: threadId });
    await set(inbox, { name: "w", messagesPerMinute: 3 });
    await inbox.call("threads.update", { agent: "w", thread: threadId, summary: "one" });
    await inbox.call("threads.reply", { from: "w", thread: threadId, summary: "two" });
    await inbox.call("mailbox.send", { from: "w", to: "lead", message: "three" });
    const sends = [
      () => post(inbox, "w"),
      () => inbox.call("mailbox.send", { from: "w", to: "lead", message: "x" }),
      () => inbox.call("mailbox.ask", { from: "w", to: "lead", question: "x" }),
      () => inbox.call("threads.send", { from: "w", to: "lead", subject: "x" }),
      () => inbox.call("threads.reply", { from: "w", thread: threadId, summary: "x" }),
      () => inbox.call("threads.update", { agent: "w", thread: threadId, summary: "x" }),
    ];
    const before = (await inbox.call("messages.inbox", { channel: "lead" })).count;
    for (const send of sends) expect(await refused(send())).toEqual(["limited", "messages per minute"]);
    expect((await inbox.call("messages.inbox", { channel: "lead" })).count).toBe(before);
    // Others, and the person, are not concerned; and work can always be ended.
    await post(inbox, "v");
    await inbox.call("threads.done", { agent: "w", thread: threadId, summary: "done" });
    bench.pass(60);
    await post(inbox, "w");
    // A copy for each is a message each.
    for (const name of ["a", "b", "c"]) await inbox.call("pools.join", { agent: name, pool: "p" });
    expect(await refused(post(inbox, "w", "x", "p"))).toEqual(["limited", "messages per minute"]);
  });

  test("[Y5] bytes count by the day, also those of prompts", async () => {
    await using bench = await byHand({ ...engine, start: () => start(engine) });
    const { inbox } = bench;
    await set(inbox, { bytesPerDay: 1000 });
    await post(inbox, "w", "x".repeat(400));
    expect(await refused(post(inbox, "w", "x".repeat(600)))).toEqual(["limited", "bytes per day"]);
    await post(inbox, "v", "x".repeat(400));
    expect(await refused(bench.push("big", { prompt: "x".repeat(1001) }))).toEqual([
      "limited",
      "bytes per day",
    ]);
    await bench.push("small", { prompt: "x".repeat(900) });
    bench.pass(86_400);
    await post(inbox, "w", "x".repeat(600));
  });

  test("[Y5] open threads and tasks that have not finished are limited, and end to make room", async () => {
    await using bench = await byHand({ ...engine, start: () => start(engine) });
    const { inbox } = bench;
    await set(inbox, { openThreads: 2, subAgents: 2 });
    const create = () => inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    const { thread } = await create();
    await create();
    expect(await refused(create())).toEqual(["limited", "open threads"]);
    await inbox.call("threads.cancel", { agent: "lead", thread: thread.threadId, reason: "x" });
    await create();
    await bench.push("a");
    await bench.push("b");
    expect(await refused(bench.push("c"))).toEqual(["limited", "unfinished tasks"]);
    await inbox.call("tasks.run", { agent: "main" });
    await bench.due();
    await bench.end("a");
    await bench.push("c");
  });

  test("[Y5] a quota set by another process counts within two seconds", async () => {
    await using bench = await start(engine);
    const { inbox } = bench;
    await post(inbox, "w");
    await set(bench.another(), { messagesPerMinute: 0 });
    bench.pass(2.1);
    expect(await refused(post(inbox, "w"))).toEqual(["limited", "messages per minute"]);
    expect(await refused(post(inbox, "w"))).toEqual(["limited", "messages per minute"]);
    await inbox.call("entries.history", {});
  });
});
