import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const thread = "thr_1";
const give = (inbox: Inbox, maxAttempts?: number) =>
  inbox.call("threads.send", { from: "lead", to: "w", subject: "s", maxAttempts });

/** It looks like a token, and no claim ever answered with it. */
const invented = "0123456789abcdef01234567";

const asks = { agent: "w", status: "blocked", summary: "Email, or a name?" } as const;

/** Until the lease was renewed so many times. */
async function renewed(inbox: Inbox, times: number): Promise<void> {
  let afterEvent = 0;
  for (let found = 0; found < times; ) {
    const { events, nextEventId } = await inbox.call("events.watch", {
      thread,
      afterEvent,
      limit: 1000,
      timeoutSeconds: 60,
    });
    found += events.filter(({ eventType }) => eventType === "lease.renewed").length;
    if (!events.length) throw new Error(`the lease was renewed ${found} times, not ${times}`);
    afterEvent = nextEventId;
  }
}

describe.each(engines)("$name", ({ start }) => {
  test("[L1] of concurrent claims exactly one wins; the others are told the holder and the expiry time", async () => {
    await using bench = await start();
    await give(bench.inbox);
    const claimers = Array.from({ length: 8 }, () => bench.another());
    const settled = await Promise.allSettled(
      claimers.map((inbox, i) => inbox.call("threads.claim", { agent: `w${i}`, thread })),
    );
    const won = settled.filter((result) => result.status === "fulfilled");
    expect(won).toHaveLength(1);
    const { thread: claimed, lease } = won[0]!.value;
    for (const result of settled) {
      if (result.status === "fulfilled") continue;
      expect(result.reason.code).toBe("lease_conflict");
      expect(result.reason.message).toContain(claimed!.assignedTo);
      expect(result.reason.message).toContain(lease!.expiresAt);
      expect(result.reason.details).toMatchObject({
        holder: claimed!.assignedTo,
        expires_at: lease!.expiresAt,
      });
    }
  });

  test("[L1] the default lease is 900 seconds, and only the claim's own answer has the token", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    const { lease, thread: after } = await inbox.call("threads.claim", { agent: "w", thread });
    expect(Object.keys(lease!)).toEqual(["token", "expiresAt", "attempt"]);
    expect(Date.parse(lease!.expiresAt) - Date.parse(after!.updatedAt)).toBe(900_000);
    const elsewhere = [
      await inbox.call("threads.show", { thread }),
      await inbox.call("threads.fetch", { agent: "w", status: ["claimed"] }),
      await inbox.call("threads.renew", { agent: "w", thread }),
      await inbox.call("threads.update", { agent: "w", thread }),
      await inbox.call("events.watch", { afterEvent: 0, limit: 1000 }),
      await inbox.call("threads.list", {}),
    ];
    expect(JSON.stringify(elsewhere)).not.toContain(lease!.token);
  });

  test("[L1] a lease lasts from one second to seven days; anything else is refused", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    for (const leaseSeconds of [0, -1, 1.5, 604_801, Number.NaN, Number.POSITIVE_INFINITY, 1e300])
      expect((await refusal(inbox.call("threads.claim", { agent: "w", thread, leaseSeconds }))).code).toBe(
        "invalid_input",
      );
    for (const leaseSeconds of [1, 604_800])
      await inbox.call("threads.claim", { agent: "w", thread, leaseSeconds });
  });

  test("[L2] a bare claim takes the best candidate in one step, and reports if there is none", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.send", { from: "lead", to: "w", subject: "urgent", priority: "high" });
    expect((await inbox.call("threads.claim", { agent: "w" })).thread?.subject).toBe("urgent");
    expect((await inbox.call("threads.claim", { agent: "w" })).thread?.subject).toBe("s");
    expect(await inbox.call("threads.claim", { agent: "w" })).toMatchObject({
      thread: null,
      lease: null,
      messages: [],
    });
  });

  test("[L2] racing bare claims each get another thread", async () => {
    await using bench = await start();
    for (let i = 0; i < 10; i++) await give(bench.inbox);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => bench.another().call("threads.claim", { agent: "w" })),
    );
    const ids = answers.flatMap((answer) => (answer.thread ? [answer.thread.threadId] : []));
    expect(new Set(ids).size).toBe(10);
    expect(ids).toHaveLength(10);
  });

  test("[L2] claim --wait blocks until there is work, and gives up at its timeout", async () => {
    await using bench = await start();
    const { inbox } = bench;
    expect(await inbox.call("threads.claim", { agent: "w", wait: true, timeoutSeconds: 0 })).toMatchObject({
      woke: false,
      nextEventId: 0,
      thread: null,
    });
    const waiting = bench.another().call("threads.claim", { agent: "w", wait: true });
    await give(inbox);
    expect(await waiting).toMatchObject({ woke: true, thread: { threadId: thread, status: "claimed" } });
  });

  test("[L2] claim --wait wakes when a lease lapses, although nothing is written then", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("pools.join", { agent: "w2", pool: "w" });
    await give(inbox);
    await inbox.call("threads.claim", { agent: "w1", thread, leaseSeconds: 1 });
    const { lease, thread: taken } = await bench.another().call("threads.claim", { agent: "w2", wait: true });
    expect(lease?.attempt).toBe(2);
    expect(taken?.assignedTo).toBe("w2");
  });

  test("[L3] a lapsed lease changes nothing: until another agent claims, the holder may renew, update and finish", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const act of ["renew", "update", "done"] as const) {
      const { thread: made } = await give(inbox);
      await inbox.call("threads.claim", { agent: "w", thread: made.threadId, leaseSeconds: 1 });
      bench.pass(5);
      await inbox.call(`threads.${act}`, { agent: "w", thread: made.threadId });
    }
  });

  test("[L3] a take-over bumps the attempt and issues a new token", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    const first = await inbox.call("threads.claim", { agent: "a", thread, leaseSeconds: 1 });
    await inbox.call("threads.update", { agent: "a", thread });
    bench.pass(2);
    const second = await inbox.call("threads.claim", { agent: "b", thread });
    expect(second.lease!.attempt).toBe(2);
    expect(second.lease!.token).not.toBe(first.lease!.token);
    expect(second.thread).toMatchObject({ status: "claimed", assignedTo: "b" });
  });

  test("[L4] after a take-over everything the old holder tries is lease_lost", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.claim", { agent: "a", thread, leaseSeconds: 1 });
    bench.pass(2);
    await inbox.call("threads.claim", { agent: "b", thread });
    for (const act of ["renew", "update", "done", "fail", "release"] as const) {
      const error = await refusal(inbox.call(`threads.${act}`, { agent: "a", thread }));
      expect(error.code).toBe("lease_lost");
      expect(error.message).toContain('"b" holds it now');
    }
    expect((await inbox.call("threads.show", { thread })).thread).toMatchObject({
      status: "claimed",
      assignedTo: "b",
    });
  });

  test("[L4] a late result is kept in the thread, marked, once, and the answer reports it", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.claim", { agent: "a", thread, leaseSeconds: 1 });
    bench.pass(2);
    await inbox.call("threads.claim", { agent: "b", thread });
    const late = { agent: "a", thread, summary: "my result", payload: { n: 1 } };
    const error = await refusal(inbox.call("threads.done", late));
    const again = await refusal(inbox.call("threads.done", late));
    const { messages, thread: after } = await inbox.call("threads.show", { thread });
    expect(after.status).toBe("claimed");
    expect(messages.filter(({ kind }) => kind === "event")).toHaveLength(1);
    const kept = messages.at(-1)!;
    expect(kept).toMatchObject({
      kind: "event",
      fromAgent: "a",
      toAgent: "lead",
      payload: { n: 1, late: true },
    });
    for (const refused of [error, again]) expect(refused.details).toMatchObject({ kept_as: kept.messageId });
    await inbox.call("threads.done", { agent: "b", thread, summary: "the result" });
    expect((await refusal(inbox.call("threads.fail", { ...late, summary: "even later" }))).code).toBe(
      "lease_lost",
    );
    expect((await inbox.call("threads.show", { thread })).thread.status).toBe("done");
  });

  test("[L5] the holder may claim again: a new token, and the attempt grows only if the lease had run out", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await give(inbox);
    const first = await inbox.call("threads.claim", { agent: "w", thread, leaseSeconds: 10 });
    await inbox.call("threads.update", { agent: "w", thread, status: "blocked", summary: "?" });
    const again = await inbox.call("threads.claim", { agent: "w", thread, leaseSeconds: 10 });
    expect(again.lease!.attempt).toBe(1);
    expect(again.lease!.token).not.toBe(first.lease!.token);
    expect(again.thread!.status).toBe("blocked");
    bench.pass(11);
    const late = await inbox.call("threads.claim", { agent: "w", thread });
    expect(late.lease!.attempt).toBe(2);
    expect(late.thread!.status).toBe("claimed");
  });

  test("[L5] a lease token makes every holder's command exact", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    const old = await inbox.call("threads.claim", { agent: "w", thread });
    const current = await inbox.call("threads.claim", { agent: "w", thread });
    for (const act of ["renew", "update", "done", "fail", "release", "claim"] as const) {
      const error = await refusal(
        inbox.call(`threads.${act}`, { agent: "w", thread, leaseToken: old.lease!.token }),
      );
      expect(error.code).toBe("lease_lost");
    }
    await inbox.call("threads.renew", { agent: "w", thread, leaseToken: current.lease!.token });
  });

  const ofHolder = ["renew", "update", "done", "fail", "release", "claim"] as const;

  test("[L5] a token that was never given to the caller is a conflict: nothing is mailed, and no attempt is used", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, 2);
    const tried = async (agent: string, leaseToken: string) => {
      for (const act of ofHolder) {
        const error = await refusal(inbox.call(`threads.${act}`, { agent, thread, leaseToken }));
        expect([act, error.code]).toEqual([act, "lease_conflict"]);
        expect(error.message).toContain(`never given to "${agent}"`);
      }
    };
    const { lease } = await inbox.call("threads.claim", { agent: "w", thread, leaseSeconds: 10 });
    await tried("w", invented);
    await tried("v", invented);
    await tried("v", lease!.token);
    // Nor where the lease has run out, or was lost before: it is not taken over by a guess.
    bench.pass(11);
    await tried("v", invented);
    await inbox.call("threads.claim", { agent: "v", thread });
    await tried("w", invented);
    const { messages, lease: now } = await inbox.call("threads.show", { thread });
    expect(now).toMatchObject({ agentId: "v", attempt: 2 });
    expect(messages).toHaveLength(1);
  });

  test("[L5] on a thread without a holder an invented token is told the thread's status, and claims nothing", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    const tried = (act: (typeof ofHolder)[number]) =>
      refusal(inbox.call(`threads.${act}`, { agent: "w", thread, leaseToken: invented }));
    expect((await tried("claim")).code).toBe("lease_conflict");
    expect((await tried("done")).code).toBe("invalid_state");
    const { thread: after } = await inbox.call("threads.show", { thread });
    expect(after.status).toBe("pending");
    expect((await refusal(inbox.call("threads.claim", { agent: "w", leaseToken: invented }))).code).toBe(
      "invalid_input",
    );
  });

  test("[L5] text that is not a token is invalid input", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.claim", { agent: "w", thread });
    for (const leaseToken of ["", "x", invented.toUpperCase(), `${invented}0`, "lease_1"])
      for (const act of ofHolder) {
        const error = await refusal(inbox.call(`threads.${act}`, { agent: "w", thread, leaseToken }));
        expect([leaseToken, act, error.code]).toEqual([leaseToken, act, "invalid_input"]);
      }
    expect((await inbox.call("threads.show", { thread })).messages).toHaveLength(1);
  });

  test("[L4] a superseded token stays so, however often its holder has claimed since", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    const claim = async () => (await inbox.call("threads.claim", { agent: "w", thread })).lease!.token;
    const tokens = [await claim(), await claim(), await claim()];
    const renew = (leaseToken: string) => inbox.call("threads.renew", { agent: "w", thread, leaseToken });
    for (const old of tokens.slice(0, 2)) expect((await refusal(renew(old))).code).toBe("lease_lost");
    await inbox.call("threads.release", { agent: "w", thread, leaseToken: tokens[2] });
    // Its holder gave it back itself: that is no loss, and no late result.
    expect((await refusal(inbox.call("threads.done", { agent: "w", thread }))).code).toBe("invalid_state");
    expect((await refusal(renew(tokens[2]!))).code).toBe("invalid_state");
    expect((await refusal(renew(tokens[0]!))).code).toBe("lease_lost");
  });

  test("[L6] renew extends from now and keeps the status", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.claim", { agent: "w", thread, leaseSeconds: 100 });
    await inbox.call("threads.update", { agent: "w", thread, status: "blocked", summary: "?" });
    bench.pass(50);
    const { thread: after, lease } = await inbox.call("threads.renew", {
      agent: "w",
      thread,
      leaseSeconds: 30,
    });
    expect(after.status).toBe("blocked");
    expect(lease.lapsed).toBe(false);
    bench.pass(31);
    expect((await inbox.call("threads.show", { thread })).lease?.lapsed).toBe(true);
  });

  test("[L6] only the holder renews and releases; without a lease it is invalid_state", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    for (const act of ["renew", "release"] as const)
      expect((await refusal(inbox.call(`threads.${act}`, { agent: "w", thread }))).code).toBe(
        "invalid_state",
      );
    await inbox.call("threads.claim", { agent: "w", thread });
    for (const act of ["renew", "release"] as const)
      expect((await refusal(inbox.call(`threads.${act}`, { agent: "x", thread }))).code).toBe(
        "lease_conflict",
      );
    const { thread: after } = await inbox.call("threads.release", { agent: "w", thread });
    expect(after).toMatchObject({ status: "pending", assignedTo: "w" });
    expect((await inbox.call("threads.claim", { agent: "w" })).lease?.attempt).toBe(1);
  });

  test("[L7] the claim that would be one attempt too many fails the thread and tells its creator", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, 2);
    for (const agent of ["a", "b"]) {
      await inbox.call("threads.claim", { agent, thread, leaseSeconds: 1 });
      bench.pass(2);
    }
    const error = await refusal(inbox.call("threads.claim", { agent: "c", thread }));
    expect(error.code).toBe("invalid_state");
    expect(error.details).toMatchObject({ reason: "attempts_exhausted" });
    const { thread: after, messages, lease } = await inbox.call("threads.show", { thread });
    expect(after.status).toBe("failed");
    expect(lease).toBeNull();
    expect(messages.at(-1)).toMatchObject({
      kind: "result",
      toAgent: "lead",
      payload: { success: false, reason: "attempts_exhausted" },
    });
    // The last holder comes back too late: fenced, and its result is kept.
    const late = await refusal(inbox.call("threads.done", { agent: "b", thread, summary: "but I did it" }));
    expect(late.code).toBe("lease_lost");
    expect((await inbox.call("threads.show", { thread })).messages.at(-1)).toMatchObject({
      payload: { late: true },
    });
  });

  test("[L7] by default the fifth take-over fails the thread; a bare claim takes the next candidate", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { lease } = await inbox.call("threads.claim", { agent: `w${attempt}`, thread, leaseSeconds: 1 });
      expect(lease!.attempt).toBe(attempt);
      bench.pass(2);
    }
    await give(inbox);
    const { thread: claimed } = await inbox.call("threads.claim", { agent: "w" });
    expect(claimed?.threadId).toBe("thr_2");
    expect((await inbox.call("threads.show", { thread })).thread.status).toBe("failed");
  });

  test("[L8] time is the engine's: no input contains one, and only the engine's clock ends a lease", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    bench.freeze();
    await inbox.call("threads.claim", { agent: "a", thread, leaseSeconds: 3600 });
    expect((await refusal(inbox.call("threads.claim", { agent: "b", thread }))).code).toBe("lease_conflict");
    bench.pass(3599);
    expect((await refusal(inbox.call("threads.claim", { agent: "b", thread }))).code).toBe("lease_conflict");
    bench.pass(1);
    expect((await inbox.call("threads.claim", { agent: "b", thread })).lease!.attempt).toBe(2);
    for (const field of ["now", "expiresAt", "claimedAt", "createdAt"])
      expect(
        (
          await refusal(
            inbox.call("threads.claim", { agent: "a", thread, [field]: "2000-01-01T00:00:00.000Z" } as never),
          )
        ).code,
      ).toBe("invalid_input");
  });

  test("[L10] release by force takes a thread from its holder, which is fenced and told", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.claim", { agent: "v", thread });
    const waits = bench.another().call("threads.waitReply", { agent: "v", thread, timeoutSeconds: 30 });
    const force = { agent: "lead", thread, force: true, reason: "no answer" };
    const { thread: after, message } = await inbox.call("threads.release", force);
    expect(after).toMatchObject({ status: "pending", assignedTo: "w" });
    expect(message).toMatchObject({ kind: "control", fromAgent: "lead", toAgent: "v", body: "no answer" });
    expect((await waits).message?.messageId).toBe(message!.messageId);
    const late = await refusal(inbox.call("threads.done", { agent: "v", thread, summary: "mine" }));
    expect(late).toMatchObject({ code: "lease_lost", details: { kept_as: expect.any(String) } });
    const { events } = await inbox.call("events.watch", { thread, afterEvent: 0, limit: 1000 });
    expect(events.find(({ eventType }) => eventType === "thread.released")).toMatchObject({
      source: "lead",
      status: "pending",
      messageId: message!.messageId,
      payload: { attempt: 1, taken_from: "v", reason: "no answer" },
    });
    // Nobody has it now; it is claimed as the first time.
    expect((await refusal(inbox.call("threads.release", force))).code).toBe("invalid_state");
    expect((await inbox.call("threads.claim", { agent: "w" })).lease?.attempt).toBe(1);
    for (const wrong of [{ reason: "why" }, { force: true, leaseToken: invented }])
      expect((await refusal(inbox.call("threads.release", { agent: "w", thread, ...wrong }))).code).toBe(
        "invalid_input",
      );
  });

  test("[L10] reassign gives a thread to another, with mail for both, wherever it stands", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("mailbox.send", { from: "w", to: "lead", message: "here" });
    await give(inbox);
    const first = { agent: "lead", thread, to: "v", reason: "w is busy" };
    const pending = await inbox.call("threads.reassign", first);
    expect(pending).toMatchObject({ lost: "w", recipient: { name: "v", known: false } });
    expect(pending.thread).toMatchObject({ status: "pending", assignedTo: "v" });
    const mail = async (agent: string) =>
      (await inbox.call("mailbox.check", { agent })).messages.map(({ kind }) => kind);
    // What it was asked to do is no longer asked of it.
    expect(await mail("w")).toEqual(["control"]);
    expect((await inbox.call("threads.fetch", { agent: "w" })).threads).toEqual([]);
    const { lease } = await inbox.call("threads.claim", { agent: "v" });
    const held = await inbox.call("threads.reassign", { agent: "lead", thread, to: "crew" });
    expect(held).toMatchObject({ lost: "v", thread: { status: "pending", assignedTo: "crew" } });
    const gone = { agent: "v", thread, leaseToken: lease!.token };
    expect((await refusal(inbox.call("threads.renew", gone))).code).toBe("lease_lost");
    await inbox.call("pools.join", { agent: "u", pool: "crew" });
    await inbox.call("threads.claim", { agent: "u" });
    // A release gives it back to whom it was sent last.
    expect((await inbox.call("threads.release", { agent: "u", thread })).thread.assignedTo).toBe("crew");
    const { events } = await inbox.call("events.watch", { thread, afterEvent: 0, limit: 1000 });
    expect(
      events.filter(({ eventType }) => eventType === "thread.reassigned").map(({ payload }) => payload),
    ).toEqual([
      { kind: "task", to: "v", from: "w", reason: "w is busy" },
      { kind: "task", to: "crew", from: "v", reason: null },
    ]);
    expect((await refusal(inbox.call("threads.reassign", { ...first, to: "crew" }))).code).toBe(
      "invalid_state",
    );
  });

  test("[L9] a holder that waits for the answer to its question keeps its lease, and update says until when it holds", async () => {
    await using bench = await start();
    bench.freeze();
    const { inbox } = bench;
    await give(inbox);
    const claimed = await inbox.call("threads.claim", { agent: "w", thread });
    const asked = await inbox.call("threads.update", { ...asks, thread });
    expect(asked.lease).toMatchObject({ agentId: "w", expiresAt: claimed.lease!.expiresAt, lapsed: false });
    expect(JSON.stringify(asked)).not.toContain(claimed.lease!.token);
    const waits = bench.another().call("threads.waitReply", { agent: "w", thread, timeoutSeconds: 60 });
    for (let time = 1; time <= 4; time++) {
      bench.pass(400);
      // Nobody writes when a lease is due; here a word in the thread makes the waiter look at the clock.
      await inbox.call("threads.send", { from: "lead", thread, summary: "still thinking" });
      await renewed(inbox, time);
    }
    const taken = await refusal(inbox.call("threads.claim", { agent: "v", thread }));
    expect(taken.code).toBe("lease_conflict");
    await inbox.call("threads.reply", { from: "lead", thread, summary: "Email" });
    expect((await waits).message).toMatchObject({ summary: "Email" });
    await inbox.call("threads.done", { agent: "w", thread, leaseToken: claimed.lease!.token });
  });

  test("[L9] also where the wait is many short ones, for as long as the claim said", async () => {
    await using bench = await start();
    bench.freeze();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.claim", { agent: "w", thread, leaseSeconds: 90 });
    await inbox.call("threads.update", { ...asks, thread });
    const wait = (agent?: string) =>
      inbox.call("threads.waitReply", { ...(agent && { agent }), thread, timeoutSeconds: 0.01 });
    for (let time = 0; time < 4; time++) {
      bench.pass(60);
      expect((await wait("w")).woke).toBe(false);
    }
    const { lease } = await inbox.call("threads.show", { thread });
    expect(lease).toMatchObject({ agentId: "w", attempt: 1, lapsed: false });
    // Neither another's wait nor an unnamed one keeps it.
    bench.pass(60);
    await wait("lead");
    await wait();
    bench.pass(31);
    expect((await inbox.call("threads.claim", { agent: "v", thread })).lease?.attempt).toBe(2);
  });

  test("[L9] it is renewed in time though nothing happens", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox);
    await inbox.call("threads.claim", { agent: "w", thread, leaseSeconds: 1 });
    const waits = bench.another().call("threads.waitReply", { agent: "w", thread, timeoutSeconds: 60 });
    await renewed(inbox, 3);
    await inbox.call("threads.reply", { from: "lead", thread, summary: "Email" });
    expect((await waits).woke).toBe(true);
  });

  test("[L11] a claim and a fetch that find nothing name the threads that the agent holds, the first to expire first", async () => {
    await using bench = await start();
    bench.freeze();
    const { inbox } = bench;
    for (const leaseSeconds of [300, 100, 200]) {
      await give(inbox);
      await inbox.call("threads.claim", { agent: "w", leaseSeconds });
    }
    await give(inbox);
    await inbox.call("threads.claim", { agent: "other", thread: "thr_4" });
    await inbox.call("threads.update", { agent: "w", thread: "thr_3" });
    const held = [
      { threadId: "thr_2", subject: "s", status: "claimed", expiresAt: expect.any(String) },
      { threadId: "thr_3", subject: "s", status: "in_progress", expiresAt: expect.any(String) },
      { threadId: "thr_1", subject: "s", status: "claimed", expiresAt: expect.any(String) },
    ] as never;
    const none = await inbox.call("threads.claim", { agent: "w" });
    expect([none.thread, none.held]).toEqual([null, held]);
    const { lease } = await inbox.call("threads.show", { thread: "thr_2" });
    expect(none.held![0]!.expiresAt).toBe(lease!.expiresAt);
    expect((await inbox.call("threads.fetch", { agent: "w" })).held).toEqual(held);
    const waited = await inbox.call("threads.claim", { agent: "w", wait: true, timeoutSeconds: 0.01 });
    expect([waited.woke, waited.held]).toEqual([false, held]);
    // What is no longer held is not named, and who holds nothing is told nothing.
    await inbox.call("threads.done", { agent: "w", thread: "thr_2" });
    await inbox.call("threads.release", { agent: "w", thread: "thr_1" });
    const next = await inbox.call("threads.claim", { agent: "w" });
    expect([next.thread?.threadId, next.held]).toEqual(["thr_1", undefined]);
    expect(await inbox.call("threads.fetch", { agent: "nobody" })).not.toHaveProperty("held");
    expect(await inbox.call("threads.claim", { agent: "nobody" })).not.toHaveProperty("held");
  });

  test("[L11] at most 20 held threads are named", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (let n = 0; n < 22; n++) await give(inbox);
    for (let n = 0; n < 22; n++) await inbox.call("threads.claim", { agent: "w" });
    expect((await inbox.call("threads.claim", { agent: "w" })).held).toHaveLength(20);
  });
});
