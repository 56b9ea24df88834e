/** [X10] What a worker may read of many things: lists, search, events. */
import { describe, expect, test } from "bun:test";
import type { Scope } from "../../src/contract/token.ts";
import { actingAs, requireOwner } from "../../src/inbox/caller.ts";
import type { EmbeddedInbox, Inbox } from "../../src/inbox/inbox.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { type Bench, engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";
import { searched } from "../support/searched.ts";

/** The bus as the holder of a token has it. */
async function as({ inbox, location }: Bench, agent: string, scope: Scope): Promise<Inbox> {
  const { token } = await inbox.call("tokens.create", { agent, scope });
  if (location.startsWith("http")) return connect(location, { token }) as Inbox;
  const embedded = inbox as EmbeddedInbox;
  return actingAs(embedded, await requireOwner(embedded, token));
}

/** Something of w's, something of another's, something of the person's, and a topic; each has the word "secret" in it. */
async function scene({ inbox }: Bench) {
  const { call } = inbox;
  const thread = async (from: string, to: string) =>
    (await call("threads.send", { from, to, subject: `secret of ${to}` })).thread.threadId;
  await call("pools.join", { agent: "w", pool: "crew" });
  await call("pools.join", { agent: "other", pool: "guild" });
  const threads = {
    mine: await thread("lead", "w"),
    made: await thread("w", "lead"),
    crew: await thread("lead", "crew"),
    others: await thread("lead", "other"),
    guild: await thread("lead", "guild"),
    persons: await thread("lead", "user"),
  };
  const message = async (sender: string, channel: string) =>
    (await call("messages.send", { sender, channel, content: `secret for ${channel}`, correlationId: "c" }))
      .id;
  const messages = {
    mine: await message("lead", "w"),
    sent: await message("w", "other"),
    topic: await message("third", "builds"),
    others: await message("third", "other"),
    persons: await message("lead", "user"),
  };
  const workspace = async (agent: string) =>
    (await call("workspaces.add", { path: "/tmp", label: agent, agent })).workspace.workspaceId;
  const [mine, theirs] = [await workspace("w"), await workspace("other")];
  const push = async (at: string) => (await call("entries.push", { workspace: at, comments: "secret" })).id;
  return { threads, messages, entries: { mine: await push(mine), theirs: await push(theirs) } };
}

