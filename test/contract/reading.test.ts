import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const give = (inbox: Inbox, from: string, to: string, more: { run?: string } = {}) =>
  inbox.call("threads.send", { from, to, subject: `${from} to ${to}`, ...more });
const ids = (answer: { threads: { threadId: string }[] }) => answer.threads.map(({ threadId }) => threadId);

/** Which messages somebody was shown, by the events that say so. */
async function collected(inbox: Inbox, agent: string): Promise<string[]> {
  const { events } = await inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
  return events
    .filter(({ eventType, source }) => eventType === "messages.collected" && source === agent)
    .flatMap(({ payload }) => payload.messages as string[]);
}

describe.each(engines)("$name", ({ start }) => {
  test("[T9] list filters by agent, status, creator, assignee and run; newest first", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "a", "b");
    await give(inbox, "b", "c", { run: "nightly" });
    await give(inbox, "c", "a");
    await inbox.call("threads.claim", { agent: "c", thread: "thr_2" });
    const list = async (filter: Parameters<typeof inbox.call<"threads.list">>[1]) =>
      ids(await inbox.call("threads.list", filter));
    expect(await list({})).toEqual(["thr_3", "thr_2", "thr_1"]);
    expect(await list({ agent: "a" })).toEqual(["thr_3", "thr_1"]);
    expect(await list({ agent: "b" })).toEqual(["thr_2", "thr_1"]);
    expect(await list({ createdBy: "b" })).toEqual(["thr_2"]);
    expect(await list({ assignedTo: "a" })).toEqual(["thr_3"]);
    expect(await list({ status: ["claimed"] })).toEqual(["thr_2"]);
    expect(await list({ status: ["pending", "pending"], agent: "a" })).toEqual(["thr_3", "thr_1"]);
    expect(await list({ run: "nightly" })).toEqual(["thr_2"]);
    expect(await list({ run: "none" })).toEqual([]);
  });

  test("[T9] filters of a list can be combined, and each combination is paged without gaps", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const names = ["a", "b"];
    for (let i = 0; i < 16; i++) {
      const subject = `${i}`;
      const priority = (["low", "normal", "high"] as const)[i % 3]!;
      const run = i % 2 ? "nightly" : undefined;
      const [from, to] = [names[i % 2]!, names[(i >> 1) % 2]!];
      const { thread } = await inbox.call("threads.send", { from, to, subject, priority, run });
      if (i % 4 > 1) await inbox.call("threads.claim", { agent: to, thread: thread.threadId });
      if (i % 4 > 2) await inbox.call("threads.done", { agent: to, thread: thread.threadId, summary: "s" });
    }
    const { threads } = await inbox.call("threads.list", {});
    expect(new Set(threads.map(({ status }) => status)).size).toBe(3);
    const maybe = <T>(...values: T[]) => [undefined, ...values];
    for (const agent of maybe("a"))
      for (const assignedTo of maybe("b"))
        for (const createdBy of maybe("a"))
          for (const run of maybe("nightly"))
            for (const status of maybe(["pending" as const], ["claimed" as const, "done" as const])) {
              const filter = { agent, assignedTo, createdBy, run, status };
              const expected = threads.filter(
                (one) =>
                  (agent === undefined || one.createdBy === agent || one.assignedTo === agent) &&
                  (assignedTo === undefined || one.assignedTo === assignedTo) &&
                  (createdBy === undefined || one.createdBy === createdBy) &&
                  (run === undefined || one.runId === run) &&
                  (status === undefined || (status as string[]).includes(one.status)),
              );
              const first = await inbox.call("threads.list", { ...filter, limit: 2 });
              const before = ids(first).at(-1);
              const rest =
                before === undefined ? [] : ids(await inbox.call("threads.list", { ...filter, before }));
              expect([filter, ...ids(first), ...rest]).toEqual([filter, ...ids({ threads: expected })]);
            }
  });

  test("[T9] list pages without gaps or repeats", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 7; i++) await give(inbox, i % 2 ? "a" : "b", i % 2 ? "b" : "a");
    const seen: string[] = [];
    for (let before: string | undefined; ; before = seen.at(-1)) {
      const page = await inbox.call("threads.list", { agent: "a", limit: 3, before });
      seen.push(...ids(page));
      if (!page.hasMore) break;
    }
    expect(seen).toEqual(["thr_7", "thr_6", "thr_5", "thr_4", "thr_3", "thr_2", "thr_1"]);
  });

  test("[T9] show returns the thread, its lease without the token, and every message in order", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "lead", "w");
    await inbox.call("threads.claim", { agent: "w", thread: "thr_1" });
    for (let i = 0; i < 120; i++)
      await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: `m${i}` });
    const { lease, messages } = await inbox.call("threads.show", { thread: "thr_1" });
    expect(Object.keys(lease!)).toEqual(["agentId", "attempt", "claimedAt", "expiresAt", "lapsed"]);
    expect(messages.map(({ messageId }) => messageId)).toEqual(
      Array.from({ length: 121 }, (_, i) => `msg_${i + 1}`),
    );
    expect((await refusal(inbox.call("threads.show", { thread: "thr_2" }))).code).toBe("not_found");
  });

  test("[T11] claim answers with the thread's messages and collects exactly those to the claimer", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "lead", "w");
    await inbox.call("threads.send", {
      from: "lead",
      to: "auditor",
      thread: "thr_1",
      summary: "for another",
    });
    const { messages } = await inbox.call("threads.claim", { agent: "w", thread: "thr_1" });
    expect(messages.map(({ messageId }) => messageId)).toEqual(["msg_1", "msg_2"]);
    expect(await collected(inbox, "w")).toEqual(["msg_1"]);
  });

  test("[T11] claim answers with the artifacts of each message, and collects all that are open", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "lead", "w");
    const more = { from: "lead", thread: "thr_1", kind: "progress" } as const;
    await inbox.call("threads.reply", { ...more, summary: "the plan", artifacts: [{ path: "plan.md" }] });
    const { messages } = await inbox.call("threads.claim", { agent: "w" });
    expect(messages.map(({ artifacts }) => artifacts.map(({ path }) => path))).toEqual([[], ["plan.md"]]);
    expect(await collected(inbox, "w")).toEqual(["msg_1", "msg_2"]);
  });

  test("[T11] a pool's message is collected by the member that claims", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("pools.join", { agent: "w", pool: "backend" });
    await give(inbox, "lead", "backend");
    await inbox.call("threads.claim", { agent: "w" });
    expect(await collected(inbox, "w")).toEqual(["msg_1"]);
  });

  test("[T11] wait-reply collects the messages it answers with, but only those to the waiter", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "lead", "w");
    await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "one" });
    await inbox.call("threads.reply", { from: "lead", to: "other", thread: "thr_1", summary: "two" });
    await inbox.call("threads.send", { from: "lead", thread: "thr_1", summary: "progress does not match" });
    const answer = await inbox.call("threads.waitReply", { agent: "w", thread: "thr_1" });
    expect(answer.messages.map(({ summary }) => summary)).toEqual(["one", "two"]);
    expect(answer.message).toEqual(answer.messages[0]!);
    expect(await collected(inbox, "w")).toEqual(["msg_2"]);
  });

  test("[T11] of wait-reply and receive at the same time under one name, exactly one gets the answer", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let round = 1; round <= 3; round++) {
      const thread = `thr_${round}`;
      await give(inbox, "lead", "w");
      await inbox.call("threads.claim", { agent: "w", thread });
      const replied = bench
        .another()
        .call("threads.waitReply", { agent: "w", thread })
        .then(({ messages }) => messages.map(({ summary }) => summary));
      const received = bench
        .another()
        .call("mailbox.receive", { agent: "w" })
        .then(({ messages }) => messages.map(({ message }) => message));
      await inbox.call("threads.reply", { from: "lead", thread, summary: "first" });
      expect(await Promise.race([replied, received])).toEqual(["first"]);
      // The other one still waits, for what comes next.
      await inbox.call("threads.reply", { from: "lead", thread, summary: "second" });
      expect([...(await replied), ...(await received)].sort()).toEqual(["first", "second"]);
    }
  });

  test("[T11] what one of the two has in hand the other does not get, until it is given back", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const thread = "thr_1";
    await give(inbox, "lead", "w");
    await inbox.call("threads.claim", { agent: "w", thread });
    await inbox.call("threads.reply", { from: "lead", thread, summary: "yes" });
    const waitReply = () => inbox.hand("threads.waitReply", { agent: "w", thread, timeoutSeconds: 0.05 });
    const check = () => inbox.hand("mailbox.check", { agent: "w" });
    const told = await waitReply();
    expect([told.value.woke, (await check()).value.total]).toEqual([true, 0]);
    await told.release?.();
    const mail = await check();
    expect([mail.value.total, (await waitReply()).value.woke]).toEqual([1, false]);
    await mail.release?.();
    const again = await waitReply();
    expect(again.value.message?.summary).toBe("yes");
    await again.confirm?.();
    expect((await check()).value.total).toBe(0);
    // Who asks again, because it never saw its answer, finds it again; what the mailbox gave is not.
    expect((await waitReply()).value.woke).toBe(true);
    await inbox.call("threads.reply", { from: "lead", thread, summary: "and this" });
    await (await check()).confirm?.();
    const { value } = await waitReply();
    expect(value.messages.map(({ summary }) => summary)).toEqual(["yes"]);
  });

  test("[T11] a collected message no longer counts as unread, and is collected once", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "lead", "w");
    await inbox.call("threads.claim", { agent: "w", thread: "thr_1" });
    await inbox.call("threads.release", { agent: "w", thread: "thr_1" });
    expect((await inbox.call("threads.fetch", { agent: "w", unread: true })).threads).toEqual([]);
    await inbox.call("threads.claim", { agent: "w", thread: "thr_1" });
    expect(await collected(inbox, "w")).toEqual(["msg_1"]);
  });

  test("[T11] an answer that was not confirmed has collected nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "lead", "w");
    await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "yes" });
    await inbox.hand("threads.waitReply", { agent: "w", thread: "thr_1" });
    await inbox.hand("threads.show", { agent: "w", thread: "thr_1", markRead: true });
    const claim = await inbox.hand("threads.claim", { agent: "w", thread: "thr_1" });
    await claim.release?.();
    expect(await collected(inbox, "w")).toEqual([]);
    expect((await inbox.call("threads.show", { thread: "thr_1" })).thread.status).toBe("pending");
    expect(ids(await inbox.call("threads.fetch", { agent: "w", unread: true }))).toEqual(["thr_1"]);
  });

  test("[T11] ending a thread collects task and answer messages to its assignee, nothing else", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "lead", "w");
    const claim = await inbox.hand("threads.claim", { agent: "w", thread: "thr_1" });
    expect(claim.value.thread?.status).toBe("claimed"); // taken, but never shown: its task is still pending
    await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "an answer" });
    await inbox.call("threads.reply", {
      from: "lead",
      thread: "thr_1",
      kind: "control",
      summary: "a control",
    });
    await inbox.call("threads.done", { agent: "w", thread: "thr_1" });
    // The cursor was never moved, so what is still unread is what was not collected.
    const left = await inbox.call("threads.fetch", { agent: "w", unread: true, status: ["done"] });
    expect(ids(left)).toEqual(["thr_1"]);
    await inbox.call("threads.show", { thread: "thr_1", agent: "w", markRead: true });
    expect(await collected(inbox, "w")).toEqual(["msg_3"]);
  });

  test("[C9] marking as read requires an agent", async () => {
    await using bench = await start();
    await give(bench.inbox, "lead", "w");
    expect((await refusal(bench.inbox.call("threads.show", { thread: "thr_1", markRead: true }))).code).toBe(
      "invalid_input",
    );
  });
});
