/** What retention deletes, and what it never does. */
import { describe, expect, test } from "bun:test";
import { append } from "../../src/bus/event.ts";
import { forgetAllWords } from "../../src/bus/search.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { all } from "../../src/sql/procedure.ts";
import { Sql, sql } from "../../src/sql/sql.ts";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";
import { searched } from "../support/searched.ts";

const day = 86_400;
const post = (inbox: Inbox, channel: string, content = "x") =>
  inbox.call("messages.send", { channel, content, sender: "ci" });
const keep = (
  inbox: Inbox,
  kind: "all" | "events" | "mail" | "threads" | "topics",
  days?: number,
  count?: number,
) =>
  inbox.call("retention.set", {
    kind,
    agent: "boss",
    ...(days !== undefined && { days }),
    ...(count !== undefined && { count }),
  });

/** What a gc deletes, or would: only what is not 0. */
async function gc(inbox: Inbox, dryRun = false): Promise<Record<string, number>> {
  const { deleted, expired } = await inbox.call("retention.apply", { dryRun });
  const counts = [...deleted.map(({ kind, count }) => [kind, count] as const), ["expired", expired] as const];
  return Object.fromEntries(counts.filter(([, count]) => count));
}
const events = async (inbox: Inbox, afterEvent = 0) =>
  (await inbox.call("events.watch", { afterEvent, limit: 1000, timeoutSeconds: 0 })).events;