describe.each(engines)("$name", ({ start }) => {
  test("[X10] a worker lists its own threads, its pools' and those it made, and a leader and the person all", async () => {
    await using bench = await start();
    const { threads } = await scene(bench);
    const { mine, made, crew } = threads;
    const ids = async (inbox: Inbox, input = {}) =>
      (await inbox.call("threads.list", input)).threads.map(({ threadId }) => threadId).sort();
    const worker = await as(bench, "w", "worker");
    expect(await ids(worker)).toEqual([mine, made, crew].sort());
    expect(await ids(worker, { agent: "lead" })).toEqual([mine, made, crew].sort());
    expect(await ids(worker, { agent: "other" })).toEqual([]);
    for (const scope of ["leader", "user", "admin"] as const)
      expect((await ids(await as(bench, `a-${scope}`, scope))).length).toBe(Object.keys(threads).length);
  });

  test("[X10] having had a thread, or having been written to in it, is enough to read it", async () => {
    await using bench = await start();
    const { threads } = await scene(bench);
    const worker = await as(bench, "w", "worker");
    const look = () => worker.call("threads.show", { thread: threads.others });
    expect(await refusal(look())).toMatchObject({ code: "not_allowed" });
    await bench.inbox.call("threads.send", { from: "lead", to: "w", thread: threads.others, summary: "see" });
    expect((await look()).thread.threadId).toBe(threads.others);
  });

  test("[X10] what a worker reads or waits for is answered, whatever its permission is asked of", async () => {
    await using bench = await start();
    const { threads, messages } = await scene(bench);
    const { mine: thread } = threads;
    const worker = await as(bench, "w", "worker");
    const agent = "w";
    await worker.call("threads.claim", { agent, thread });
    const now = { timeoutSeconds: 0 };
    expect((await worker.call("events.watch", { thread, afterEvent: 0, ...now })).events).not.toEqual([]);
    expect((await worker.call("events.watch", { thread, ...now })).woke).toBe(false);
    expect((await worker.call("threads.waitReply", { agent, thread, ...now })).message).toBeNull();
    expect((await worker.call("threads.show", { thread })).thread.threadId).toBe(thread);
    expect((await worker.call("threads.list", { agent: "lead" })).threads).not.toEqual([]);
    for (const id of [messages.mine, messages.topic])
      expect((await worker.call("messages.read", { id })).message.id).toBe(id);
    expect((await worker.call("messages.status", { id: messages.mine })).status).toBe("pending");
    await worker.call("threads.claim", { agent, done: thread, summary: "made", wait: true, ...now });
    const ended = { done: threads.crew, wait: true, timeoutSeconds: 0.1 };
    const { thread: next, ended: last } = await worker.call("threads.claim", { agent, ...ended });
    expect({ next, last: last?.thread.status }).toEqual({ next: null, last: "done" });
  });

  test("[X10] channels, dead letters, replies, entries and workspaces show a worker only its own", async () => {
    await using bench = await start();
    const { messages, entries } = await scene(bench);
    const worker = await as(bench, "w", "worker");
    const { channels } = await worker.call("messages.channels", {});
    expect(channels.map(({ channel }) => channel)).toEqual(["builds", "crew", "w"]);
    const { messages: replies } = await worker.call("messages.replies", { correlationId: "c" });
    expect(replies.map(({ id }) => id)).toEqual([messages.sent, messages.topic]);
    const { entries: shown, unread } = await worker.call("entries.history", {});
    expect([shown.map(({ id }) => id), unread]).toEqual([[entries.mine], 1]);
    const { workspaces } = await worker.call("workspaces.list", {});
    expect(workspaces.map(({ agent }) => agent)).toEqual(["w"]);
    expect((await bench.inbox.call("workspaces.list", {})).workspaces).toHaveLength(2);
  });

  test("[X10] [U8] a search finds what its caller may read, also behind much that it may not", async () => {
    await using bench = await start();
    await scene(bench);
    const many = Array.from({ length: 60 }, (_, i) => `secret ${i}`);
    for (const content of many)
      await bench.inbox.call("messages.send", { sender: "lead", channel: "other", content });
    const worker = await as(bench, "w", "worker");
    const hits = async (inbox: Inbox) => (await searched(inbox, { q: "secret", limit: 5 })).hits;
    const seen = (await searched(worker, { q: "secret", limit: 100 })).hits;
    expect(seen.map(({ channel, sender, kind }) => channel ?? `${kind} by ${sender}`).sort()).toEqual(
      [
        "builds",
        "crew",
        "entries by w",
        "lead",
        "other",
        "threads by lead",
        "threads by lead",
        "threads by w",
        "w",
        "w",
      ].sort(),
    );
    expect(await hits(worker)).toHaveLength(5);
    expect(await hits(bench.inbox)).toHaveLength(5);
  });

  test("[X10] [T13] events are those that concern their reader, and the cursor passes the others", async () => {
    await using bench = await start();
    const worker = await as(bench, "w", "worker");
    const before = (await bench.inbox.call("events.watch", { afterEvent: 0, limit: 1000 })).nextEventId;
    await scene(bench);
    const { events, nextEventId } = await worker.call("events.watch", { afterEvent: before, limit: 1000 });
    const all = await bench.inbox.call("events.watch", { afterEvent: before, limit: 1000 });
    expect(nextEventId).toBe(all.nextEventId);
    const told = events.filter(({ eventType }) => eventType !== "agent.joined");
    expect(
      told.every(
        ({ payload, source, assignedTo }) =>
          [source, payload.to, assignedTo].some((name) => ["w", "crew", "builds"].includes(String(name))) ||
          "pool" in payload,
      ),
    ).toBe(true);
    expect(told.some(({ eventType }) => eventType === "message.sent")).toBe(true);
    expect(all.events.length).toBeGreaterThan(events.length);
    const { thread } = await bench.inbox.call("threads.send", { from: "lead", to: "other", subject: "s" });
    const watching = worker.call("events.watch", { thread: thread.threadId, afterEvent: 0 });
    expect(await refusal(watching)).toMatchObject({ code: "not_allowed" });
  });

  test("[X10] a worker settles messages in its own inbox or on a topic, and none of another agent's", async () => {
    await using bench = await start();
    const { messages } = await scene(bench);
    const worker = await as(bench, "w", "worker");
    const ack = (id: number) => worker.call("messages.ack", { id, agent: "w" });
    for (const id of [messages.mine, messages.topic]) expect((await ack(id)).already).toBe(false);
    for (const id of [messages.sent, messages.others, messages.persons])
      expect(await refusal(ack(id))).toMatchObject({ code: "not_allowed" });
    // Work for somebody who has not come yet is no topic.
    const { thread } = await bench.inbox.call("threads.send", {
      from: "lead",
      to: "to-come",
      subject: "secret",
    });
    expect((await worker.call("messages.inbox", { channel: "to-come" })).messages).toEqual([]);
    expect((await worker.call("messages.ackAll", { channel: "to-come", agent: "w" })).ackedCount).toBe(0);
    expect(
      await refusal(worker.call("threads.claim", { agent: "w", thread: thread.threadId })),
    ).toMatchObject({
      code: "not_allowed",
      details: { scopes: ["leader", "admin"] },
    });
  });

  test("[X10.9] what was sent in a thread to a name that nobody has used is only for the thread's parties", async () => {
    await using bench = await start();
    const { call } = bench.inbox;
    const channel = "to-come";
    const threadTo = async (to: string) => {
      await call("threads.send", { from: "lead", to, subject: "secret", body: "a secret" });
      return (await call("messages.channels", {})).channels.find((one) => one.channel === to)!.latestId;
    };
    const plainTo = async (to: string) =>
      (await call("messages.send", { sender: "lead", channel: to, content: "no secret" })).id;
    const earlier = await plainTo(channel);
    const worker = await as(bench, "w", "worker");
    const party = await as(bench, "lead", "worker");
    await worker.call("messages.inbox", { channel, reader: "w", commit: true });
    const [inThread, plain] = [await threadTo(channel), await plainTo(channel)];
    const later = await threadTo(channel);
    await threadTo("nobody-yet");

    const seenBy = async (inbox: Inbox) => {
      const listed = await inbox.call("mailbox.list", { agent: channel });
      const { channels } = await inbox.call("messages.channels", { pending: true });
      return {
        page: (await inbox.call("messages.inbox", { channel })).messages.map(({ id }) => id),
        waited: (await inbox.call("messages.wait", { channel, timeoutSeconds: 0 })).messages.map(
          ({ id }) => id,
        ),
        list: [listed.messages.map(({ id }) => id), listed.total],
        pending: (await inbox.call("messages.pending", { channel })).count,
        channels: channels.map((one) => [one.channel, one.pending, one.latestId]),
        behind: (await inbox.call("messages.readers", { channel })).readers.map(({ behind }) => behind),
        hits: (await searched(inbox, { q: "secret" })).hits.length,
      };
    };
    expect(await seenBy(worker)).toEqual({
      page: [earlier, plain],
      waited: [earlier, plain],
      list: [[earlier, plain], 2],
      pending: 2,
      channels: [[channel, 2, plain]],
      behind: [1],
      hits: 2,
    });
    const all = [earlier, inThread, plain, later];
    expect(await seenBy(party)).toMatchObject({ page: all, list: [all, 4], pending: 4, behind: [3] });
    const operations = {
      read: () => worker.call("messages.read", { id: inThread }),
      status: () => worker.call("messages.status", { id: inThread }),
      ack: () => worker.call("messages.ack", { id: inThread, agent: "w" }),
      answer: () => worker.call("mailbox.answer", { from: "w", question: inThread, message: "x" }),
      requeue: () => worker.call("deadLetters.requeue", { agent: "w", id: inThread }),
      purge: () => worker.call("deadLetters.purge", { agent: "w", id: inThread }),
    };
    for (const [name, refused] of Object.entries(operations))
      expect([name, (await refusal(refused())).code]).toEqual([name, "not_allowed"]);
    expect((await worker.call("messages.ackAll", { channel, agent: "w" })).ackedCount).toBe(2);
    expect((await party.call("messages.ack", { id: later, agent: "lead" })).already).toBe(false);
    const { messages } = await call("mailbox.check", { agent: channel });
    expect(messages.map(({ id }) => id)).toEqual([inThread]);
  });

  test("[O1] [X10] in stats a worker sees its own leases, and everybody's counts", async () => {
    await using bench = await start();
    const { call } = bench.inbox;
    for (const to of ["ada", "bob"]) {
      await call("threads.send", { from: "lead", to, subject: "s" });
      await call("threads.claim", { agent: to });
    }
    const ada = await as(bench, "ada", "worker");
    const { leases, threads } = await ada.call("stats.show", {});
    expect(leases.map(({ agent }) => agent)).toEqual(["ada"]);
    expect(threads.claimed).toBe(2);
  });
});
