import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allowedNow, type Status, statuses } from "../../src/contract/thread.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { type Bench, engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const thread = "thr_1";

/** A thread in each state, held by "w" where the state has a holder. Answers with its id. */
async function bring(inbox: Inbox, status: Status): Promise<string> {
  const sent = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
  const thread = sent.thread.threadId;
  if (status === "pending") return thread;
  if (status === "cancelled") {
    await inbox.call("threads.cancel", { agent: "lead", thread });
    return thread;
  }
  await inbox.call("threads.claim", { agent: "w", thread });
  if (status === "in_progress") await inbox.call("threads.update", { agent: "w", thread });
  if (status === "blocked") await inbox.call("threads.update", { agent: "w", thread, status, summary: "?" });
  if (status === "done") await inbox.call("threads.done", { agent: "w", thread });
  if (status === "failed") await inbox.call("threads.fail", { agent: "w", thread });
  return thread;
}

type Act = (inbox: Inbox, thread: string) => Promise<unknown>;

const acts = {
  claim: (inbox, thread) => inbox.call("threads.claim", { agent: "w", thread }),
  progress: (inbox, thread) => inbox.call("threads.update", { agent: "w", thread, status: "in_progress" }),
  block: (inbox, thread) =>
    inbox.call("threads.update", { agent: "w", thread, status: "blocked", summary: "?" }),
  done: (inbox, thread) => inbox.call("threads.done", { agent: "w", thread, summary: "other words" }),
  fail: (inbox, thread) => inbox.call("threads.fail", { agent: "w", thread, summary: "other words" }),
  release: (inbox, thread) => inbox.call("threads.release", { agent: "w", thread }),
  "release --force": (inbox, thread) => inbox.call("threads.release", { agent: "lead", thread, force: true }),
  reassign: (inbox, thread) => inbox.call("threads.reassign", { agent: "lead", thread, to: "v" }),
  cancel: (inbox, thread) => inbox.call("threads.cancel", { agent: "lead", thread }),
} satisfies Record<string, Act>;

/** [T3] in full: what each act makes of each state; what is not here is refused. */
const working = {
  progress: "in_progress",
  block: "blocked",
  done: "done",
  fail: "failed",
  release: "pending",
  "release --force": "pending",
  reassign: "pending",
  cancel: "cancelled",
} as const;
const expected: Record<Status, Partial<Record<keyof typeof acts, Status>>> = {
  pending: { claim: "claimed", reassign: "pending", cancel: "cancelled" },
  claimed: { ...working, claim: "claimed" },
  in_progress: { ...working, claim: "in_progress" },
  blocked: { ...working, claim: "blocked" },
  done: {},
  failed: {},
  cancelled: {},
};

