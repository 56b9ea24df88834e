/** [U10] [U11] [U12] What needs the person, what it is done with, what it wants to see later, and whom it does not want to hear. */
import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const listed = async (inbox: Inbox, more = {}) =>
  (await inbox.call("entries.history", more)).entries.map(({ comments }) => comments);
const counts = (inbox: Inbox) => inbox.call("entries.counts", {});
const say = (inbox: Inbox, from: string, message: string) =>
  inbox.call("mailbox.send", { from, to: "user", message });
const newest = async (inbox: Inbox) => (await inbox.call("entries.history", { limit: 1 })).entries[0]!;

describe.each(engines)("$name", ({ start }) => {
  test("[U10] a question is answered once; another choice needs change, and both refusals name the answer and its author", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.ask", { from: "ada", to: "user", question: "Deploy?", choices: ["yes", "no"] });
    const { id, needs } = await newest(inbox);
    expect(needs).toBe("answer");
    const { entry } = await inbox.call("entries.reply", { id, choice: "yes" });
    expect(entry).toMatchObject({
      answer: "yes",
      answeredBy: "user",
      answeredAt: expect.any(String),
      needs: null,
    });
    const again = await refusal(inbox.call("entries.reply", { id, choice: "no" }));
    expect(again).toMatchObject({ code: "invalid_state", details: { answer: "yes", answered_by: "user" } });
    const more = await inbox.call("entries.reply", { id, message: "and tell me when" });
    expect(more.entry).toMatchObject({ answer: "yes", answeredAt: entry.answeredAt });
    const changed = await inbox.call("entries.reply", { id, choice: "no", change: true });
    expect(changed.entry).toMatchObject({ answer: "no", answeredBy: "user" });
    const { messages } = await inbox.call("mailbox.list", { agent: "ada" });
    expect(messages.map(({ message }) => message)).toEqual(["yes", "and tell me when", "no"]);
    const { events } = await inbox.call("events.watch", { afterEvent: 0, limit: 100 });
    expect(
      events.filter(({ eventType }) => eventType === "entry.answered").map(({ payload }) => payload),
    ).toEqual([
      { entry: id, answer: "yes", changed: false },
      { entry: id, answer: "yes", changed: false },
      { entry: id, answer: "no", changed: true },
    ]);
  });

  test("[U10] an agent cannot answer an entry that it wrote itself", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await say(inbox, "user", "remember the milk");
    const { id } = await newest(inbox);
    expect(await refusal(inbox.call("entries.reply", { id, message: "I did" }))).toMatchObject({
      code: "invalid_state",
    });
  });

  test("[U11] open questions and failures need the person, until they are answered, over or archived", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await say(inbox, "ada", "only news");
    await inbox.call("threads.send", { from: "user", to: "bob", subject: "Build it" });
    await inbox.call("threads.claim", { agent: "bob" });
    await inbox.call("threads.update", {
      agent: "bob",
      thread: "thr_1",
      status: "blocked",
      summary: "Which one?",
    });
    expect(await counts(inbox)).toMatchObject({ unread: 2, needsYou: 1 });
    expect(await listed(inbox, { needsYou: true })).toEqual(["Which one?"]);
    await inbox.call("threads.fail", {
      agent: "bob",
      thread: "thr_1",
      summary: "No disk left",
      body: "df says 100 %",
    });
    expect(await listed(inbox, { needsYou: true })).toEqual(["No disk left\n\ndf says 100 %"]);
    const failed = await newest(inbox);
    expect(failed).toMatchObject({
      needs: "attention",
      failure: { error: "No disk left", task: null, output: "" },
    });
    await inbox.call("entries.archive", { id: failed.id });
    expect(await counts(inbox)).toMatchObject({ unread: 2, needsYou: 0 });
    await inbox.call("entries.unarchive", { id: failed.id });
    expect((await counts(inbox)).needsYou).toBe(1);
  });

  test("[U12] an archived entry has left the inbox, read, and comes back", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const text of ["one", "two"]) await say(inbox, "ada", text);
    const { id } = await newest(inbox);
    expect(await inbox.call("entries.archive", { id })).toMatchObject({
      already: false,
      entry: { archivedAt: expect.any(String), readAt: expect.any(String) },
    });
    expect((await inbox.call("entries.archive", { id })).already).toBe(true);
    expect(await listed(inbox)).toEqual(["one"]);
    expect(await listed(inbox, { folder: "archive" })).toEqual(["two"]);
    expect(await listed(inbox, { folder: "all" })).toEqual(["two", "one"]);
    expect((await inbox.call("mailbox.list", { agent: "user" })).total).toBe(1);
    await inbox.call("entries.unarchive", { id });
    expect(await listed(inbox)).toEqual(["two", "one"]);
    expect((await inbox.call("entries.unarchive", { id })).already).toBe(true);
  });

  test("[U12] a snoozed entry comes back at its time, with the next of its thread or sender, or when it is asked for", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const text of ["one", "two", "three"]) await say(inbox, "ada", text);
    const [three, two, one] = (await inbox.call("entries.history", {})).entries.map(({ id }) => id);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await inbox.call("entries.snooze", { id: three!, until });
    await inbox.call("entries.snooze", { id: two! });
    await inbox.call("entries.snooze", { id: one! });
    expect(await listed(inbox)).toEqual([]);
    expect(await listed(inbox, { folder: "snoozed" })).toEqual(["three", "two", "one"]);
    expect(await counts(inbox)).toMatchObject({ unread: 0, snoozed: 3, nextWake: until });
    await say(inbox, "bob", "not of ada");
    expect(await listed(inbox)).toEqual(["not of ada"]);
    await inbox.call("entries.unsnooze", { id: one! });
    expect(await listed(inbox)).toEqual(["not of ada", "one"]);
    await say(inbox, "ada", "four");
    expect(await listed(inbox)).toEqual(["four", "not of ada", "two", "one"]);
    const soon = new Date(Date.now() + 60_000).toISOString();
    await inbox.call("entries.snooze", { id: three!, until: soon });
    expect(await listed(inbox)).toHaveLength(4);
    bench.pass(61);
    expect(await listed(inbox)).toEqual(["four", "not of ada", "three", "two", "one"]);
    const past = await refusal(inbox.call("entries.snooze", { id: two!, until: "2020-01-01T00:00:00Z" }));
    expect(past.code).toBe("invalid_input");
  });

  test("[U12] new entries of a muted agent or thread go to the archive, except questions", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "user", to: "bob", subject: "Build it" });
    await inbox.call("threads.claim", { agent: "bob" });
    await inbox.call("mutes.add", { name: "ada" });
    const { mutes } = await inbox.call("mutes.add", { thread: "thr_1" });
    expect(mutes).toMatchObject([
      { name: "ada", threadId: null },
      { name: null, threadId: "thr_1" },
    ]);
    await say(inbox, "ada", "chatter");
    await inbox.call("threads.reply", { from: "bob", thread: "thr_1", summary: "still at it" });
    await say(inbox, "bob", "outside the thread");
    await inbox.call("mailbox.ask", { from: "ada", to: "user", question: "May I?", choices: ["yes"] });
    expect(await listed(inbox)).toEqual(["May I?", "outside the thread"]);
    expect(await listed(inbox, { folder: "archive" })).toEqual(["still at it", "chatter"]);
    expect((await inbox.call("mutes.remove", { name: "ada" })).mutes).toHaveLength(1);
    await say(inbox, "ada", "heard again");
    expect((await listed(inbox))[0]).toBe("heard again");
    expect(await refusal(inbox.call("mutes.add", {}))).toMatchObject({ code: "invalid_input" });
    expect(await refusal(inbox.call("mutes.add", { thread: "thr_99" }))).toMatchObject({ code: "not_found" });
  });

  test("[U12] all that was seen is read at once, and what came after it is not", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const text of ["one", "two", "three"]) await say(inbox, "ada", text);
    const [, two] = (await inbox.call("entries.history", {})).entries;
    expect(await inbox.call("entries.readAll", { upTo: two!.id })).toEqual({ read: 2 });
    expect(await listed(inbox, { unread: true })).toEqual(["three"]);
    expect((await inbox.call("mailbox.list", { agent: "user" })).total).toBe(1);
    expect(await inbox.call("entries.readAll", {})).toEqual({ read: 1 });
    expect(await inbox.call("entries.readAll", {})).toEqual({ read: 0 });
  });
});
