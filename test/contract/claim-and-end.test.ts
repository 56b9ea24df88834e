/** [L12] One call that ends a thread and claims the next. */
import { describe, expect, test } from "bun:test";
import { releaseHandOver } from "../../src/bus/hand-over/settle.ts";
import { InboxError } from "../../src/contract/errors.ts";
import type { Engine } from "../../src/engines/engine.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { claimOrWait } from "../../src/waiting/threads-claim.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const agent = "w";
const parsed = { agent, leaseSeconds: 900, artifacts: [], wait: false };

async function give(inbox: Inbox, ...subjects: string[]): Promise<void> {
  for (const subject of subjects) await inbox.call("threads.send", { from: "lead", to: agent, subject });
}

const statusOf = async (inbox: Inbox, thread: string) =>
  (await inbox.call("threads.show", { thread })).thread.status;

describe.each(engines)("$name", ({ start }) => {
  test("[L12.1] claim with done ends the thread with its result, and claims the next one", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first", "second", "third");
    const first = await inbox.call("threads.claim", { agent });
    const second = await inbox.call("threads.claim", {
      agent,
      done: "thr_1",
      summary: "made",
      body: "all of it",
      payload: { n: 1 },
      artifacts: [{ path: "a.txt" }],
      leaseToken: first.lease!.token,
    });
    expect(second.thread).toMatchObject({ threadId: "thr_2", status: "claimed", assignedTo: agent });
    expect(second.lease!.attempt).toBe(1);
    expect(second.messages.map(({ summary }) => summary)).toEqual(["second"]);
    expect(second.ended).toMatchObject({
      thread: { threadId: "thr_1", status: "done" },
      message: { kind: "result", toAgent: "lead", summary: "made", body: "all of it", payload: { n: 1 } },
    });
    expect(second.ended!.message.artifacts.map(({ path }) => path)).toEqual(["a.txt"]);
    const third = await inbox.call("threads.claim", { agent, fail: "thr_2", summary: "no" });
    expect(third.thread?.threadId).toBe("thr_3");
    expect(third.ended!.message.payload).toEqual({ success: false });
    expect(third.ended).toEqual({
      thread: (await inbox.call("threads.show", { thread: "thr_2" })).thread,
      message: (await inbox.call("threads.show", { thread: "thr_2" })).messages.at(-1)!,
    });
    const { messages } = await inbox.call("mailbox.receive", { agent: "lead", timeoutSeconds: 0, max: 10 });
    expect(messages.map(({ message }) => message)).toEqual(["all of it", "no"]);
  });

  test("[L12.1] many workers of one name each end their own and get another", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, ...Array.from({ length: 12 }, (_, i) => `job ${i}`));
    const claimed = await Promise.all(
      Array.from({ length: 6 }, () => inbox.call("threads.claim", { agent })),
    );
    const next = await Promise.all(
      claimed.map(({ thread }) =>
        inbox.call("threads.claim", { agent, done: thread!.threadId, body: thread!.subject }),
      ),
    );
    expect(next.map(({ ended }) => ended!.message.body)).toEqual(
      claimed.map(({ thread }) => thread!.subject),
    );
    const all = [...claimed, ...next].map(({ thread }) => thread!.threadId);
    expect(new Set(all).size).toBe(12);
    const { threads } = await inbox.call("threads.list", { status: ["done"] });
    expect(threads).toHaveLength(6);
  });

  test("[L12.1] a member of a pool gets the pool's threads", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("pools.join", { agent, pool: "builders" });
    for (const subject of ["one", "two"])
      await inbox.call("threads.send", { from: "lead", to: "builders", subject });
    const { thread } = await inbox.call("threads.claim", { agent });
    const next = await inbox.call("threads.claim", { agent, done: thread!.threadId });
    expect(next).toMatchObject({ thread: { subject: "two" }, ended: { thread: { status: "done" } } });
  });

  test("[L12.2] if the end is refused, nothing is claimed", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first", "second");
    await inbox.call("threads.claim", { agent: "other", thread: "thr_1" });
    const ends = (done: string) => refusal(inbox.call("threads.claim", { agent, done, summary: "mine" }));
    expect((await ends("thr_1")).code).toBe("lease_conflict");
    expect((await ends("thr_2")).code).toBe("invalid_state");
    expect((await ends("thr_9")).code).toBe("not_found");
    expect(await statusOf(inbox, "thr_1")).toBe("claimed");
    expect(await statusOf(inbox, "thr_2")).toBe("pending");
  });

  test("[L12.2] the late result of a holder that was replaced is kept, and nothing is claimed", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first", "second");
    await inbox.call("threads.claim", { agent });
    await inbox.call("threads.reassign", { agent: "lead", thread: "thr_1", to: "other" });
    await inbox.call("threads.claim", { agent: "other" });
    const error = await refusal(inbox.call("threads.claim", { agent, done: "thr_1", summary: "too late" }));
    expect(error.code).toBe("lease_lost");
    expect(error.details).toHaveProperty("kept_as");
    expect(await statusOf(inbox, "thr_2")).toBe("pending");
  });

  test("[L12.3] with nothing to claim the thread is ended all the same", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first");
    await inbox.call("threads.claim", { agent });
    const answer = await inbox.call("threads.claim", { agent, done: "thr_1" });
    expect(answer).toMatchObject({ thread: null, lease: null, ended: { thread: { status: "done" } } });
    expect(answer.held).toBeUndefined();
  });

  test("[L12.3] with wait the thread is ended before the wait begins", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first");
    await inbox.call("threads.claim", { agent });
    const waiting = bench
      .another()
      .call("threads.claim", { agent, done: "thr_1", summary: "made", wait: true, timeoutSeconds: 60 });
    const { messages } = await inbox.call("mailbox.receive", { agent: "lead", timeoutSeconds: 60 });
    expect(messages.map(({ message }) => message)).toEqual(["made"]);
    await give(inbox, "second");
    expect(await waiting).toMatchObject({
      woke: true,
      thread: { threadId: "thr_2" },
      ended: { thread: { threadId: "thr_1", status: "done" } },
    });
    const timedOut = { agent, done: "thr_2", wait: true, timeoutSeconds: 0 };
    expect(await inbox.call("threads.claim", timedOut)).toMatchObject({
      woke: false,
      thread: null,
      ended: { thread: { threadId: "thr_2" } },
    });
  });

  test("[L12.4] the same call again does not end the thread again, and claims", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first", "second", "third");
    await inbox.call("threads.claim", { agent });
    const asked = { agent, done: "thr_1", summary: "made" };
    const once = await inbox.call("threads.claim", asked);
    expect(once.thread?.threadId).toBe("thr_2");
    const again = await inbox.call("threads.claim", asked);
    expect(again.thread?.threadId).toBe("thr_3");
    expect(again.ended).toEqual(once.ended);
    const { messages } = await inbox.call("threads.show", { thread: "thr_1" });
    expect(messages.filter(({ kind }) => kind === "result")).toHaveLength(1);
    expect((await refusal(inbox.call("threads.claim", { ...asked, summary: "else" }))).code).toBe(
      "invalid_state",
    );
  });

  test("[L12.5] an answer that was not shown releases the new lease, and the end stays", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first", "second");
    await inbox.call("threads.claim", { agent });
    const handed = await inbox.hand(
      "threads.claim",
      { agent, done: "thr_1" },
      { handOver: crypto.randomUUID() },
    );
    await handed.release!();
    expect(await statusOf(inbox, "thr_1")).toBe("done");
    expect(await statusOf(inbox, "thr_2")).toBe("pending");
  });

  test("[L12.2] [B4] a call that its caller has given up ends nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first", "second");
    await inbox.call("threads.claim", { agent });
    const handOver = crypto.randomUUID();
    await bench.engine.write((tx) => releaseHandOver(tx, { of: "call", agent, id: handOver }));
    for (const wait of [false, true]) {
      const late = claimOrWait(
        bench.engine,
        { ...parsed, done: "thr_1", wait, timeoutSeconds: 0, handOver },
        {},
      );
      expect((await refusal(late)).code).toBe("conflict");
    }
    expect(await statusOf(inbox, "thr_1")).toBe("claimed");
    expect(await statusOf(inbox, "thr_2")).toBe("pending");
  });

  test("[L12.7] if the claim fails after the end, the error says that the thread was ended", async () => {
    await using bench = await start();
    const { inbox, engine } = bench;
    await give(inbox, "first");
    await inbox.call("threads.claim", { agent });
    const broken: Engine = {
      ...engine,
      read: () => Promise.reject(new InboxError("busy", "the database is busy")),
    };
    const asked = { ...parsed, done: "thr_1", summary: "made", wait: true, timeoutSeconds: 1 };
    expect(await refusal(claimOrWait(broken, asked, {}))).toMatchObject({
      code: "busy",
      message: "the database is busy; thr_1 was ended before that",
      details: { ended: "thr_1" },
    });
    expect(await statusOf(inbox, "thr_1")).toBe("done");
  });

  test("[L12.4] [B4.7] the same call again, with its id, finds what it was granted, also if it waits", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "first", "second");
    await inbox.call("threads.claim", { agent });
    const handOver = crypto.randomUUID();
    const again = async (input = {}) =>
      (await claimOrWait(bench.engine, { ...parsed, wait: true, timeoutSeconds: 5, ...input, handOver }, {}))
        .answer;
    const first = await again({ done: "thr_1" });
    expect(first.thread?.threadId).toBe("thr_2");
    for (const input of [{ done: "thr_1" }, {}])
      expect(await again(input)).toMatchObject({
        woke: true,
        thread: { threadId: "thr_2" },
        lease: { token: first.lease!.token },
      });
  });

  test("[L12.1] [C17] what is about the ended thread needs one, and a named thread cannot be claimed with it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const refused = async (input: object) =>
      (await refusal(inbox.call("threads.claim", { agent, ...input } as never))).code;
    for (const input of [
      { summary: "x" },
      { body: "x" },
      { payload: {} },
      { artifacts: [{ path: "x" }] },
      { leaseToken: "0".repeat(24) },
      { done: "thr_1", fail: "thr_2" },
      { done: "thr_1", thread: "thr_2" },
      { fail: "thr_1", thread: "thr_2" },
    ])
      expect([input, await refused(input)]).toEqual([input, "invalid_input"]);
  });
});
