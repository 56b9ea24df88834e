import { describe, expect, test } from "bun:test";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/until.ts";

const mebibyte = 1024 * 1024;
const isoWithMilliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const post = (inbox: Inbox, more: Partial<InputOf<"messages.send">> = {}) =>
  inbox.call("messages.send", { channel: "builds", content: "hello", sender: "lead", ...more });
/** The first act of an agent, which makes it known. */
const act = (inbox: Inbox, ...names: string[]) =>
  Promise.all(names.map((from) => inbox.call("mailbox.send", { from, to: "log", message: "here" })));
const written = async (inbox: Inbox) =>
  (await inbox.call("events.watch", { afterEvent: 0, limit: 1000, timeoutSeconds: 0.01 })).events.length;

describe.each(engines)("$name", ({ start }) => {
  test("[M1] send appends and returns the whole record", async () => {
    await using bench = await start();
    bench.freeze();
    const sent = await post(bench.inbox, {
      channel: "agent-1",
      content: "Task tx-abc123 is ready for review",
      sender: "orchestrator",
      taskId: "tx-abc123",
      ttlSeconds: 3600,
      correlationId: "req-001",
      metadata: { priority: "high" },
    });
    const { createdAt, expiresAt } = sent;
    expect(sent).toEqual({
      id: 1,
      channel: "agent-1",
      sender: "orchestrator",
      content: "Task tx-abc123 is ready for review",
      status: "pending",
      correlationId: "req-001",
      taskId: "tx-abc123",
      metadata: { priority: "high" },
      createdAt,
      ackedAt: null,
      expiresAt,
      threadId: null,
      kind: "event",
      senderVerified: false,
      recipient: { name: "agent-1", known: false, similar: [] },
    });
    expect(Date.parse(expiresAt!) - Date.parse(createdAt)).toBe(3_600_000);
    const { recipient, ...record } = sent;
    expect(recipient.name).toBe("agent-1");
    expect(await bench.inbox.call("messages.inbox", { channel: "agent-1" })).toEqual({
      channel: "agent-1",
      count: 1,
      messages: [record],
    });
  });

  test("[M1] fields that were not given are null, and metadata is an empty object", async () => {
    await using bench = await start();
    expect(await post(bench.inbox)).toMatchObject({
      correlationId: null,
      taskId: null,
      metadata: {},
      ackedAt: null,
      expiresAt: null,
    });
  });

  test("[M1] times are ISO 8601 in UTC with milliseconds", async () => {
    await using bench = await start();
    const { createdAt, expiresAt } = await post(bench.inbox, { ttlSeconds: 60 });
    const { message } = await bench.inbox.call("messages.ack", { id: 1, agent: "w" });
    for (const time of [createdAt, expiresAt, message.ackedAt]) expect(time).toMatch(isoWithMilliseconds);
  });

  test("[M1] a message has one number: in its channel, in the mailbox and in the thread view", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const { message } = await inbox.call("mailbox.send", { from: "lead", to: "w", message: "plain" });
    expect(message.messageId).toBe("msg_1");
    expect((await post(inbox, { channel: "w" })).id).toBe(2);
    expect((await post(inbox, { channel: "other" })).id).toBe(3);
    const { messages } = await inbox.call("messages.inbox", { channel: "w" });
    expect(messages.map(({ id, content, kind }) => [id, content, kind])).toEqual([
      [1, "plain", "event"],
      [2, "hello", "event"],
    ]);
    expect((await inbox.call("mailbox.list", { agent: "w" })).messages.map(({ id }) => id)).toEqual([1, 2]);
  });

  test("[M1] the content comes back verbatim", async () => {
    await using bench = await start();
    const contents = [
      "  indented\r\n\ttext \n",
      "\n\nlate",
      "☃ 🦊 é e\u0301",
      '"; drop table messages; --',
      "{}",
    ];
    for (const content of contents) await post(bench.inbox, { content });
    const { messages } = await bench.inbox.call("messages.inbox", { channel: "builds" });
    expect(messages.map(({ content }) => content)).toEqual(contents);
  });

  test("[M1] a message of a thread is in the agent's channel: its body, or the summary if there is no body", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s", payload: { n: 1 } });
    await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "short", body: "the whole" });
    const { messages } = await inbox.call("messages.inbox", { channel: "w" });
    expect(messages).toMatchObject([
      { id: 1, content: "s", kind: "task", threadId: "thr_1", metadata: { n: 1 }, status: "pending" },
      { id: 2, content: "the whole", kind: "answer", threadId: "thr_1", metadata: {}, expiresAt: null },
    ]);
  });

  test("[M1] in the channel view a thread's message carries the thread's task id", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s", task: "T4" });
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "t" });
    const { messages } = await inbox.call("messages.inbox", { channel: "w" });
    expect(messages.map(({ taskId }) => taskId)).toEqual(["T4", "thr_2"]);
  });

  test("[M1] a name has 1 to 128 characters, no control characters, no leading -, and is not *", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const bad = ["", "x".repeat(129), "a\nb", "a\u0000b", "a\u007fb", "\u0085", "-x", "\ud800"];
    for (const name of bad)
      for (const field of ["channel", "sender", "taskId", "correlationId"])
        expect((await refusal(post(inbox, { [field]: name }))).code).toBe("invalid_input");
    expect((await refusal(post(inbox, { sender: "*" }))).code).toBe("invalid_input");
    for (const channel of [...bad, "*"]) {
      for (const call of ["messages.inbox", "messages.pending"] as const)
        expect((await refusal(inbox.call(call, { channel }))).code).toBe("invalid_input");
      expect((await refusal(inbox.call("messages.ackAll", { channel, agent: "w" }))).code).toBe(
        "invalid_input",
      );
    }
    expect(await written(inbox)).toBe(0);
    for (const channel of ["x", "🦊".repeat(128), "task:T4", "a b", "a/b#c?d"])
      expect((await post(inbox, { channel })).channel).toBe(channel);
  });

  test("[M1] text with U+0000 and fields that do not exist are refused, and nothing is written", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const wrong of [
      { content: "a\u0000b" },
      { content: "\ud800" },
      { content: "" },
      { content: undefined },
      { metadata: { text: "a\u0000b" } },
      { metadata: { "a\u0000b": 1 } },
      { ttl: 60 },
    ])
      expect((await refusal(post(inbox, wrong as object))).code).toBe("invalid_input");
    expect(await written(inbox)).toBe(0);
  });

  test("[M5] a time to live is a whole number of seconds, at least one", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const ttlSeconds of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])
      expect((await refusal(post(inbox, { ttlSeconds }))).code).toBe("invalid_input");
    expect(await written(inbox)).toBe(0);
    await post(inbox, { ttlSeconds: 1 });
  });

  test("[M5] messages of a thread take no time to live", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const send = { from: "lead", to: "w", subject: "s", ttlSeconds: 60 };
    expect((await refusal(inbox.call("threads.send", send))).code).toBe("invalid_input");
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    const reply = { from: "lead", thread: "thr_1", summary: "x", ttlSeconds: 60 };
    expect((await refusal(inbox.call("threads.reply", reply))).code).toBe("invalid_input");
    expect((await inbox.call("messages.status", { id: 1 })).expiresAt).toBeNull();
  });

  test("[M10] metadata is a JSON object, anything else is refused", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const metadata of [null, [], [{}], '{"a":1}', "text", 1, true])
      expect((await refusal(post(inbox, { metadata: metadata as never }))).code).toBe("invalid_input");
    expect(await written(inbox)).toBe(0);
  });

  test("[M10] metadata comes back as it was, its keys untouched", async () => {
    await using bench = await start();
    const metadata = {
      snake_case: 1,
      camelCase: [1, 2.5, -0.1, 1e21, null, true],
      "Mixed Case!": { deep: { deeper: [{ a: "☃\n" }] } },
      "": "",
      threadId: "mine",
    };
    expect((await post(bench.inbox, { metadata })).metadata).toEqual(metadata);
    const { messages } = await bench.inbox.call("messages.inbox", { channel: "builds" });
    expect(messages[0]!.metadata).toEqual(metadata);
  });

  test("[M10] metadata that is not a JSON object is refused, even if it is an object of the language", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const round: Record<string, unknown> = {};
    round.self = round;
    for (const metadata of [{ n: 1n }, round, new Date(0), { toJSON: () => "text" }])
      expect((await refusal(post(inbox, { metadata: metadata as never }))).code).toBe("invalid_input");
    expect(await written(inbox)).toBe(0);
  });

  test("[M10] content has up to 1 MiB; beyond that it is too large, and the error says to attach a file", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const content of ["x".repeat(mebibyte + 1), "€".repeat(mebibyte / 3 + 1)]) {
      const error = await refusal(post(inbox, { content }));
      expect(error.code).toBe("too_large");
      expect(error.message).toContain(String(mebibyte));
      expect(error.hint).toContain("attach");
      const plain = inbox.call("mailbox.send", { from: "lead", to: "w", message: content });
      expect((await refusal(plain)).code).toBe("too_large");
    }
    expect(await written(inbox)).toBe(0);
    const content = "x".repeat(mebibyte);
    expect((await post(inbox, { content })).content).toBe(content);
    const { messages } = await inbox.call("messages.inbox", { channel: "builds" });
    expect(messages[0]!.content).toBe(content);
  });

  test("[M10] metadata has a limit as well", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const error = await refusal(post(inbox, { metadata: { text: "x".repeat(mebibyte) } }));
    expect(["too_large", "invalid_input"]).toContain(error.code);
    expect(await written(inbox)).toBe(0);
  });

  test("[M12] a broadcast reaches every known agent but its sender and the person, a copy each", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await act(inbox, "a", "b", "c", "lead", "user");
    await inbox.call("mailbox.send", { from: "lead", to: "never-acted", message: "x" });
    const more = { metadata: { n: 1 }, correlationId: "all", taskId: "T", ttlSeconds: 60 };
    const sent = await post(inbox, { channel: "*", content: "to all", ...more });
    expect(sent.channel).toBe("*");
    expect(sent.recipient).toEqual({ name: "*", known: true, similar: [] });
    expect(sent.copies?.map(({ channel }) => channel)).toEqual(["a", "b", "c"]);
    for (const { id, channel } of sent.copies!) {
      const { messages } = await inbox.call("messages.inbox", { channel });
      expect(messages).toMatchObject([
        { id, channel, sender: "lead", content: "to all", metadata: { n: 1 }, correlationId: "all" },
      ]);
      expect(messages[0]).toMatchObject({ taskId: "T", expiresAt: sent.expiresAt, status: "pending" });
    }
    for (const channel of ["lead", "user", "*".padEnd(2, "*")])
      expect((await inbox.call("messages.pending", { channel })).count).toBe(0);
    expect((await inbox.call("messages.pending", { channel: "never-acted" })).count).toBe(1);
  });

  test("[M12] each copy of a broadcast has its own ack", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await act(inbox, "a", "b");
    const { copies } = await inbox.call("mailbox.send", { from: "lead", to: "*", message: "to all" });
    expect(copies?.map(({ channel }) => channel)).toEqual(["a", "b"]);
    const { messages } = await inbox.call("mailbox.check", { agent: "a" });
    expect(messages.map(({ message }) => message)).toEqual(["to all"]);
    expect((await inbox.call("messages.pending", { channel: "a" })).count).toBe(0);
    expect((await inbox.call("messages.pending", { channel: "b" })).count).toBe(1);
    expect((await inbox.call("mailbox.check", { agent: "b" })).total).toBe(1);
  });

  test("[M12] the first act of a sender may be the broadcast; one that reaches nobody is refused and leaves nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    expect((await refusal(post(inbox, { channel: "*" }))).code).toBe("not_found");
    expect(await written(inbox)).toBe(0);
    await act(inbox, "a");
    await post(inbox, { channel: "*", sender: "fresh" });
    const back = await post(inbox, { channel: "*", sender: "a" });
    expect(back.copies?.map(({ channel }) => channel)).toEqual(["fresh"]);
  });

  test("[M12] an agent that has called for its mail has acted, so it is known", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.receive", { agent: "w", timeoutSeconds: 0 });
    expect((await inbox.call("agents.list", {})).agents.map(({ name }) => name)).toEqual(["w"]);
    const sent = await post(inbox, { channel: "*" });
    expect(sent.copies?.map(({ channel }) => channel)).toEqual(["w"]);
  });

  test("[M12] [B1] one that has only begun to wait is known: a broadcast wakes it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const waits = inbox.call("mailbox.receive", { agent: "w", timeoutSeconds: 30 });
    await until(
      "the waiter is a known agent",
      async () => (await inbox.call("agents.list", {})).agents.length,
    );
    const sent = await post(inbox, { channel: "*", content: "to all" });
    expect(sent.copies?.map(({ channel }) => channel)).toEqual(["w"]);
    expect((await waits).messages.map(({ message }) => message)).toEqual(["to all"]);
    // Its name is as good as any other's.
    expect((await post(inbox, { channel: "w" })).recipient.known).toBe(true);
  });

  test("[T15] a plain message to a pool reaches each member but its sender, a copy each, and the answer names them", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const agent of ["b", "a", "lead"]) await inbox.call("pools.join", { agent, pool: "builders" });
    await act(inbox, "stranger");
    const told = await inbox.call("mailbox.send", { from: "lead", to: "builders", message: "hello" });
    expect(told.copies?.map(({ channel }) => channel)).toEqual(["a", "b"]);
    expect(told.message.toAgent).toBe("builders");
    expect(told.recipient).toEqual({ name: "builders", known: true, similar: [] });
    const posted = await post(inbox, {
      channel: "builders",
      content: "again",
      sender: "stranger",
      strict: true,
    });
    expect(posted.copies?.map(({ channel }) => channel)).toEqual(["a", "b", "lead"]);
    // Each has its own ack.
    const { messages } = await inbox.call("mailbox.check", { agent: "a" });
    expect(messages.map(({ message }) => message)).toEqual(["hello", "again"]);
    expect((await inbox.call("mailbox.check", { agent: "b" })).total).toBe(2);
    expect((await inbox.call("mailbox.check", { agent: "lead" })).total).toBe(1);
    expect((await inbox.call("messages.pending", { channel: "builders" })).count).toBe(0);
  });

  test("[T15] a member that waits for mail is woken by a message to its pool", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("pools.join", { agent: "w", pool: "builders" });
    const waits = bench.another().call("mailbox.receive", { agent: "w", timeoutSeconds: 30 });
    await inbox.call("mailbox.send", { from: "lead", to: "builders", message: "hello" });
    expect((await waits).messages.map(({ message }) => message)).toEqual(["hello"]);
  });

  test("[T15] a pool without other members is reported, and nothing is written; the name of an agent means the agent", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("pools.join", { agent: "w", pool: "builders" });
    const before = await written(inbox);
    const send = (from: string) => inbox.call("mailbox.send", { from, to: "builders", message: "hello" });
    expect(await refusal(send("w"))).toMatchObject({ code: "not_found", details: { pool: "builders" } });
    await inbox.call("pools.leave", { agent: "w", pool: "builders" });
    const { code, message } = await refusal(send("lead"));
    expect(code).toBe("not_found");
    expect(message).toContain('the pool "builders"');
    expect(await written(inbox)).toBe(before + 1); // that it left
    await inbox.call("pools.join", { agent: "w", pool: "crew" });
    await act(inbox, "crew");
    const told = await inbox.call("mailbox.send", { from: "lead", to: "crew", message: "hello" });
    expect(told.copies).toBeUndefined();
    expect((await inbox.call("mailbox.check", { agent: "crew" })).total).toBe(1);
  });

  test("[M13] a message to a name that nobody has used is kept, and the answer lists close names", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await act(inbox, "backend-worker", "frontend");
    const typo = await post(inbox, { channel: "backend-wroker" });
    expect(typo.recipient).toEqual({ name: "backend-wroker", known: false, similar: ["backend-worker"] });
    // [U9] The person is known on every bus, also before anything was sent there.
    expect((await post(inbox, { channel: "usr" })).recipient).toMatchObject({ similar: ["user"] });
    expect((await post(inbox, { channel: "unlike-any" })).recipient).toMatchObject({
      known: false,
      similar: [],
    });
    expect((await post(inbox, { channel: "frontend", strict: true })).recipient).toEqual({
      name: "frontend",
      known: true,
      similar: [],
    });
    const { messages } = await inbox.call("mailbox.check", { agent: "backend-wroker" });
    expect(messages.map(({ id }) => id)).toEqual([typo.id]);
  });

  test("[M13] a topic with messages or readers is known, also to strict; its typos get suggestions", async () => {
    await using bench = await start();
    const { inbox } = bench;
    expect((await post(inbox, { channel: "deployments" })).recipient.known).toBe(false);
    const known = { name: "deployments", known: true, similar: [] };
    expect((await post(inbox, { channel: "deployments", strict: true })).recipient).toEqual(known);
    await inbox.call("messages.inbox", { channel: "deployments", reader: "ci", commit: true });
    const plain = { from: "ci", to: "deployments", message: "x", strict: true };
    expect((await inbox.call("mailbox.send", plain)).recipient).toEqual(known);
    const all = { channel: "deployments", agent: "ci" };
    await inbox.call("messages.ackAll", all);
    bench.pass(7200);
    await inbox.call("messages.gc", { ackedOlderThanHours: 1 });
    expect((await post(inbox, { channel: "deployments", strict: true })).recipient).toEqual(known);
    const typo = await refusal(post(inbox, { channel: "deploymnets", strict: true }));
    expect([typo.code, typo.details]).toEqual(["not_found", { similar: ["deployments"] }]);
    expect((await post(inbox, { channel: "deploymnets" })).recipient.similar).toEqual(["deployments"]);
  });

  test("[M13.6] reading a channel that nobody has used suggests close names; one that is used and empty does not", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { channel: "topic" });
    const reads = (channel: string) =>
      Promise.all([
        inbox.call("messages.inbox", { channel }),
        inbox.call("messages.wait", { channel, timeoutSeconds: 0 }),
        inbox.call("messages.pending", { channel }),
        inbox.call("messages.readers", { channel }),
      ]);
    const suggested = async (channel: string) => (await reads(channel)).map(({ similar }) => similar);
    expect(await suggested("topci")).toEqual([["topic"], ["topic"], ["topic"], ["topic"]]);
    const nothing = [undefined, undefined, undefined, undefined];
    // Nobody has used it either, and no name is close. A wait may be for a channel that is yet to come.
    expect(await suggested("something-else")).toEqual([[], undefined, [], []]);
    await inbox.call("messages.ackAll", { channel: "topic", agent: "lead" });
    expect(await suggested("topic")).toEqual(nothing);
    expect(await suggested("user")).toEqual(nothing);
    // Nothing was written: the name is still unused.
    expect(await suggested("topci")).toEqual([["topic"], ["topic"], ["topic"], ["topic"]]);
  });

  test("[M13] names that differ in their numbers are a series of topics, no typing errors", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await post(inbox, { channel: "task:T4" });
    expect((await post(inbox, { channel: "task:T5" })).recipient).toEqual({
      name: "task:T5",
      known: false,
      similar: [],
    });
  });

  test("[M13] strict refuses an unknown name, names close ones, and writes nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await act(inbox, "backend-worker");
    await inbox.call("pools.join", { agent: "backend-worker", pool: "backend" });
    const before = await written(inbox);
    const send = { channel: "bakend-worker", strict: true, sender: "fresh" };
    const error = await refusal(post(inbox, send));
    expect(error.code).toBe("not_found");
    expect(error.hint).toContain("backend-worker");
    const plain = inbox.call("mailbox.send", { from: "fresh", to: "nobody", message: "x", strict: true });
    expect((await refusal(plain)).code).toBe("not_found");
    expect(await written(inbox)).toBe(before);
    expect((await post(inbox, { channel: "backend", strict: true })).recipient.known).toBe(true);
  });

  test("[M13.2] mail alone does not make a name known: every send says so, and strict refuses each, until somebody acts", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await act(inbox, "ada", "lead");
    const sends = (strict = false) => [
      () => inbox.call("mailbox.send", { from: "lead", to: "adaa", message: "x", strict }),
      () => inbox.call("threads.send", { from: "lead", to: "adaa", subject: "s", strict }),
      () => inbox.call("threads.reply", { from: "lead", to: "adaa", thread: "thr_1", summary: "s", strict }),
    ];
    for (let time = 0; time < 2; time++) {
      for (const send of sends())
        expect((await send()).recipient).toEqual({ name: "adaa", known: false, similar: ["ada"] });
      for (const send of sends(true))
        expect(await refusal(send())).toMatchObject({ code: "not_found", details: { similar: ["ada"] } });
      // Not even to a process that has learnt nothing.
      const other = bench.another();
      const again = await other.call("mailbox.ask", { from: "lead", to: "adaa", question: "?" });
      expect(again.recipient.known).toBe(false);
    }
    await inbox.call("tasks.push", { agent: "lead", name: "later", prompt: "x", worker: "ada" });
    const sent = (to: string) => inbox.call("mailbox.send", { from: "lead", to, message: "x", strict: true });
    expect((await sent("later")).recipient.known).toBe(true);
    await inbox.call("mailbox.check", { agent: "adaa" });
    expect((await sent("adaa")).recipient.known).toBe(true);
  });

  test("[M13.7] an answer that found nothing names the caller, and the senders, that look misspelled", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await act(inbox, "ada", "bob", "lead", "worker-1");
    const timeoutSeconds = 0.01;
    const unknown = (name: string, similar: string) => [{ name, similar: [similar] }];
    const receive = (input: object) =>
      inbox.call("mailbox.receive", { agent: "lead", timeoutSeconds, ...input });
    // The first call under a name makes it known.
    expect((await receive({ agent: "adaa" })).unknown).toEqual(unknown("adaa", "ada"));
    expect(await receive({ agent: "adaa" })).not.toHaveProperty("unknown");
    expect((await inbox.call("mailbox.check", { agent: "bobb" })).unknown).toEqual(unknown("bobb", "bob"));
    expect((await inbox.call("mailbox.wait", { agent: "boob", timeoutSeconds })).unknown).toMatchObject([
      { name: "boob" },
    ]);
    expect((await receive({ from: "ledd" })).unknown).toEqual(unknown("ledd", "lead"));
    const gather = (...from: string[]) =>
      inbox.call("mailbox.gather", { agent: "lead", from, timeoutSeconds });
    expect((await gather("ada", "eada", "ledd")).unknown).toEqual([
      { name: "eada", similar: expect.arrayContaining(["ada"]) as never },
      ...unknown("ledd", "lead"),
    ]);
    expect(await gather("ada", "bob")).not.toHaveProperty("unknown");
    // A claim that does not wait leaves its name unknown.
    for (let time = 0; time < 2; time++)
      expect((await inbox.call("threads.claim", { agent: "leda" })).unknown).toEqual(unknown("leda", "lead"));
    expect((await inbox.call("threads.fetch", { agent: "leda" })).unknown).toEqual(unknown("leda", "lead"));
    const waits = { agent: "leda", wait: true, timeoutSeconds };
    expect((await inbox.call("threads.claim", waits)).unknown).toEqual(unknown("leda", "lead"));
    // New, but like no other; or the next of a series.
    for (const agent of ["zoe-the-second", "worker-2"])
      expect(await receive({ agent })).not.toHaveProperty("unknown");
  });
});
