/** [Q11] [B5] Assigning work, waiting for one, and gathering what several answered. */
import { describe, expect, test } from "bun:test";
import type { BeginNote } from "../../src/contract/begin-note.ts";
import type { InputOf } from "../../src/contract/operations/index.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { byHand, unlooked } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/until.ts";

const agent = "main";
const profile = "claude";
const mail = async (inbox: Inbox, of = agent) => (await inbox.call("mailbox.list", { agent: of })).messages;
const assign = (inbox: Inbox, name: string, more: Partial<InputOf<"tasks.assign">> = {}) =>
  inbox.call("tasks.assign", { agent, profile, message: `do ${name}`, name, ...more });
const handoff = (inbox: Inbox, input: Partial<InputOf<"tasks.handoff">>) =>
  inbox.call("tasks.handoff", { agent, ...input });
const gather = (inbox: Inbox, from: string[], more: Partial<InputOf<"mailbox.gather">> = {}) =>
  inbox.call("mailbox.gather", { agent, from, timeoutSeconds: 0, ...more });

describe.each(engines)("$name", (engine) => {
  test("[Q11] assign starts one, and nothing else that is queued; its name is the sender of all it sends", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.push("queued");
    expect(await assign(inbox, "sub")).toEqual({ success: true, terminalId: "sub", parent: agent });
    const other = await inbox.call("tasks.assign", { agent, profile, message: "x" });
    expect(await bench.due()).toEqual(["sub", other.terminalId]);
    await bench.end("sub");
    expect((await mail(inbox)).map(({ senderId }) => senderId)).toEqual(["sub"]);
  });

  test("[M13.9] a parent whose name nobody has used, and that is like a used one, is named in the answer", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await inbox.call("mailbox.check", { agent: "leader" });
    const unknown = (name: string) => [{ name, similar: expect.arrayContaining(["leader"]) as never }];
    const push = (by: string) => inbox.call("tasks.push", { agent: by, profile, prompt: "x", ...unlooked });
    expect((await push("leeder")).unknown).toEqual(unknown("leeder"));
    expect(await push("leeder")).not.toHaveProperty("unknown");
    expect(await push("leader")).not.toHaveProperty("unknown");
    expect(await push("somebody-else")).not.toHaveProperty("unknown");
    expect((await assign(inbox, "a", { agent: "laeder" })).unknown).toEqual(unknown("laeder"));
    expect(await assign(inbox, "b", { agent: "laeder" })).not.toHaveProperty("unknown");
    const asked = { profile, message: "x", timeoutSeconds: 0 };
    expect((await handoff(inbox, { ...asked, agent: "leade" })).unknown).toEqual(unknown("leade"));
    // Without an end it is told when the wait begins.
    const notes: BeginNote[] = [];
    const signal = AbortSignal.timeout(20_000);
    const ends = new AbortController();
    const waiting = bench.another().call(
      "tasks.handoff",
      { agent: "eleader", profile, message: "x" },
      {
        signal: AbortSignal.any([signal, ends.signal]),
        noteAtBegin: (note) => {
          notes.push(note);
          ends.abort();
        },
      },
    );
    await expect(waiting).rejects.toThrow();
    expect(notes).toEqual([{ unknown: unknown("eleader") }]);
  });

  test("[Q2] [Q11] an assigned task starts at once, whatever the limit of the queue", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    for (const name of ["a", "b", "c"]) await bench.push(name);
    await inbox.call("tasks.run", { agent, count: 1 });
    expect(await bench.due()).toEqual(["a"]);
    await assign(inbox, "now");
    expect(await bench.due()).toEqual(["now"]);
    await bench.end("a");
    expect(await bench.due()).toEqual(["b"]);
  });

  test("[Q11] handoff waits for the end, answers with the result, and has collected it", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const waiting = handoff(bench.another(), { profile, message: "x", name: "sub" });
    await until("the task has started", async () => (await bench.due()).length > 0);
    await inbox.call("mailbox.send", { from: "sub", to: agent, message: "half of it" });
    await bench.end("sub", { final: "all of it" });
    expect(await waiting).toMatchObject({
      success: true,
      status: "finished",
      terminalId: "sub",
      message: "all of it",
      messages: [{ kind: "result", senderId: "sub" }],
    });
    expect((await mail(inbox)).map(({ message }) => message)).toEqual(["half of it"]);
  });

  test("[Q11] a handoff that must answer sooner says that it runs, and is gone on with", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const first = await handoff(inbox, { profile, message: "x", name: "sub", timeoutSeconds: 0 });
    expect(first).toEqual({
      success: null,
      status: "running",
      terminalId: "sub",
      message: null,
      messages: [],
    });
    await bench.due();
    expect(await handoff(inbox, { terminalId: "sub", timeoutSeconds: 0 })).toEqual(first);
    const waiting = handoff(bench.another(), { terminalId: "sub" });
    await bench.end("sub", { success: false, error: "broken", partial: "p" });
    const failure = { from: "sub", success: false, error: "broken", reason: "exit", partial_output: "p" };
    expect(await waiting).toMatchObject({ success: false, message: JSON.stringify(failure) });
    expect(await mail(inbox)).toEqual([]);
    expect(await handoff(inbox, { terminalId: "sub" })).toMatchObject({
      success: false,
      status: "finished",
      message: null,
    });
  });

  test("[Q11] a handoff whose task is removed or skipped does not wait forever", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.push("a");
    await bench.push("b", { after: ["a"] });
    const removed = handoff(bench.another(), { terminalId: "a" });
    const skipped = handoff(bench.another(), { terminalId: "b" });
    await inbox.call("tasks.remove", { agent: "lead", name: "a" });
    expect(await removed).toMatchObject({ success: false, status: "finished", message: null });
    expect(JSON.parse((await skipped).message!)).toMatchObject({ from: "b", success: false });
    expect(await mail(inbox)).toEqual([]);
  });

  test("[Q11] of an earlier task of that name the result is left alone", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    await bench.end("sub", { final: "old" });
    await bench.started("sub");
    await bench.end("sub", { final: "new" });
    expect((await handoff(inbox, { terminalId: "sub" })).message).toBe("new");
    expect((await mail(inbox)).map(({ message }) => message)).toEqual(["old"]);
  });

  test("[Q10] [Q11] a handoff to a living worker answers with what the worker said", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await handoff(inbox, { message: "dig", name: "job", worker: "joe", timeoutSeconds: 0 });
    await bench.begin();
    const { thread } = await inbox.call("threads.claim", { agent: "joe" });
    await inbox.call("threads.done", { agent: "joe", thread: thread!.threadId, summary: "dug" });
    await bench.begin();
    expect(await handoff(inbox, { terminalId: "job" })).toMatchObject({ success: true, message: "dug" });
    expect(await mail(inbox)).toEqual([]);
  });

  test("[Q11] a handoff needs a prompt or one of the caller's own tasks to wait for", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const refused = (input: Partial<InputOf<"tasks.handoff">>) =>
      refusal(handoff(inbox, { ...input, timeoutSeconds: 0 }));
    expect((await refused({})).code).toBe("invalid_input");
    expect((await refused({ message: "x", terminalId: "a" })).code).toBe("invalid_input");
    expect((await refused({ terminalId: "nobody" })).code).toBe("not_found");
    await bench.push("theirs", { agent: "lead" });
    expect(await refused({ terminalId: "theirs" })).toMatchObject({
      code: "invalid_input",
      message: '"theirs" works for "lead": its result does not come to you',
    });
  });

  test("[W4] [Q11] a handoff that is aborted has collected nothing, and the task continues", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const giveUp = new AbortController();
    const waiting = bench
      .another()
      .call("tasks.handoff", { agent, profile, message: "x", name: "sub" }, { signal: giveUp.signal });
    await until("the task has started", async () => (await bench.due()).length > 0);
    giveUp.abort();
    expect(waiting).rejects.toThrow();
    await bench.end("sub", { final: "there" });
    // A hub may hear of the end before it hears that nobody waits any more: then it gives the result back.
    await until("the result is in the inbox", async () => (await mail(inbox)).length > 0);
    expect((await mail(inbox)).map(({ message }) => message)).toEqual(["there"]);
  });

  test("[B5] a queued, waiting or running task is open: only its result is an answer", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.push("a");
    const say = () => inbox.call("mailbox.send", { from: "a", to: agent, message: "not yet" });
    const silent = { woke: false, messages: [], missing: ["a"], dead: [] };
    await say();
    expect(await gather(inbox, ["a"])).toMatchObject(silent);
    await inbox.call("tasks.run", { agent });
    expect(await gather(inbox, ["a"])).toMatchObject(silent);
    await bench.due();
    expect(await gather(inbox, ["a"])).toMatchObject(silent);
    const waiting = gather(bench.another(), ["a"], { timeoutSeconds: undefined });
    await bench.end("a");
    const got = await waiting;
    expect(got).toMatchObject({ woke: true, missing: [], dead: [] });
    expect(got.messages.at(-1)).toMatchObject({ kind: "result", message: "done with a" });
  });

  test("[B5] an agent that has finished and whose result was collected is dead: it counts for all, and is listed", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    for (const name of ["a", "b"]) await bench.started(name);
    await bench.end("a");
    await inbox.call("mailbox.check", { agent });
    expect(await gather(inbox, ["a"])).toMatchObject({ woke: true, messages: [], missing: [], dead: ["a"] });
    expect(await gather(inbox, ["a", "b"])).toMatchObject({ woke: false, missing: ["b"], dead: ["a"] });
    const waiting = gather(bench.another(), ["a", "b"], { timeoutSeconds: undefined });
    await bench.end("b");
    expect(await waiting).toMatchObject({ woke: true, messages: [{ senderId: "b" }], dead: ["a"] });
    // Dead is no answer where one is needed; but where nobody else is left there is nothing to wait for.
    await bench.started("c");
    expect(await gather(inbox, ["a", "c"], { need: "any" })).toMatchObject({ woke: false, missing: ["c"] });
    expect(await gather(inbox, ["a", "b"], { need: "1", timeoutSeconds: undefined })).toMatchObject({
      woke: true,
      messages: [],
      missing: [],
      dead: ["a", "b"],
    });
  });

  test("[B5] a removed task is dead, and a call that waits for it is told at once", async () => {
    await using bench = await byHand(engine);
    await bench.push("a");
    const waiting = gather(bench.another(), ["a"], { timeoutSeconds: undefined });
    await bench.inbox.call("tasks.remove", { agent: "lead", name: "a" });
    expect(await waiting).toMatchObject({ woke: true, messages: [], missing: [], dead: ["a"] });
  });

  test("[B5] a result that is handed over to another reader makes nobody dead; a new task of that name is alive", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("a");
    await bench.end("a");
    await inbox.call("mailbox.receive", { agent, ack: "manual" });
    expect(await gather(inbox, ["a"])).toMatchObject({ woke: false, missing: ["a"], dead: [] });
    bench.pass(61);
    expect(await gather(inbox, ["a"])).toMatchObject({ woke: true, messages: [{ senderId: "a" }] });
    await bench.push("a");
    expect(await gather(inbox, ["a"])).toMatchObject({ woke: false, missing: ["a"], dead: [] });
  });

  test("[B5] [Q10] a failed and a skipped task have answered; a worker's result answers for its task", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("a");
    await bench.push("b", { after: ["a"] });
    await inbox.call("tasks.assign", { agent, name: "job", message: "dig", worker: "joe" });
    await bench.begin();
    await bench.end("a", { success: false, error: "no" });
    const { thread } = await inbox.call("threads.claim", { agent: "joe" });
    expect(await gather(inbox, ["job"])).toMatchObject({ woke: false, missing: ["job"] });
    await inbox.call("threads.done", { agent: "joe", thread: thread!.threadId, summary: "dug" });
    const got = await gather(inbox, ["a", "b", "job"]);
    expect(got).toMatchObject({ woke: true, missing: [], dead: [] });
    expect(got.messages.map(({ senderId }) => senderId)).toEqual(["a", "b", "joe"]);
    await bench.begin();
    expect(await gather(inbox, ["job"])).toMatchObject({ woke: true, dead: ["job"] });
  });
});