describe.each(engines)("$name", ({ start }) => {
  // One bus for all of these: each has a thread of its own, and nothing that another does concerns it.
  let shared: Bench;
  beforeAll(async () => {
    shared = await start();
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  for (const status of statuses)
    for (const [name, act] of Object.entries(acts) as [keyof typeof acts, Act][])
      test(`[T3] ${name} on a thread that is ${status}`, async () => {
        const { inbox } = shared;
        const thread = await bring(inbox, status);
        const before = await inbox.call("threads.show", { thread });
        const after = expected[status][name];
        if (after) {
          await act(inbox, thread);
          expect((await inbox.call("threads.show", { thread })).thread.status).toBe(after);
          return;
        }
        const error = await refusal(act(inbox, thread));
        expect(error.code).toBe("invalid_state");
        expect(error.message).toContain(status);
        expect(error.details).toMatchObject({ status, allowed: allowedNow[status] });
        expect(await inbox.call("threads.show", { thread })).toEqual(before);
      });

  test("[T3] a take-over of lapsed work sets it back to claimed", async () => {
    for (const status of ["claimed", "in_progress", "blocked"] as const) {
      await using bench = await start();
      await bring(bench.inbox, status);
      bench.pass(901);
      expect((await bench.inbox.call("threads.claim", { agent: "x", thread })).thread?.status).toBe(
        "claimed",
      );
    }
  });

  test("[T6] a blocked update must state what is missing, and goes to the creator as a question", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await bring(inbox, "claimed");
    const silent = { agent: "w", thread, status: "blocked" as const, body: "only a body" };
    expect((await refusal(inbox.call("threads.update", silent))).code).toBe("invalid_input");
    const payload = { question: "which?" };
    const { message } = await inbox.call("threads.update", {
      ...silent,
      summary: "Need a decision",
      payload,
    });
    expect(message).toMatchObject({ kind: "question", fromAgent: "w", toAgent: "lead", payload });
    const progress = await inbox.call("threads.update", { agent: "w", thread, status: "in_progress" });
    expect(progress.message).toMatchObject({ kind: "progress", toAgent: "lead" });
    expect(
      (await refusal(inbox.call("threads.update", { agent: "w", thread, status: "done" as never }))).code,
    ).toBe("invalid_input");
  });

  test("[T7] done records a result to the creator, releases the lease and ends the thread", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await bring(inbox, "in_progress");
    const input = { agent: "w", thread, summary: "works", body: "all of it", payload: { tests: 3 } };
    const { message } = await inbox.call("threads.done", input);
    expect(message).toMatchObject({
      kind: "result",
      toAgent: "lead",
      body: "all of it",
      payload: { tests: 3 },
    });
    const shown = await inbox.call("threads.show", { thread });
    expect(shown.thread.status).toBe("done");
    expect(shown.lease).toBeNull();
  });

  test("[T7] fail says success: false", async () => {
    await using bench = await start();
    await bring(bench.inbox, "claimed");
    const { message } = await bench.inbox.call("threads.fail", {
      agent: "w",
      thread,
      payload: { success: true, tried: 2 },
    });
    expect(message).toMatchObject({ kind: "result", toAgent: "lead", payload: { success: false, tried: 2 } });
  });

  test("[T7] the same ending again changes nothing; another one is invalid_state", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await bring(inbox, "claimed");
    const artifacts = [{ path: "/tmp/report.md", metadata: { pages: 2 } }];
    const input = { agent: "w", thread, summary: "works", body: "text", payload: { n: 1 }, artifacts };
    const first = await inbox.call("threads.done", input);
    const before = await inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
    const again = await inbox.call("threads.done", input);
    expect(again).toEqual({ thread: first.thread, message: first.message, already: true });
    expect(await inbox.call("events.watch", { afterEvent: 0, limit: 1000 })).toEqual(before);
    for (const other of [
      { summary: "else" },
      { body: "else" },
      { payload: {} },
      { artifacts: [] },
      { agent: "x" },
    ])
      expect((await refusal(inbox.call("threads.done", { ...input, ...other }))).code).toBe("invalid_state");
    expect((await refusal(inbox.call("threads.fail", input))).code).toBe("invalid_state");
  });

  test("[T7] the same failing again changes nothing either", async () => {
    await using bench = await start();
    await bring(bench.inbox, "claimed");
    const input = { agent: "w", thread, summary: "no" };
    await bench.inbox.call("threads.fail", input);
    expect((await bench.inbox.call("threads.fail", input)).already).toBe(true);
  });

  test("[T8] anyone may cancel; the holder gets a control message with the reason, and the lease is gone", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await bring(inbox, "in_progress");
    const waiting = bench.another().call("threads.waitReply", { agent: "w", thread });
    await inbox.call("threads.cancel", { agent: "stranger", thread, reason: "no longer needed" });
    const { message } = await waiting;
    expect(message).toMatchObject({
      kind: "control",
      fromAgent: "stranger",
      toAgent: "w",
      body: "no longer needed",
    });
    expect(message?.payload).toEqual({ cancelled: true, reason: "no longer needed" });
    expect((await inbox.call("threads.show", { thread })).lease).toBeNull();
  });

  test("[T8.4] the result of a holder whose thread was cancelled is kept, marked as late; one that cancelled itself is refused", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await bring(inbox, "in_progress");
    await inbox.call("threads.cancel", { agent: "lead", thread });
    for (const command of ["threads.renew", "threads.update", "threads.release"] as const)
      await expect(inbox.call(command, { agent: "w", thread } as never)).rejects.toMatchObject({
        code: "lease_lost",
      });
    const done = { agent: "w", thread, summary: "Parsed" };
    await expect(inbox.call("threads.done", done)).rejects.toMatchObject({
      code: "lease_lost",
      details: { status: "cancelled", kept_as: expect.any(String) },
    });
    const { thread: after, messages } = await inbox.call("threads.show", { thread });
    expect(after.status).toBe("cancelled");
    expect(messages.at(-1)).toMatchObject({ summary: "Parsed", payload: { late: true, command: "done" } });

    const own = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    const held = { agent: "w", thread: own.thread.threadId };
    await inbox.call("threads.claim", held);
    await inbox.call("threads.cancel", held);
    await expect(inbox.call("threads.done", held)).rejects.toMatchObject({ code: "invalid_state" });
  });

  test("[T8.2] the creator of a thread hears that somebody else has cancelled it, and who cancels it hears nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await bring(inbox, "in_progress");
    await inbox.call("mailbox.receive", { agent: "lead", max: 100, timeoutSeconds: 0 });
    const waiting = bench.another().call("mailbox.receive", { agent: "lead" });
    await inbox.call("threads.cancel", { agent: "w", thread, reason: "cannot be done" });
    const { messages } = await waiting;
    expect(messages).toMatchObject([
      { senderId: "w", kind: "control", message: "cannot be done", threadId: thread },
    ]);
    expect((await inbox.call("mailbox.list", { agent: "w" })).messages).toEqual([]);

    const other = await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
    await inbox.call("threads.cancel", { agent: "stranger", thread: other.thread.threadId });
    for (const agent of ["lead", "w"])
      expect((await inbox.call("mailbox.receive", { agent, timeoutSeconds: 0 })).messages).toMatchObject([
        { senderId: "stranger", kind: "control" },
      ]);
  });
});