describe.each(engines)("$name", (engine) => {
  const { start } = engine;
  test("[Y1.1] a limit that is not given is kept, none or null removes one, and a call without a limit both", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const set = async (limits: { days?: number | null | "none"; count?: number | null | "none" }) => {
      const { rules } = await inbox.call("retention.set", { kind: "mail", agent: "boss", ...limits });
      const { days, count } = rules.find(({ kind }) => kind === "mail")!;
      return [days, count];
    };
    expect(await set({ days: 9 })).toEqual([9, null]);
    expect(await set({ count: 5 })).toEqual([9, 5]);
    expect(await set({ days: "none" })).toEqual([null, 5]);
    expect(await set({ days: 1.5 })).toEqual([1.5, 5]);
    expect(await set({ count: null })).toEqual([1.5, null]);
    expect(await set({ count: 0, days: 2 })).toEqual([2, 0]);
    expect(await set({})).toEqual([null, null]);
    await keep(inbox, "all", 30);
    await keep(inbox, "all", undefined, 7);
    const { rules } = await inbox.call("retention.show", {});
    expect(rules.every(({ days, count }) => days === 30 && count === 7)).toBe(true);
  });

  test("[Y1] nothing is deleted before a limit is set, and limits are shown as they were set", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "builds");
    await inbox.call("messages.ack", { id: 1, agent: "w" });
    bench.pass(1000 * day);
    expect(await gc(inbox)).toEqual({});
    const { rules } = await inbox.call("retention.show", {});
    expect(rules.map(({ kind }) => kind)).toEqual([
      "entries",
      "transcripts",
      "tasks",
      "threads",
      "mail",
      "topics",
      "dead-letters",
      "events",
    ]);
    expect(rules.every(({ days, count }) => days === null && count === null)).toBe(true);
    await keep(inbox, "mail", 1.5, 10);
    const set = (await inbox.call("retention.show", {})).rules;
    expect(set.find(({ kind }) => kind === "mail")).toEqual({ kind: "mail", days: 1.5, count: 10 });
    await keep(inbox, "all");
    expect((await inbox.call("retention.show", {})).rules).toEqual(rules);
  });

  test("[Y3] old events go, and a cursor before those that are left has expired", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 5; i++) await post(inbox, "builds");
    const old = await events(inbox);
    await keep(inbox, "events", 30);
    bench.pass(31 * day);
    await post(inbox, "builds", "new");
    expect(await gc(inbox, true)).toEqual({ events: old.length + 2 });
    expect((await events(inbox)).length).toBeGreaterThan(old.length + 2);
    expect(await gc(inbox)).toEqual({ events: old.length + 2 });
    const left = await events(inbox);
    expect(left.map(({ eventType }) => eventType)).toEqual(["message.sent", "retention.applied"]);
    const error = await refusal(events(inbox, old[1]!.eventId));
    expect([error.code, error.details?.oldest_after]).toEqual(["cursor_expired", left[0]!.eventId - 1]);
    expect(await events(inbox, left[0]!.eventId - 1)).toEqual(left);
    expect(await gc(inbox)).toEqual({});
    // What was sent stays, and can be found.
    expect((await inbox.call("messages.pending", { channel: "builds" })).count).toBe(6);
    expect((await searched(inbox, { q: "new" })).hits.length).toBe(1);
    // Also where the words are made anew, as after a move to another place.
    await bench.engine.write(forgetAllWords);
    expect((await searched(inbox, { q: "x" })).hits.length).toBe(5);
    expect((await searched(inbox, { q: "new" })).hits.length).toBe(1);
  });

  test("[Y1] acked mail goes by age and by number, with its words, and a cursor before it has expired", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 1; i <= 6; i++) await post(inbox, "builds", `unique${i}`);
    for (const id of [2, 1, 3, 5]) {
      await inbox.call("messages.ack", { id, agent: "w" });
      bench.pass(day);
    }
    expect((await searched(inbox, { q: "unique2" })).hits.length).toBe(1);
    // Acked 4, 3, 2 and 1 days ago.
    await keep(inbox, "mail", 3.5);
    expect(await gc(inbox)).toEqual({ mail: 1 });
    await keep(inbox, "mail", undefined, 1);
    expect(await gc(inbox, true)).toEqual({ mail: 2 });
    expect(await gc(inbox)).toEqual({ mail: 2 });
    const read = (more: object) => inbox.call("messages.inbox", { channel: "builds", ...more });
    const all = await read({ includeAcked: true });
    expect(all.messages.map(({ id }) => id)).toEqual([4, 5, 6]);
    // Deleted in another order than written, they are one gap.
    const error = await refusal(read({ includeAcked: true, afterId: 1 }));
    expect([error.code, error.details?.oldest_id]).toEqual(["cursor_expired", 4]);
    expect((await read({ includeAcked: true, afterId: 3 })).count).toBe(3);
    expect((await searched(inbox, { q: "unique2" })).hits).toEqual([]);
    expect((await searched(inbox, { q: "unique5" })).hits.length).toBe(1);
    await keep(inbox, "mail", undefined, 0);
    expect(await gc(inbox)).toEqual({ mail: 1 });
    expect((await read({ includeAcked: true })).messages.map(({ id }) => id)).toEqual([4, 6]);
  });

  test("[Y1] [Y2] of a topic goes what all its stored readers have read, by age and by number", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const read = (reader: string, limit: number) =>
      inbox.call("messages.inbox", { channel: "builds", reader, limit, commit: true });
    const left = async (channel: string) =>
      (await inbox.call("messages.inbox", { channel, limit: 100 })).messages.map(({ id }) => id);
    for (let i = 1; i <= 6; i++) {
      await post(inbox, "builds", `unique${i}`);
      bench.pass(day);
    }
    // Nobody keeps a position in this one; and this may be mail to somebody who has yet to come.
    await post(inbox, "deploys");
    await keep(inbox, "topics", 3.5);
    bench.pass(2 * day);
    expect(await gc(inbox)).toEqual({});
    await read("fast", 6);
    await read("slow", 3);
    // Written 8 to 3 days ago.
    await keep(inbox, "topics", 6.5);
    expect(await gc(inbox, true)).toEqual({ topics: 2 });
    expect(await left("builds")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await gc(inbox)).toEqual({ topics: 2 });
    expect(await left("builds")).toEqual([3, 4, 5, 6]);
    expect((await searched(inbox, { q: "unique2" })).hits).toEqual([]);
    const error = await refusal(inbox.call("messages.inbox", { channel: "builds", afterId: 1 }));
    expect([error.code, error.details?.oldest_id]).toEqual(["cursor_expired", 3]);
    // What the slow one has not read stays, whatever the limit is.
    await keep(inbox, "topics", undefined, 1);
    expect(await gc(inbox)).toEqual({ topics: 1 });
    expect((await read("slow", 10)).messages.map(({ id }) => id)).toEqual([4, 5, 6]);
    expect(await gc(inbox)).toEqual({ topics: 2 });
    expect([await left("builds"), await left("deploys")]).toEqual([[6], [7]]);
    // One that has expired is not among those that are kept, and nobody misses it.
    await inbox.call("messages.send", { channel: "builds", content: "x", sender: "ci", ttlSeconds: 1 });
    await read("fast", 10);
    await read("slow", 10);
    bench.pass(2);
    expect(await gc(inbox, true)).toEqual({ expired: 1 });
    expect(await gc(inbox)).toEqual({ expired: 1 });
    expect(await left("builds")).toEqual([6]);
    // Once somebody has the name it is a mailbox, and what is in it is mail that waits.
    await inbox.call("mailbox.send", { from: "builds", to: "lead", message: "hello" });
    await keep(inbox, "topics", undefined, 0);
    expect(await gc(inbox)).toEqual({});
    expect(await left("builds")).toEqual([6]);
  });

  test("[Y2] if messages of a topic are acked, the unacked ones are kept", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 1; i <= 3; i++) await post(inbox, "work");
    await inbox.call("messages.ack", { id: 1, agent: "w" });
    await inbox.call("messages.inbox", { channel: "work", reader: "audit", commit: true });
    await keep(inbox, "topics", 1);
    bench.pass(2 * day);
    expect(await gc(inbox)).toEqual({});
    await keep(inbox, "all", 1);
    expect((await gc(inbox)).mail).toBe(1);
    // Also when nothing that was acked is left.
    expect(await gc(inbox)).not.toHaveProperty("topics");
    expect((await inbox.call("messages.pending", { channel: "work" })).count).toBe(2);
  });

  test("[Y1] more goes than one step takes, of every kind", async () => {
    await using bench = await start();
    const { inbox, engine } = bench;
    // Written past the surface, as a hub does with many at once.
    const big = "x".repeat(5000);
    await Promise.all(
      Array.from({ length: 230 }, (_, i) =>
        inbox.call("messages.send", { channel: "c", content: `${i}${big}`, sender: "ci" }),
      ),
    );
    await inbox.call("messages.inbox", { channel: "c", reader: "r", limit: 220, commit: true });
    await keep(inbox, "all", 1);
    bench.pass(2 * day);
    expect((await gc(inbox, true)).topics).toBe(220);
    expect((await gc(inbox)).topics).toBe(220);
    await inbox.call("messages.inbox", { channel: "c", reader: "r", commit: true });
    await inbox.call("messages.ackAll", { channel: "c", agent: "w" });
    bench.pass(2 * day);
    expect((await gc(inbox, true)).mail).toBe(10);
    expect((await gc(inbox)).mail).toBe(10);
    const left = await engine.read(() => all(sql`select 1 as one from messages`));
    expect(left).toEqual([]);
    const ranges = await engine.read(() => all(sql`select pruned.from_id, pruned.to_id from pruned`));
    expect(ranges).toEqual([{ from_id: 1, to_id: 230 }]);
  });

  test("[Y2] what a stored reader has not read stays, and so does its position", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let i = 0; i < 4; i++) await post(inbox, "builds");
    const behind = { channel: "builds", reader: "slow", limit: 2 };
    expect((await inbox.call("messages.inbox", { ...behind, commit: true })).messages.length).toBe(2);
    await inbox.call("messages.ackAll", { channel: "builds", agent: "w" });
    await keep(inbox, "all", 30);
    bench.pass(400 * day);
    expect((await gc(inbox)).mail).toBe(2);
    expect((await inbox.call("messages.inbox", behind)).messages.map(({ id }) => id)).toEqual([3, 4]);
    await inbox.call("messages.inbox", { ...behind, commit: true });
    expect((await gc(inbox)).mail).toBe(2);
    expect((await inbox.call("messages.inbox", behind)).messages).toEqual([]);
  });

  test("[Y2] only ended threads that nobody needs are deleted", async () => {
    await using bench = await start();
    const { inbox, engine } = bench;
    const created = async (to: string, from = "lead") =>
      (
        await inbox.call("threads.send", {
          from,
          to,
          subject: "s",
          artifacts: [{ path: "/tmp/x", kind: "file", metadata: {} }],
        })
      ).thread.threadId;
    const ended = async (from = "lead") => {
      const thread = await created("w", from);
      await inbox.call("threads.claim", { agent: "w", thread });
      await inbox.call("threads.done", { agent: "w", thread, summary: "done" });
      return thread;
    };
    const collected = await ended();
    await inbox.call("mailbox.check", { agent: "lead" });
    const uncollected = await ended();
    const pending = await created("w");
    const claimed = await created("w");
    await inbox.call("threads.claim", { agent: "w", thread: claimed });
    const forPerson = await ended("user");
    const unread = await ended("lead2");
    await inbox.call("messages.inbox", { channel: "lead2", reader: "auditor", commit: true });
    await inbox.call("threads.send", { from: "w", thread: unread, to: "lead2", summary: "late" });
    await inbox.call("mailbox.check", { agent: "lead2" });
    await keep(inbox, "all", 30);
    bench.pass(31 * day);
    expect((await gc(inbox, true)).threads).toBe(1);
    expect((await gc(inbox)).threads).toBe(1);
    const there = (await inbox.call("threads.list", {})).threads.map(({ threadId }) => threadId);
    expect(there).toEqual([unread, forPerson, claimed, pending, uncollected]);
    expect((await refusal(inbox.call("threads.show", { thread: collected }))).code).toBe("not_found");
    const rows = (table: string) =>
      engine.read(() => all(new Sql([`select thread_id from ${table} where thread_id = 1`], [])));
    for (const table of ["messages", "leases", "thread_reads", "lost_leases"])
      expect(await rows(table)).toEqual([]);
    // The result for the lead is still in its mail, and the thread can be worked on.
    expect((await inbox.call("mailbox.check", { agent: "lead" })).messages.map(({ kind }) => kind)).toEqual([
      "result",
    ]);
    expect((await inbox.call("threads.claim", { agent: "w", thread: pending })).thread?.status).toBe(
      "claimed",
    );
    expect((await gc(inbox)).threads).toBe(1);
  });

  test("[Y2] unread entries and unanswered questions stay; what a read one was about goes after it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: "ada", to: "user", message: "read" });
    await inbox.call("mailbox.send", { from: "ada", to: "user", message: "unread" });
    await inbox.call("mailbox.ask", { from: "ada", to: "user", question: "which?", choices: ["a", "b"] });
    const { entries } = await inbox.call("entries.history", {});
    const read = (comments: string) =>
      inbox.call("entries.read", { id: entries.find((entry) => entry.comments.startsWith(comments))!.id });
    await read("read");
    await read("which?");
    await keep(inbox, "all", 30);
    bench.pass(31 * day);
    expect(await gc(inbox, true)).toMatchObject({ entries: 1 });
    // Its message goes in the same run: nothing refers to it any more.
    expect(await gc(inbox)).toMatchObject({ entries: 1, mail: 1 });
    const left = (await inbox.call("entries.history", {})).entries;
    expect(left.map(({ comments }) => comments)).toEqual(["which?", "unread"]);
    await inbox.call("entries.reply", { id: left[0]!.id, choice: "a" });
    bench.pass(31 * day);
    expect(await gc(inbox)).toMatchObject({ entries: 1 });
  });

  test("[Y2.5] what is over a limit and still needed is named with the reason, in a dry run and in a real one", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const subject of ["a", "b", "c", "d"]) {
      const { thread } = await inbox.call("threads.send", { from: "lead", to: "w", subject });
      await inbox.call("threads.claim", { agent: "w", thread: thread.threadId });
      await inbox.call("threads.done", { agent: "w", thread: thread.threadId, summary: "done" });
    }
    const kept = async (dryRun: boolean) => (await inbox.call("retention.apply", { dryRun })).kept;
    expect(await kept(false)).toEqual([]);
    await keep(inbox, "threads", undefined, 1);
    const waiting = [{ kind: "threads", count: 3, why: "uncollected" }] as const;
    for (const dryRun of [true, false]) expect(await kept(dryRun)).toEqual([...waiting]);
    await inbox.call("mailbox.receive", { agent: "lead", max: 2 });
    const { deleted, kept: left } = await inbox.call("retention.apply", {});
    expect(deleted.find(({ kind }) => kind === "threads")!.count).toBe(2);
    expect(left).toEqual([{ kind: "threads", count: 1, why: "uncollected" }]);
    await inbox.call("mailbox.receive", { agent: "lead" });
    expect(await kept(false)).toEqual([]);
  });

  test("[Y2] finished tasks go with their threads once nothing depends on them; that they have ended stays known", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("alone");
    await bench.end("alone");
    await bench.started("needed");
    await bench.end("needed");
    await bench.push("next", { after: ["needed"] });
    await inbox.call("mailbox.check", { agent: "main" });
    await bench.started("unheard");
    await bench.end("unheard");
    await keep(inbox, "all", 30);
    bench.pass(31 * day);
    expect((await gc(inbox, true)).tasks).toBe(1);
    expect((await gc(inbox)).tasks).toBe(1);
    expect((await refusal(inbox.call("tasks.show", { name: "alone" }))).code).toBe("not_found");
    for (const name of ["needed", "next", "unheard"])
      expect((await inbox.call("tasks.show", { name })).task.name).toBe(name);
    const sent = await inbox.call("mailbox.send", { from: "main", to: "alone", message: "are you there?" });
    expect(sent.recipient.ended).toBe(true);
    const agents = (await inbox.call("agents.list", {})).agents;
    expect(agents.find(({ name }) => name === "alone")).toMatchObject({ ended: true, live: false });
    const all = await inbox.call("mailbox.send", { from: "unheard-too", to: "*", message: "all" });
    expect(all.copies!.map(({ channel }) => channel)).not.toContain("alone");
  });

  test("[Y2] old dead letters go, in a thread they are settled", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, "poisoned");
    const { thread } = await inbox.call("threads.send", { from: "lead", to: "poisoned", subject: "s" });
    for (let i = 0; i < 6; i++) {
      await inbox.call("mailbox.check", { agent: "poisoned", ack: "manual" });
      bench.pass(61);
    }
    expect((await inbox.call("deadLetters.list", {})).count).toBe(2);
    await keep(inbox, "all", 30);
    bench.pass(29 * day);
    expect((await gc(inbox))["dead-letters"]).toBeUndefined();
    bench.pass(2 * day);
    expect((await gc(inbox))["dead-letters"]).toBe(2);
    expect((await inbox.call("deadLetters.list", {})).count).toBe(0);
    const shown = await inbox.call("threads.show", { thread: thread.threadId });
    expect(shown.messages.length).toBe(1);
  });

  test.each([0, 1, 3])(
    "[Y3.4] with a count of %d, a second gc has nothing to delete and writes nothing",
    async (count) => {
      await using bench = await start();
      const { inbox } = bench;
      for (let i = 0; i < 5; i++) await post(inbox, "builds");
      await keep(inbox, "events", undefined, count);
      const due = await gc(inbox, true);
      expect(await gc(inbox)).toEqual(due);
      const left = await events(inbox);
      expect(left.length).toBe(Math.max(count, 1));
      expect(left.at(-1)).toMatchObject({
        eventType: "retention.applied",
        payload: { kind: "events", count: due.events },
      });
      expect([await gc(inbox, true), await gc(inbox), await events(inbox)]).toEqual([{}, {}, left]);
      await post(inbox, "builds");
      expect((await gc(inbox)).events).toBe(2);
      expect((await events(inbox)).length).toBe(Math.max(count, 1));
    },
  );

  test("[Y3.4] [Y3.5] by age, the events that report deletions are no reason to delete, and go with others", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await keep(inbox, "events", 30);
    for (const content of ["first", "second"]) {
      await post(inbox, "builds", content);
      await post(inbox, "builds", content);
      bench.pass(31 * day);
      expect((await gc(inbox)).events).toBeGreaterThan(0);
    }
    bench.pass(31 * day);
    const left = await events(inbox);
    expect(left.map(({ eventType }) => eventType)).toEqual(["retention.applied"]);
    expect([await gc(inbox, true), await gc(inbox), await events(inbox)]).toEqual([{}, {}, left]);
    await post(inbox, "builds", "third");
    await post(inbox, "builds", "fourth");
    // One report is old, and nothing else.
    expect([await gc(inbox), (await events(inbox)).length]).toEqual([{}, 3]);
    bench.pass(31 * day);
    expect(await gc(inbox)).toEqual({ events: 3 });
    expect(await gc(inbox)).toEqual({});
  });

  test("[Y3.5] by age, a thousand events that report deletions do not hide what comes after them", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.engine.write(function* (tx) {
      const now = yield* tx.clock();
      const payload = { kind: "events", count: 1 };
      for (let i = 0; i < 1000; i++)
        yield* append(tx, { type: "retention.applied", source: "gc", payload, now });
    });
    await post(inbox, "builds");
    await post(inbox, "builds");
    await keep(inbox, "events", 30);
    bench.pass(31 * day);
    expect((await gc(inbox)).events).toBeGreaterThan(1000);
    expect((await events(inbox)).map(({ eventType }) => eventType)).not.toContain("message.sent");
  });

  test("[Y3] a wait continues while old rows are deleted, and wait-reply finds its position without old events", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const { thread } = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    const { threadId } = thread;
    await inbox.call("threads.reply", { from: "w", thread: threadId, summary: "an old answer" });
    await keep(inbox, "events", 30);
    bench.pass(31 * day);
    await post(inbox, "builds");
    const replying = bench
      .another()
      .call("threads.waitReply", { agent: "lead", thread: threadId, afterEvent: 0 });
    expect((await replying).message?.summary).toBe("an old answer");
    const watching = inbox.call("events.watch", { thread: threadId, timeoutSeconds: 50 });
    expect((await gc(inbox)).events).toBeGreaterThan(2);
    const { nextEventId } = await inbox.call("threads.show", { thread: threadId });
    const waiting = bench.another().call("threads.waitReply", {
      agent: "lead",
      thread: threadId,
      afterEvent: nextEventId,
      timeoutSeconds: 50,
    });
    expect(
      (await refusal(inbox.call("threads.waitReply", { agent: "lead", thread: threadId, afterEvent: 1 })))
        .code,
    ).toBe("cursor_expired");
    await inbox.call("threads.reply", { from: "w", thread: threadId, summary: "a new answer" });
    expect((await waiting).messages.map(({ summary }) => summary)).toEqual(["a new answer"]);
    expect((await watching).event?.summary).toBe("a new answer");
  });
});
