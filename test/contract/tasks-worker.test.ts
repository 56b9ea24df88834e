/** [Q10] `--worker`: a task that goes to somebody who lives already, instead of a process of its own. */
import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { byHand, type HandBench } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";

const agent = "main";
const worker = "joe";
const mail = async (inbox: Inbox, of = agent) => (await inbox.call("mailbox.list", { agent: of })).messages;
const taskOf = async (inbox: Inbox, name = "job") => (await inbox.call("tasks.show", { name })).task;

/** A task for the worker, with its thread open. */
async function dispatched(bench: HandBench, more: { worker?: string; timeout?: number } = {}) {
  await bench.push("job", { worker, profile: undefined, prompt: "dig\na hole", ...more });
  await bench.inbox.call("tasks.run", { agent });
  expect(await bench.due()).toEqual([]);
  return (await taskOf(bench.inbox)).threadId!;
}

describe.each(engines)("$name", (engine) => {
  test("[Q10] the thread goes to the worker's inbox, and its done is the result", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const thread = await dispatched(bench);
    expect(await taskOf(inbox)).toMatchObject({ status: "running", worker, profile: null, pid: null });
    expect((await mail(inbox, worker)).map(({ kind, message }) => [kind, message])).toEqual([
      ["task", "dig\na hole"],
    ]);
    const claim = await inbox.call("threads.claim", { agent: worker });
    expect(claim.thread).toMatchObject({ threadId: thread, taskId: "job" });
    expect((await bench.begin()).dispatched).toEqual([Number(thread.slice(4))]);
    await inbox.call("threads.done", { agent: worker, thread, summary: "dug" });
    const after = await bench.begin();
    expect(after).toMatchObject({ idle: true, dispatched: [] });
    expect(await taskOf(inbox)).toMatchObject({ status: "finished", success: true, error: null });
    expect((await mail(inbox)).map(({ kind, senderId, message }) => [kind, senderId, message])).toEqual([
      ["result", worker, "dug"],
    ]);
  });

  test("[Q10] its fail is the failure, and what waits for it is skipped", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const thread = await dispatched(bench);
    await bench.push("next", { after: ["job"] });
    await inbox.call("threads.claim", { agent: worker, thread });
    await inbox.call("threads.fail", { agent: worker, thread, summary: "rock" });
    await bench.begin();
    expect(await taskOf(inbox)).toMatchObject({ success: false, error: "rock" });
    expect((await mail(inbox)).map(({ senderId }) => senderId)).toEqual([worker, "next"]);
  });

  test("[Q10] [T12] a task for a pool is taken by one of its members", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    for (const member of ["ann", "bob"]) await inbox.call("pools.join", { agent: member, pool: "diggers" });
    const thread = await dispatched(bench, { worker: "diggers" });
    expect((await inbox.call("threads.claim", { agent: "ann" })).thread?.threadId).toBe(thread);
    expect((await inbox.call("threads.claim", { agent: "bob" })).thread).toBeNull();
    await inbox.call("threads.done", { agent: "ann", thread, summary: "dug" });
    await bench.begin();
    expect(await taskOf(inbox)).toMatchObject({ success: true });
    expect(await mail(inbox)).toMatchObject([{ senderId: "ann", message: "dug" }]);
  });

  test("[Q6] [Q10] its timeout counts from the dispatch; then the worker is told to stop, and the parent is told", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    bench.freeze();
    const thread = await dispatched(bench, { timeout: 60 });
    await inbox.call("threads.claim", { agent: worker, thread });
    const { againInMs } = await bench.begin();
    expect(againInMs).toBeWithin(60_000, 60_010);
    bench.pass(60);
    expect((await bench.begin()).idle).toBe(true);
    const error = "it exceeded its timeout of 60 seconds";
    expect(await taskOf(inbox)).toMatchObject({ success: false, error });
    expect((await mail(inbox)).map(({ metadata }) => metadata)).toEqual([
      { from: "job", success: false, error, reason: "timeout", partial_output: "" },
    ]);
    expect((await mail(inbox, worker)).map(({ kind, message }) => [kind, message])).toEqual([
      ["control", `cancelled: ${error}`],
    ]);
    expect((await inbox.call("threads.show", { thread })).thread.status).toBe("failed");
  });

  test("[Q3] [Q10] kill takes it back from a worker that has it, and out of the inbox of one that has not", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const thread = await dispatched(bench);
    await inbox.call("tasks.kill", { agent, name: "job", reason: "rain" });
    await bench.begin();
    expect(await mail(inbox, worker)).toEqual([]);
    expect((await mail(inbox)).map(({ metadata }) => metadata.error)).toEqual(['killed by "main": rain']);
    expect((await inbox.call("threads.show", { thread })).thread.status).toBe("failed");
    await dispatched(bench);
    await inbox.call("threads.claim", { agent: worker });
    await inbox.call("tasks.kill", { agent, name: "job" });
    await bench.begin();
    expect(await mail(inbox, worker)).toMatchObject([
      { kind: "control", message: 'cancelled: killed by "main"' },
    ]);
  });

  test("[Q3] [Q10] [T8] cancelling its thread ends it", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const thread = await dispatched(bench);
    await inbox.call("threads.claim", { agent: worker, thread });
    await inbox.call("threads.cancel", { agent, thread, reason: "no" });
    expect((await bench.begin()).idle).toBe(true);
    expect(await mail(inbox)).toMatchObject([
      { kind: "result", metadata: { from: "job", success: false, error: "its thread was cancelled" } },
    ]);
    expect((await mail(inbox, worker)).map(({ kind }) => kind)).toEqual(["control"]);
    expect(await taskOf(inbox)).toMatchObject({ status: "finished", success: false });
  });

  test("[Q2] [Q10] it takes a slot of its parent's, and no room of the machine's", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["job", "more"]) await push(name, { worker, profile: undefined });
    await push("process");
    await inbox.call("tasks.run", { agent, count: 1 });
    await bench.due({ all: 0 });
    const running = async () => (await inbox.call("tasks.queue", { agent })).running.map(({ name }) => name);
    expect(await running()).toEqual(["job"]);
    await inbox.call("tasks.run", { agent });
    await bench.due({ all: 0 });
    expect(await running()).toEqual(["job", "more"]);
    expect(await bench.due()).toEqual(["process"]);
  });

  test("[Q14] the worker's other mail is its own: it stays", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const thread = await dispatched(bench);
    await inbox.call("mailbox.send", { from: "peer", to: worker, message: "hello" });
    await inbox.call("threads.claim", { agent: worker, thread });
    await inbox.call("threads.done", { agent: worker, thread });
    await bench.begin();
    expect((await mail(inbox, worker)).map(({ message }) => message)).toEqual(["hello"]);
  });
});
