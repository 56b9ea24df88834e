/** [Q4] [Q5] [Q14] How a task begins and ends, and what its parent and its inbox see of it. */
import { describe, expect, test } from "bun:test";
import { endTask } from "../../src/bus/tasks/end.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { run } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import { byHand } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const agent = "main";
const mail = async (inbox: Inbox, of = agent) => (await inbox.call("mailbox.list", { agent: of })).messages;
const results = async (inbox: Inbox, of = agent) =>
  (await mail(inbox, of)).filter(({ kind }) => kind === "result");
const taskOf = async (inbox: Inbox, name: string) => (await inbox.call("tasks.show", { name })).task;
const threadOf = async (inbox: Inbox, name: string) => (await taskOf(inbox, name)).threadId!;
const events = async (inbox: Inbox) =>
  (await inbox.call("events.watch", { afterEvent: 0, limit: 1000 })).events;

describe.each(engines)("$name", (engine) => {
  test("[Q4] a running task is a thread that its sub-agent holds and has been shown", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    bench.freeze(); // a lease is kept for 15 seconds, of which 14 pass below
    await bench.started("sub", { prompt: "look at it\nclosely", priority: "high" });
    const thread = await threadOf(inbox, "sub");
    const shown = await inbox.call("threads.show", { thread });
    expect(shown.thread).toMatchObject({
      status: "claimed",
      assignedTo: "sub",
      createdBy: agent,
      subject: "look at it",
      priority: "high",
      taskId: "sub",
    });
    expect(shown.lease).toMatchObject({ agentId: "sub" });
    expect(shown.messages).toMatchObject([{ kind: "task", body: "look at it\nclosely" }]);
    expect(await mail(inbox, "sub")).toEqual([]);
    expect((await events(inbox)).find(({ eventType }) => eventType === "task.started")).toMatchObject({
      source: agent,
      threadId: thread,
      payload: { task: "sub", attempt: 1 },
    });
    // Nobody but its keeper takes it away.
    expect((await refusal(inbox.call("threads.claim", { agent: "thief", thread }))).code).toBe(
      "lease_conflict",
    );
    bench.pass(14);
    await bench.keep("sub");
    bench.pass(14);
    expect((await refusal(inbox.call("threads.claim", { agent: "thief", thread }))).code).toBe(
      "lease_conflict",
    );
  });

  test("[Q1.9] [Q4] a prompt of nothing but blanks is refused; one that a bus has from before does no harm", async () => {
    await using bench = await byHand(engine);
    expect((await refusal(bench.push("blank", { prompt: " \n " }))).code).toBe("invalid_input");
    await bench.push("blank");
    await bench.push("other");
    await bench.engine.write(() => run(sql`update tasks set prompt = ${" \n "} where name = ${"blank"}`));
    await bench.inbox.call("tasks.run", { agent });
    expect(await bench.due()).toEqual(["blank", "other"]);
  });

  test("[Q3] a task that was killed is reported as killed, even if its program exits with success before it is stopped", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    await inbox.call("tasks.kill", { agent, name: "sub", reason: "enough" });
    expect(await bench.end("sub", { final: "what I have" })).toEqual({ outcome: "finished", success: false });
    const error = 'killed by "main": enough';
    expect(await taskOf(inbox, "sub")).toMatchObject({ success: false, reason: "killed", error });
    const [told] = await results(inbox);
    expect(told!.metadata).toMatchObject({
      success: false,
      reason: "killed",
      error,
      partial_output: "what I have",
    });

    await bench.started("other");
    await inbox.call("threads.cancel", { agent, thread: await threadOf(inbox, "other") });
    expect(await bench.end("other", { final: "x" })).toEqual({ outcome: "finished", success: false });
    expect(await taskOf(inbox, "other")).toMatchObject({ success: false, reason: "cancelled" });
  });

  test("[Q5] the final message is in the parent's inbox, once, in the sub-agent's name", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    expect(await bench.end("sub", { final: "the answer\nis 42" })).toEqual({
      outcome: "finished",
      success: true,
    });
    expect(await bench.end("sub", { final: "again" })).toEqual({ outcome: "stale" });
    const got = await inbox.call("mailbox.check", { agent });
    expect(got.messages).toMatchObject([
      {
        senderId: "sub",
        message: "the answer\nis 42",
        kind: "result",
        metadata: { from: "sub", success: true },
        senderVerified: true,
        threadId: await threadOf(inbox, "sub"),
      },
    ]);
    expect(await taskOf(inbox, "sub")).toMatchObject({ status: "finished", success: true, error: null });
    const { thread, lease } = await inbox.call("threads.show", { thread: await threadOf(inbox, "sub") });
    expect([thread.status, lease]).toEqual(["done", null]);
  });

  test("[Q5] a sub-agent that ends without a final message has delivered a result nevertheless", async () => {
    await using bench = await byHand(engine);
    await bench.started("sub");
    await bench.end("sub", { final: "" });
    expect(await results(bench.inbox)).toMatchObject([{ senderId: "sub", metadata: { success: true } }]);
  });

  test("[Q5] a failure has its sender, its reason and the output so far, as text and as data", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    await bench.end("sub", { success: false, error: "it exited with status 3", partial: "half of it" });
    const failure = {
      from: "sub",
      success: false,
      error: "it exited with status 3",
      reason: "exit",
      partial_output: "half of it",
    };
    const [result] = await results(inbox);
    expect(result).toMatchObject({ senderId: "sub", metadata: failure });
    expect(JSON.parse(result!.message)).toEqual(failure);
    expect((await inbox.call("threads.show", { thread: result!.threadId! })).thread.status).toBe("failed");
    expect(await taskOf(inbox, "sub")).toMatchObject({ success: false, error: "it exited with status 3" });
  });

  test("[Q5] its own done is the result, and what it said last is not sent too", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    const thread = await threadOf(inbox, "sub");
    await inbox.call("threads.done", { agent: "sub", thread, summary: "explicit", body: "the real one" });
    expect(await taskOf(inbox, "sub")).toMatchObject({ status: "running" });
    await bench.end("sub", { final: "bye" });
    expect((await results(inbox)).map(({ message }) => message)).toEqual(["the real one"]);
    expect(await taskOf(inbox, "sub")).toMatchObject({ status: "finished", success: true });
  });

  test("[Q5] its own fail is a failure, even if it ends well; its own done a success, even if it is killed after", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("a", { retries: 3 });
    await bench.started("b");
    const said = async (name: string, how: "threads.done" | "threads.fail") =>
      inbox.call(how, { agent: name, thread: await threadOf(inbox, name), summary: `${name} says so` });
    await said("a", "threads.fail");
    await said("b", "threads.done");
    expect(await bench.end("a")).toEqual({ outcome: "finished", success: false });
    expect(await bench.end("b", { success: false, error: "killed" })).toEqual({
      outcome: "finished",
      success: true,
    });
    expect((await results(inbox)).map(({ message }) => message)).toEqual(["a says so", "b says so"]);
    expect(await taskOf(inbox, "a")).toMatchObject({ success: false, error: "a says so" });
  });

  test("[Q5] [Q10] with retries only the last outcome is reported, after pauses that double", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    bench.freeze();
    await bench.started("sub", { retries: 2 });
    for (const pause of [1, 2]) {
      expect(await bench.end("sub", { success: false, error: `no ${pause}` })).toEqual({ outcome: "again" });
      expect(await taskOf(inbox, "sub")).toMatchObject({ status: "waiting", error: `no ${pause}` });
      const { againInMs } = await bench.begin();
      expect(againInMs).toBeWithin(pause * 1000 - 10, pause * 1000 + 10);
      bench.pass(pause + 0.01);
      expect(await bench.due()).toEqual(["sub"]);
    }
    expect(await results(inbox)).toEqual([]);
    expect(await taskOf(inbox, "sub")).toMatchObject({ status: "running", attempt: 3 });
    await bench.end("sub", { success: false, error: "no 3" });
    expect((await results(inbox)).map(({ metadata }) => metadata.error)).toEqual(["no 3"]);
    expect(await threadOf(inbox, "sub")).toBe("thr_1");
  });

  test("[Q10] what cannot go better is not tried again: a missing program, a kill, a cancelled thread", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    for (const name of ["a", "b", "c"]) await bench.started(name, { retries: 5 });
    await inbox.call("tasks.kill", { agent, name: "b" });
    await inbox.call("threads.cancel", { agent, thread: await threadOf(inbox, "c") });
    const failed = { outcome: "finished", success: false } as const;
    expect(await bench.end("a", { success: false, forGood: true })).toEqual(failed);
    expect(await bench.end("b", { success: false })).toEqual(failed);
    expect(await bench.end("c", { success: false })).toEqual(failed);
    expect((await results(inbox)).length).toBe(3);
  });

  test("[Q3] a task that waits to be tried again can be removed, and then its parent hears of it", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub", { retries: 5 });
    await bench.end("sub", { success: false, error: "no" });
    await inbox.call("tasks.remove", { agent: "lead", name: "sub" });
    expect((await results(inbox)).map(({ metadata }) => metadata)).toMatchObject([
      { from: "sub", success: false, error: 'removed by "lead"' },
    ]);
    bench.pass(60);
    expect(await bench.due()).toEqual([]);
  });

  test("[Q3] [T8] the thread of a task that waits to be tried again can be cancelled: it does not start", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub", { retries: 5 });
    await bench.end("sub", { success: false, error: "no" });
    await inbox.call("threads.cancel", { agent, thread: "thr_1" });
    bench.pass(60);
    expect(await bench.due()).toEqual([]);
    expect((await results(inbox)).map(({ metadata }) => metadata.error)).toEqual([
      "its thread was cancelled",
    ]);
    expect(await taskOf(inbox, "sub")).toMatchObject({ status: "finished", success: false });
  });

  test("[Q3] kill tells the keeper to end the task with all tasks below it, and lists them", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("a");
    await bench.started("b", { agent: "a" });
    await bench.started("c", { agent: "b" });
    await bench.started("other");
    await bench.push("d", { agent: "b" });
    const { killed } = await inbox.call("tasks.kill", { agent, name: "a", reason: "enough" });
    expect(killed).toEqual(["a", "b", "c"]);
    const ends = async (name: string) => (await bench.keep(name))?.end?.error;
    expect(await ends("a")).toBe('killed by "main": enough');
    expect(await ends("b")).toBe('killed by "main": its parent "a" was killed');
    expect(await ends("c")).toBe('killed by "main": its parent "b" was killed');
    expect(await ends("other")).toBeUndefined();
    for (const name of ["c", "b", "a"])
      await bench.end(name, { success: false, ...(await bench.keep(name))?.end });
    expect((await results(inbox)).map(({ metadata }) => metadata)).toMatchObject([
      { from: "a", success: false, error: 'killed by "main": enough', reason: "killed" },
    ]);
    expect(await taskOf(inbox, "d")).toMatchObject({
      status: "finished",
      success: false,
      error: 'its parent "b" has finished',
      reason: "cancelled",
    });
    expect((await bench.begin()).idle).toBe(false);
    await bench.end("other");
    expect((await bench.begin()).idle).toBe(true);
  });

  test("[Q3] [T8] cancelling a task's thread ends it, and its parent gets the failure and nothing else", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    const thread = await threadOf(inbox, "sub");
    await inbox.call("threads.cancel", { agent, thread, reason: "not needed" });
    expect((await bench.keep("sub"))?.end).toEqual({
      error: "its thread was cancelled",
      reason: "cancelled",
    });
    await bench.end("sub", { success: false, error: "its thread was cancelled" });
    expect((await mail(inbox)).map(({ kind, metadata }) => [kind, metadata.error])).toEqual([
      ["result", "its thread was cancelled"],
    ]);
    expect((await inbox.call("threads.show", { thread })).thread.status).toBe("cancelled");
    expect(await mail(inbox, "sub")).toEqual([]);
  });

  test("[Q4] what a sub-agent has queued or started ends with it, and nothing of it comes to a later one", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    await bench.started("below", { agent: "sub" });
    await bench.push("first", { agent: "sub" });
    await bench.push("second", { agent: "sub", after: ["first"] });
    await bench.end("sub");
    for (const name of ["first", "second"])
      expect(await taskOf(inbox, name)).toMatchObject({ status: "finished", success: false });
    expect((await bench.keep("below"))?.end?.error).toContain('its parent "sub" has finished');
    await bench.end("below", { success: false, error: "killed" });
    expect(await mail(inbox, "sub")).toEqual([]);
    expect(await mail(inbox, "below")).toEqual([]);
    expect((await inbox.call("deadLetters.list", {})).messages).toMatchObject([
      { channel: "sub", sender: "below" },
    ]);
    const ends = (await events(inbox)).filter(({ eventType }) => eventType === "task.finished");
    expect(ends.map(({ payload }) => payload.task).toSorted()).toEqual(["below", "first", "second", "sub"]);
    await bench.started("sub");
    expect(await mail(inbox, "sub")).toEqual([]);
  });

  test("[Q14] mail that came before its start is kept for it", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: agent, to: "sub", message: "before the push" });
    await bench.push("sub");
    await inbox.call("mailbox.send", { from: agent, to: "sub", message: "before the start" });
    await inbox.call("tasks.run", { agent });
    await bench.due();
    const { messages } = await inbox.call("mailbox.check", { agent: "sub" });
    expect(messages.map(({ message }) => message)).toEqual(["before the push", "before the start"]);
  });

  test("[Q14] when it ends, its uncollected mail becomes dead letters, and the senders are told", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    for (const from of ["peer", agent]) await inbox.call("mailbox.send", { from, to: "sub", message: "hey" });
    await inbox.call("mailbox.receive", { agent: "sub", from: agent });
    await bench.end("sub");
    const { messages } = await inbox.call("deadLetters.list", {});
    expect(messages).toMatchObject([{ channel: "sub", sender: "peer", content: "hey" }]);
    expect(await mail(inbox, "peer")).toMatchObject([
      {
        kind: "control",
        senderId: "sub",
        message: `msg_${messages[0]!.id} to "sub" is a dead letter: "sub" has finished`,
      },
    ]);
    expect((await mail(inbox)).map(({ kind }) => kind)).toEqual(["result"]);
    // [B6] Nobody reads what is put back for it.
    const requeued = await inbox.call("deadLetters.requeue", { agent, id: messages[0]!.id });
    expect(requeued).toEqual({ requeued: 1, ended: ["sub"] });
  });

  test("[Q14.5] of a tree that was killed all mail becomes dead letters, but for what says that it was killed, whichever task ends first", async () => {
    for (const order of [
      ["top", "low"],
      ["low", "top"],
    ]) {
      await using bench = await byHand(engine);
      const { inbox } = bench;
      await bench.started("top");
      for (const name of ["early", "low"]) await bench.started(name, { agent: "top" });
      await bench.end("early", { final: "made" });
      for (const from of [agent, "killer", "peer"])
        await inbox.call("mailbox.send", { from, to: "top", message: "hey" });
      await inbox.call("tasks.kill", { agent: "killer", name: "top" });
      for (const name of order) await bench.end(name, { final: "x" });
      const { messages } = await inbox.call("deadLetters.list", { channel: "top" });
      expect(messages.map(({ sender }) => sender)).toEqual(["early", agent, "killer", "peer"]);
      expect(new Set(messages.map(({ deadReason }) => deadReason))).toEqual(new Set([`"top" has finished`]));
      for (const { id } of messages)
        expect(await inbox.call("messages.status", { id })).toMatchObject({ status: "dead", ackedBy: null });
      // Its parent gets its result, and whoever killed it knows.
      expect((await mail(inbox)).map(({ kind, senderId }) => [kind, senderId])).toEqual([["result", "top"]]);
      expect(await mail(inbox, "killer")).toEqual([]);
      expect(await mail(inbox, "peer")).toMatchObject([{ kind: "control" }]);
      expect(await mail(inbox, "top")).toEqual([]);
      const all = await inbox.call("messages.inbox", { channel: "top", onlyAcked: true });
      const result = all.messages.find(({ sender }) => sender === "low")!;
      expect(await inbox.call("messages.status", { id: result.id })).toMatchObject({
        status: "acked",
        ackedBy: "killer",
        handed: 0,
      });
    }
  });

  test("[Q14] mail to a task that is removed before it starts comes back too", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.push("sub");
    await inbox.call("mailbox.send", { from: "peer", to: "sub", message: "hey" });
    await inbox.call("tasks.remove", { agent, name: "sub" });
    expect(await mail(inbox, "sub")).toEqual([]);
    expect(await mail(inbox, "peer")).toMatchObject([{ kind: "control", senderId: "sub" }]);
  });

  test("[Q14] a name that is used again starts empty, and two that have ended do not write to each other", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("a");
    await bench.started("b");
    await bench.end("a");
    await inbox.call("mailbox.send", { from: "b", to: "a", message: "too late" });
    await inbox.call("mailbox.send", { from: "peer", to: "a", message: "too late as well" });
    await bench.end("b");
    await bench.started("a");
    expect(await mail(inbox, "a")).toEqual([]);
    expect(await mail(inbox, "b")).toEqual([]);
    expect((await mail(inbox, "peer")).length).toBe(1);
    expect((await inbox.call("deadLetters.list", {})).messages.length).toBe(2);
    await inbox.call("mailbox.send", { from: "peer", to: "a", message: "for the new one" });
    expect((await mail(inbox, "a")).map(({ message }) => message)).toEqual(["for the new one"]);
  });

  test("[M12] [Q14] a broadcast reaches running sub-agents, and not those that have ended", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("runs");
    await bench.started("ended");
    await bench.end("ended");
    const { copies } = await inbox.call("mailbox.send", { from: "lead", to: "*", message: "all hands" });
    expect(copies!.map(({ channel }) => channel)).toEqual([agent, "runs"]);
    // Whoever uses the name afterwards is an agent as any other.
    bench.pass(2);
    await inbox.call("mailbox.check", { agent: "ended" });
    const again = await inbox.call("mailbox.send", { from: "lead", to: "*", message: "all hands" });
    expect(again.copies!.map(({ channel }) => channel)).toEqual(["ended", agent, "runs"]);
  });

  test("[L10] the thread of a running sub-agent is not taken from it: it is ended", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    const [mine] = (await inbox.call("threads.list", { assignedTo: "sub" })).threads;
    const thread = mine!.threadId;
    for (const taken of [
      inbox.call("threads.release", { agent, thread, force: true }),
      inbox.call("threads.reassign", { agent, thread, to: "w" }),
    ])
      expect(await refusal(taken)).toMatchObject({ code: "invalid_state", details: { task: "sub" } });
  });

  test("[M13] [B8] a sender to a sub-agent that has finished is told so, and agents shows it as finished", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    const alive = await inbox.call("mailbox.send", { from: "peer", to: "sub", message: "hey" });
    expect(alive.recipient).toEqual({ name: "sub", known: true, similar: [] });
    const { thread } = await inbox.call("threads.send", { from: "peer", to: "sub", subject: "more" });
    await bench.end("sub");
    const to = { from: "peer", to: "sub" };
    const told = [
      await inbox.call("mailbox.send", { ...to, message: "hey" }),
      await inbox.call("messages.send", { sender: "peer", channel: "sub", content: "hey" }),
      await inbox.call("threads.send", { ...to, subject: "and more" }),
      await inbox.call("threads.reply", { from: "peer", thread: thread.threadId, summary: "well?" }),
    ];
    for (const { recipient } of told) {
      expect(recipient).toMatchObject({ name: "sub", known: true, ended: true });
      expect(recipient.hint).toContain(`"${agent}"`);
      expect(recipient.resumable).toBeUndefined();
    }
    const shown = async () =>
      (await inbox.call("agents.list", {})).agents.map(({ name, live, ended }) => ({ name, live, ended }));
    expect(await shown()).toContainEqual({ name: "sub", live: false, ended: true });
    expect(await shown()).toContainEqual({ name: "peer", live: true, ended: false });
    // Whoever uses the name afterwards is there to read.
    bench.pass(2);
    await inbox.call("mailbox.check", { agent: "sub" });
    expect((await inbox.call("mailbox.send", { ...to, message: "hey" })).recipient.ended).toBeUndefined();
    expect(await shown()).toContainEqual({ name: "sub", live: true, ended: false });
    // [A4] One whose session can go on is told so with another word.
    await bench.started("talks");
    await bench.end("talks", { session: "s" });
    const sent = await inbox.call("mailbox.send", { from: "peer", to: "talks", message: "hey" });
    expect(sent.recipient).toMatchObject({ ended: true, resumable: "talks" });
  });

  test("[B8] a sub-agent lives for as long as it runs, however silent it is", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    bench.pass(3600);
    const lives = async (name: string) =>
      (await inbox.call("agents.list", {})).agents.find((one) => one.name === name)?.live;
    expect(await lives("sub")).toBe(true);
    await bench.end("sub");
    expect(await lives("sub")).toBe(false);
  });

  test("[Q4] [Q7] a keeper that has lost a task cannot keep it, end it or deliver for it", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const first = await bench.started("sub", { retries: 1 });
    await bench.end("sub", { success: false });
    bench.pass(5);
    const { started } = await bench.begin();
    expect(started).toMatchObject([{ name: "sub", number: first.number }]);
    expect(started[0]!.token).not.toBe(first.token);
    const late = await bench.engine.write((tx) =>
      endTask(tx, first.number, first.token, { success: true, final: "late" }),
    );
    expect(late).toEqual({ outcome: "stale" });
    expect(await results(inbox)).toEqual([]);
    await bench.end("sub");
    expect((await results(inbox)).length).toBe(1);
  });
});
