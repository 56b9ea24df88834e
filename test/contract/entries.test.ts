import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const unknown = "00000000-0000-4000-8000-000000000000";

/** A workspace with an agent, and a way to push to the person that every surface has. */
async function workspaceOf(inbox: Inbox, label = "Macro", agent = "ada") {
  const { workspace } = await inbox.call("workspaces.add", { path: "/tmp", label, agent });
  let made = 0;
  const push = async (comments = `entry ${made}`, ts = Date.now()) => {
    const id = crypto.randomUUID();
    const { workspaceId } = workspace;
    const entry = { id, ts: ts + made++, workspaceId, workspaceLabel: label, comments, sender: agent };
    await inbox.call("entries.import", { entries: [entry] });
    return id;
  };
  return { ...workspace, push };
}

const history = (inbox: Inbox, more = {}) => inbox.call("entries.history", more);
const ids = async (inbox: Inbox, more = {}) => (await history(inbox, more)).entries.map(({ id }) => id);
const happened = async (inbox: Inbox) =>
  (await inbox.call("events.watch", { afterEvent: 0, limit: 1000 })).events
    .map(({ eventType }) => eventType)
    .filter((type) => type.startsWith("entr"));

describe.each(engines)("$name", ({ start }) => {
  test("[U3] the history comes newest first in pages, of all or of one workspace, with the number of unread ones", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const [one, two] = [await workspaceOf(inbox), await workspaceOf(inbox, "Other", "bob")];
    const pushed: string[] = [];
    for (let i = 0; i < 7; i++)
      pushed.unshift(await (i % 2 ? two : one).push(`n${i}`, Date.now() + i * 1000));
    expect(await history(inbox)).toMatchObject({ hasMore: false, unread: 7 });
    expect(await ids(inbox)).toEqual(pushed);
    const first = await history(inbox, { limit: 3 });
    expect([first.entries.map(({ id }) => id), first.hasMore]).toEqual([pushed.slice(0, 3), true]);
    const rest = await history(inbox, { limit: 4, before: pushed[2] });
    expect([rest.entries.map(({ id }) => id), rest.hasMore]).toEqual([pushed.slice(3), false]);
    expect(await history(inbox, { workspaceId: two.workspaceId })).toMatchObject({
      unread: 3,
      hasMore: false,
    });
    expect(await ids(inbox, { workspaceId: two.workspaceId, before: pushed[1] })).toEqual([
      pushed[3]!,
      pushed[5]!,
    ]);
    await inbox.call("entries.read", { id: pushed[0]! });
    expect(await ids(inbox, { unread: true })).toEqual(pushed.slice(1));
    expect(await ids(inbox, { unread: true, before: pushed[3] })).toEqual(pushed.slice(4));
    expect((await history(inbox)).unread).toBe(6);
    for (const limit of [0, 201, 1.5])
      expect((await refusal(history(inbox, { limit }))).code).toBe("invalid_input");
    expect((await refusal(history(inbox, { before: unknown }))).code).toBe("not_found");
    expect((await refusal(history(inbox, { before: "x" }))).code).toBe("invalid_input");
  });

  test("[U3] a page has 50 entries by default, and at most 200", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const entries = Array.from({ length: 250 }, (_, i) => ({
      id: crypto.randomUUID(),
      ts: i,
      comments: "x",
    }));
    await inbox.call("entries.import", { entries });
    expect((await history(inbox)).entries).toHaveLength(50);
    expect((await history(inbox, { limit: 200 })).entries).toHaveLength(200);
  });

  test("[U3] unread ones are counted up to 1000", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const workspaceId = "ws-abc123";
    const add = (length: number) =>
      inbox.call("entries.import", {
        entries: Array.from({ length }, () => ({
          id: crypto.randomUUID(),
          ts: 1,
          workspaceId,
          comments: "x",
        })),
      });
    await inbox.call("entries.import", { entries: [{ id: unknown, ts: 2, comments: "another's" }] });
    const counted = async () => [
      (await history(inbox, { workspaceId })).unread,
      (await history(inbox)).unread,
    ];
    for (const length of [400, 400, 199]) await add(length);
    expect(await counted()).toEqual([999, 1000]);
    await add(1);
    expect(await counted()).toEqual([1000, 1000]);
    await add(200);
    expect(await counted()).toEqual([1000, 1000]);
  });

  test("[U3] a deleted entry is hidden at once, comes back while it can, and marks its place even when it is gone", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    const { push } = await workspaceOf(inbox);
    const [a, b, c] = [await push(), await push(), await push()];
    const deleted = await inbox.call("entries.delete", { id: b });
    expect(deleted.id).toBe(b);
    expect(await history(inbox)).toMatchObject({ unread: 2 });
    expect(await ids(inbox)).toEqual([c, a]);
    expect(await ids(inbox, { before: b })).toEqual([a]);
    const hidden = await refusal(inbox.call("entries.show", { id: b }));
    expect([hidden.code, hidden.details]).toEqual(["not_found", { deleted: true }]);
    for (const name of ["entries.read", "entries.unread"] as const)
      expect((await refusal(inbox.call(name, { id: b }))).code).toBe("not_found");
    expect((await refusal(inbox.call("entries.reply", { id: b, message: "x" }))).code).toBe("not_found");
    bench.pass(9);
    // Again: nothing changes, not even how long it can be restored.
    expect(await inbox.call("entries.delete", { id: b })).toEqual(deleted);
    expect(await inbox.call("entries.restore", { id: b })).toMatchObject({
      entry: { id: b },
      already: false,
    });
    expect(await inbox.call("entries.restore", { id: b })).toMatchObject({ already: true });
    expect(await ids(inbox)).toEqual([c, b, a]);
    await inbox.call("entries.delete", { id: b });
    bench.pass(10);
    const late = await refusal(inbox.call("entries.restore", { id: b }));
    expect([late.code, late.details]).toEqual(["not_found", { erased: true }]);
    await push("the next write erases it");
    expect((await refusal(inbox.call("entries.show", { id: b }))).details).toEqual({ erased: true });
    expect(await ids(inbox, { before: b })).toEqual([a]);
    expect((await refusal(inbox.call("entries.delete", { id: b }))).code).toBe("not_found");
    expect(await happened(inbox)).toEqual([
      ...Array(3).fill("entry.pushed"),
      "entry.deleted",
      "entry.restored",
      "entry.deleted",
      "entries.erased",
      "entry.pushed",
    ]);
  });

  test("[U3] an entry can be erased at once", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const id = await (await workspaceOf(inbox)).push();
    expect(await inbox.call("entries.delete", { id, atOnce: true })).toEqual({ id, restorableUntil: null });
    expect((await refusal(inbox.call("entries.restore", { id }))).details).toEqual({ erased: true });
  });

  test("[U4] an entry is marked as read once, on request, and can be marked as unread again; showing it changes nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const workspace = await workspaceOf(inbox);
    const id = await workspace.push("look");
    const { push: _, ...plain } = workspace;
    const shown = await inbox.call("entries.show", { id });
    expect(shown).toMatchObject({
      entry: { id, comments: "look", readAt: null },
      workspace: plain,
      documents: [],
    });
    expect((await inbox.call("entries.show", { id })).entry.readAt).toBe(null);
    const first = await inbox.call("entries.read", { id });
    expect([first.already, typeof first.entry.readAt]).toEqual([false, "string"]);
    expect(await inbox.call("entries.read", { id })).toEqual({ ...first, already: true });
    expect((await bench.another().call("entries.show", { id })).entry.readAt).toBe(first.entry.readAt);
    expect(await inbox.call("entries.unread", { id })).toMatchObject({
      already: false,
      entry: { readAt: null },
    });
    expect(await inbox.call("entries.unread", { id })).toMatchObject({ already: true });
    await inbox.call("entries.show", { id, markRead: true });
    expect((await inbox.call("entries.show", { id })).entry.readAt).not.toBe(null);
    expect(await happened(inbox)).toEqual(["entry.pushed", "entry.read", "entry.unread", "entry.read"]);
    for (const name of [
      "entries.show",
      "entries.read",
      "entries.unread",
      "entries.delete",
      "entries.restore",
    ] as const)
      expect((await refusal(inbox.call(name, { id: unknown }))).code).toBe("not_found");
  });

  test("[U6] a reply goes to the workspace's agent as an answer, wakes its wait, and marks the entry as read", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const { push, workspaceId } = await workspaceOf(inbox);
    const id = await push("Which one?");
    const waiting = bench.another().call("mailbox.receive", { agent: "ada" });
    const answer = await inbox.call("entries.reply", { id, message: "The second.\nPlease." });
    expect(answer.entry).toMatchObject({ id, readAt: expect.any(String), answeredAt: expect.any(String) });
    expect(answer.message).toMatchObject({
      fromAgent: "user",
      toAgent: "ada",
      kind: "answer",
      threadId: null,
      summary: "The second.",
      body: "The second.\nPlease.",
      payload: { entry: id },
    });
    expect((await waiting).messages).toMatchObject([
      { senderId: "user", kind: "answer", message: "The second.\nPlease.", metadata: { entry: id } },
    ]);
    expect((await refusal(inbox.call("entries.reply", { id }))).code).toBe("invalid_input");
    expect((await refusal(inbox.call("entries.reply", { id, message: "  " }))).code).toBe("invalid_input");
    const twice = { from: "ada", to: "user", question: "?", choices: ["yes", "yes"] };
    expect((await refusal(inbox.call("mailbox.ask", twice))).message).toContain("twice");
    // It has no choices, so this can only be the text of the answer.
    expect((await inbox.call("entries.reply", { id, choice: "yes" })).message.body).toBe("yes");
    await inbox.call("workspaces.remove", { workspace: workspaceId });
    expect((await inbox.call("entries.reply", { id, message: "still there?" })).message.toAgent).toBe("ada");
    expect((await inbox.call("entries.show", { id })).workspace).toBe(null);
  });

  test("[U9] a blocked worker's question is an entry with its choices; reading acks it, the answer wakes the worker, typed", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const { thread } = await inbox.call("threads.send", { from: "user", to: "w", subject: "Log in" });
    await inbox.call("threads.claim", { agent: "w", thread: thread.threadId });
    const asked = await inbox.call("threads.update", {
      agent: "w",
      thread: thread.threadId,
      status: "blocked",
      summary: "Log in by email?",
      body: "Admins have no phone number.",
      payload: { choices: ["yes", "no"], why: "x" },
    });
    const [entry] = (await history(inbox)).entries;
    expect(entry).toMatchObject({
      workspaceId: null,
      workspaceLabel: null,
      docs: [],
      comments: "Log in by email?\n\nAdmins have no phone number.",
      sender: "w",
      kind: "question",
      threadId: thread.threadId,
      messageId: asked.message.messageId,
      choices: ["yes", "no"],
      readAt: null,
      ts: Date.parse(asked.message.createdAt),
    });
    const { id } = entry!;
    const status = async () =>
      (await inbox.call("messages.status", { id: Number(asked.message.messageId.slice(4)) })).status;
    expect(await status()).toBe("pending");
    await inbox.call("entries.read", { id });
    expect(await status()).toBe("acked");
    await inbox.call("entries.unread", { id });
    expect(await status()).toBe("acked");
    const waiting = bench.another().call("threads.waitReply", { agent: "w", thread: thread.threadId });
    const wrong = await refusal(inbox.call("entries.reply", { id, choice: "maybe" }));
    expect([wrong.code, wrong.details]).toEqual(["invalid_input", { choices: ["yes", "no"] }]);
    const answer = await inbox.call("entries.reply", { id, choice: "no" });
    expect(answer.message).toMatchObject({
      threadId: thread.threadId,
      toAgent: "w",
      kind: "answer",
      body: "no",
    });
    const { messages } = await waiting;
    expect(messages.map(({ payload }) => payload)).toEqual([{ entry: id, choice: "no" }]);
  });

  test("[U9] every message to the person is an entry: a result, a task, a plain message, a channel message; a broadcast is not", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "user", to: "w", subject: "do it" });
    await inbox.call("threads.claim", { agent: "w" });
    await inbox.call("threads.done", { agent: "w", thread: "thr_1", summary: "done", body: "done it" });
    await inbox.call("threads.send", { from: "w", to: "user", subject: "please decide" });
    await inbox.call("mailbox.send", { from: "w", to: "user", message: "hello" });
    await inbox.call("messages.send", {
      channel: "user",
      sender: "ci",
      content: "broken",
      correlationId: "k",
    });
    await inbox.call("mailbox.send", { from: "w", to: "*", message: "everybody but the person" });
    const { entries } = await history(inbox);
    expect(entries.map(({ kind, comments, sender, threadId }) => [kind, comments, sender, threadId])).toEqual(
      [
        ["event", "broken", "ci", null],
        ["event", "hello", "w", null],
        ["task", "please decide", "w", "thr_2"],
        ["result", "done it", "w", "thr_1"],
      ],
    );
    const plain = await inbox.call("entries.reply", { id: entries[1]!.id, message: "hi" });
    expect(plain.message).toMatchObject({ toAgent: "w", kind: "answer", threadId: null });
    await inbox.call("entries.reply", { id: entries[0]!.id, message: "fixed" });
    expect((await inbox.call("messages.replies", { correlationId: "k" })).messages).toMatchObject([
      { sender: "user", channel: "ci", content: "fixed" },
    ]);
    const task = await inbox.call("entries.reply", { id: entries[2]!.id, message: "decided" });
    expect(task.message).toMatchObject({ threadId: "thr_2", toAgent: "w" });
  });

  test("[U9] a message of a workspace's agent belongs to it, and its artifacts there are documents", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const { workspaceId } = await workspaceOf(inbox);
    await inbox.call("threads.send", {
      from: "ada",
      to: "user",
      subject: "look",
      artifacts: [{ path: "/tmp/report.md" }, { path: "/etc/passwd" }, { path: "/tmp/../etc/passwd" }],
    });
    expect((await history(inbox)).entries).toMatchObject([
      { workspaceId, workspaceLabel: "Macro", sender: "ada", docs: [{ path: "report.md" }] },
    ]);
  });

  test("[U9] choices that no button could show are left to the text", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const choices of [[], "yes", [1, 2], [""], ["x".repeat(300)], Array(60).fill("x"), { a: 1 }])
      await inbox.call("messages.send", {
        channel: "user",
        sender: "w",
        content: "?",
        metadata: { choices },
      });
    expect((await history(inbox)).entries.map(({ choices }) => choices)).toEqual(Array(7).fill(null));
  });

  test("[U5] an export brought into another bus is the same inbox, and brought in twice changes nothing", async () => {
    await using bench = await start();
    await using other = await start();
    const { inbox } = bench;
    const { push } = await workspaceOf(inbox);
    await push("one");
    await inbox.call("threads.send", { from: "user", to: "w", subject: "s" });
    await inbox.call("threads.claim", { agent: "w" });
    await inbox.call("threads.update", {
      agent: "w",
      thread: "thr_1",
      status: "blocked",
      summary: "a or b?",
      payload: { choices: ["a", "b"] },
    });
    const question = (await ids(inbox, { limit: 1 }))[0]!;
    await inbox.call("entries.reply", { id: question, choice: "a" });
    const gone = await push("deleted ones are not in it");
    await inbox.call("entries.delete", { id: gone });
    await push("two ü \u2028 🚀");
    const exported: unknown[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await inbox.call("entries.export", { limit: 2, after });
      exported.push(...page.entries);
      if (!page.hasMore) break;
      after = page.entries.at(-1)!.id;
    }
    expect(exported).toHaveLength(3);
    const entries = exported as never;
    expect(await other.inbox.call("entries.import", { entries })).toEqual({ imported: 3, known: 0 });
    expect(await other.inbox.call("entries.import", { entries })).toEqual({ imported: 0, known: 3 });
    expect((await history(other.inbox)).entries).toEqual((await history(inbox)).entries);
    expect((await other.inbox.call("entries.export", {})).entries).toEqual(exported as never);
    // Its message is not there, and another may have that number by now: nobody else gets the answer.
    await other.inbox.call("threads.send", { from: "x", to: "w", subject: "another thread" });
    const stray = await refusal(other.inbox.call("entries.reply", { id: question, message: "b" }));
    expect(stray.code).toBe("invalid_state");
  });

  test("[U5] an import takes its place by its time, and refuses what points out of a workspace", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const { push } = await workspaceOf(inbox);
    const now = await push("now");
    const old = crypto.randomUUID();
    await inbox.call("entries.import", { entries: [{ id: old, ts: 1_715_789_012_345, comments: "old" }] });
    expect(await ids(inbox)).toEqual([now, old]);
    expect((await history(inbox)).entries[1]!.ts).toBe(1_715_789_012_345);
    for (const bad of [
      { docs: [{ path: "../x" }] },
      { ts: -1 },
      { id: "x" },
      { readAt: "yesterday" },
      { kind: "odd" },
    ]) {
      const entry = { id: crypto.randomUUID(), ts: 1, ...bad } as never;
      const refused = await refusal(inbox.call("entries.import", { entries: [entry] }));
      expect(refused.code).toBe("invalid_input");
    }
    await inbox.call("entries.delete", { id: old, atOnce: true });
    await inbox.call("entries.import", { entries: [{ id: old, ts: 5, comments: "back" }] });
    expect((await inbox.call("entries.show", { id: old })).entry.comments).toBe("back");
  });

  test("[U3] a workspace can be forgotten; its entries stay", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const { push, workspaceId } = await workspaceOf(inbox);
    const id = await push();
    const removed = await inbox.call("workspaces.remove", { workspace: workspaceId });
    expect(removed.workspace.workspaceId).toBe(workspaceId);
    expect((await inbox.call("workspaces.list", {})).workspaces).toEqual([]);
    expect((await refusal(inbox.call("workspaces.remove", { workspace: workspaceId }))).code).toBe(
      "not_found",
    );
    expect(await ids(inbox, { workspaceId })).toEqual([id]);
  });

  test("[U9] many agents write to the person at once: one entry per message, none twice, in order", async () => {
    await using bench = await start();
    const inboxes = [bench.inbox, bench.another(), bench.another()];
    await Promise.all(
      inboxes.map(async (inbox, who) => {
        for (let i = 0; i < 15; i++)
          await inbox.call("mailbox.send", { from: `w${who}`, to: "user", message: `${i}` });
      }),
    );
    const { entries } = await history(bench.inbox, { limit: 200 });
    expect(new Set(entries.map(({ messageId }) => messageId)).size).toBe(45);
    for (const who of ["w0", "w1", "w2"])
      expect(entries.filter(({ sender }) => sender === who).map(({ comments }) => Number(comments))).toEqual(
        Array.from({ length: 15 }, (_, i) => 14 - i),
      );
  });

  test("[B1] [U6] a question with choices reaches the person as an entry; the choice comes back to the agent that asked", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const choices = ["yes", "no, not yet"];
    const asked = await inbox.call("mailbox.ask", { from: "w", to: "user", question: "Deploy?", choices });
    expect(asked.message).toMatchObject({ kind: "question", toAgent: "user", payload: { choices } });
    const [entry] = (await inbox.call("entries.history", {})).entries;
    expect(entry).toMatchObject({ choices, sender: "w" });
    await inbox.call("entries.reply", { id: entry!.id, choice: "yes" });
    expect((await inbox.call("mailbox.check", { agent: "w" })).messages).toMatchObject([
      { kind: "answer", correlationId: asked.correlationId, metadata: { choice: "yes" } },
    ]);
    // The same with documents, from a workspace.
    const { workspace } = await inbox.call("workspaces.add", { path: "/", label: "l", agent: "w" });
    const push = { workspace: workspace.workspaceId, comments: "Deploy?" };
    const { id } = await inbox.call("entries.push", { ...push, choices });
    expect((await inbox.call("entries.show", { id })).entry.choices).toEqual(choices);
    expect((await refusal(inbox.call("entries.reply", { id, choice: "maybe" }))).code).toBe("invalid_input");
    await inbox.call("entries.reply", { id, choice: "no, not yet" });
    expect((await inbox.call("mailbox.check", { agent: "w" })).messages).toMatchObject([
      { metadata: { entry: id, choice: "no, not yet" } },
    ]);
    for (const wrong of [[], [" "], ["x".repeat(300)]])
      for (const refused of [
        inbox.call("entries.push", { ...push, choices: wrong }),
        inbox.call("mailbox.ask", { from: "w", to: "user", question: "?", choices: wrong }),
      ])
        expect(["invalid_input", "too_large"]).toContain((await refusal(refused)).code);
  });
});
