import { describe, expect, test } from "bun:test";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

describe.each(engines)("$name", ({ start }) => {
  test("[T1] send without a thread creates one, with the documented defaults", async () => {
    await using bench = await start();
    const { thread, message } = await bench.inbox.call("threads.send", {
      from: "lead",
      to: "worker",
      subject: "Do it",
    });
    expect(thread).toMatchObject({
      threadId: "thr_1",
      runId: "default",
      taskId: "thr_1",
      subject: "Do it",
      createdBy: "lead",
      assignedTo: "worker",
      status: "pending",
      priority: "normal",
      maxAttempts: 5,
      latestMessageId: "msg_1",
    });
    expect(message).toMatchObject({
      kind: "task",
      summary: "Do it",
      body: "",
      payload: {},
      toAgent: "worker",
    });
  });

  test("[T1] a new thread needs a recipient and a subject, and nothing is written without them", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const input of [{ from: "lead", subject: "s" }, { from: "lead", to: "w" }, { from: "lead" }])
      expect((await refusal(inbox.call("threads.send", input))).code).toBe("invalid_input");
    expect((await inbox.call("threads.list", {})).threads).toEqual([]);
    expect((await inbox.call("agents.list", {})).agents).toEqual([]);
  });

  test("[T1] send with a thread appends progress to the other side of it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "worker", subject: "s" });
    const byLead = await inbox.call("threads.send", { from: "lead", thread: "thr_1", summary: "more" });
    expect(byLead.message).toMatchObject({ kind: "progress", toAgent: "worker", threadId: "thr_1" });
    const byWorker = await inbox.call("threads.send", {
      from: "worker",
      thread: "thr_1",
      body: "first line\nsecond",
    });
    expect(byWorker.message).toMatchObject({ kind: "progress", toAgent: "lead", summary: "first line" });
    expect(byWorker.thread.latestMessageId).toBe("msg_3");
  });

  test("[T1] an unknown thread is not found, never created by a typo", async () => {
    await using bench = await start();
    const error = await refusal(
      bench.inbox.call("threads.send", { from: "lead", thread: "thr_9", summary: "x" }),
    );
    expect(error.code).toBe("not_found");
    expect(error.message).toContain("thr_9");
    expect((await bench.inbox.call("threads.list", {})).threads).toEqual([]);
  });

  test("[T1] what belongs to a new thread is refused on an old one, not ignored", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "worker", subject: "s" });
    for (const extra of [
      { subject: "t" },
      { run: "r" },
      { task: "T" },
      { priority: "high" as const },
      { maxAttempts: 2 },
    ])
      expect(
        (await refusal(inbox.call("threads.send", { from: "lead", thread: "thr_1", summary: "x", ...extra })))
          .code,
      ).toBe("invalid_input");
    expect((await inbox.call("threads.show", { thread: "thr_1" })).messages).toHaveLength(1);
  });

  test("[T1] reply defaults to an answer to the other side", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "worker", subject: "s" });
    const { message } = await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "yes" });
    expect(message).toMatchObject({ kind: "answer", fromAgent: "lead", toAgent: "worker" });
    const third = await inbox.call("threads.reply", {
      from: "auditor",
      to: "lead",
      thread: "thr_1",
      body: "hm",
      kind: "question",
    });
    expect(third.message).toMatchObject({ kind: "question", toAgent: "lead", summary: "hm", body: "hm" });
    expect((await refusal(inbox.call("threads.reply", { from: "lead", thread: "thr_1" }))).code).toBe(
      "invalid_input",
    );
  });

  test("[T1] two plain arguments make a message without a thread", async () => {
    await using bench = await start();
    const { message } = await bench.inbox.call("mailbox.send", {
      from: "main",
      to: "worker",
      message: "go\non",
    });
    expect(message).toMatchObject({
      threadId: null,
      fromAgent: "main",
      toAgent: "worker",
      summary: "go",
      body: "go\non",
    });
    expect((await bench.inbox.call("threads.list", {})).threads).toEqual([]);
  });

  test("[T2] one write is one message: in the thread and, by the same number, to the agent", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "worker", subject: "s" });
    const { message } = await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "yes" });
    const { messages } = await inbox.call("threads.show", { thread: "thr_1" });
    expect(messages.map(({ messageId, toAgent }) => [messageId, toAgent])).toEqual([
      ["msg_1", "worker"],
      ["msg_2", "worker"],
    ]);
    const { events } = await inbox.call("events.watch", { agent: "worker", afterEvent: 0 });
    expect(events.filter((event) => event.messageId === message.messageId)).toHaveLength(1);
  });

  test("[T10] artifacts keep their order, kind and metadata, each with its message", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const artifacts = [
      { path: "/tmp/a.log", kind: "log", metadata: { lines: 3, "Mixed Case": [1] } },
      { path: "/tmp/b.patch" },
    ];
    await inbox.call("threads.send", { from: "lead", to: "worker", subject: "s", artifacts });
    await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "no files" });
    const { messages } = await inbox.call("threads.show", { thread: "thr_1" });
    expect(messages[0]!.artifacts).toEqual([
      { artifactId: "art_1", path: "/tmp/a.log", kind: "log", metadata: { lines: 3, "Mixed Case": [1] } },
      { artifactId: "art_2", path: "/tmp/b.patch", kind: "file", metadata: {} },
    ]);
    expect(messages[1]!.artifacts).toEqual([]);
  });

  test("[M13] an unknown recipient is kept and said to be unknown, with close names; strict refuses", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: "backend-worker", to: "lead", message: "hello" });
    const typo = await inbox.call("mailbox.send", { from: "lead", to: "backend-wroker", message: "x" });
    expect(typo.recipient).toEqual({ name: "backend-wroker", known: false, similar: ["backend-worker"] });
    const right = await inbox.call("mailbox.send", { from: "lead", to: "backend-worker", message: "x" });
    expect(right.recipient).toEqual({ name: "backend-worker", known: true, similar: [] });
    const strict = await refusal(
      inbox.call("threads.send", { from: "lead", to: "bakend-worker", subject: "s", strict: true }),
    );
    expect(strict.code).toBe("not_found");
    expect(strict.hint).toContain("backend-worker");
    expect((await inbox.call("threads.list", {})).threads).toEqual([]);
  });
});
