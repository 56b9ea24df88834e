import { describe, expect, test } from "bun:test";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const subjects = (answer: { threads: { subject: string }[] }) =>
  answer.threads.map((thread) => thread.subject);
const give = (inbox: Inbox, to: string, subject: string, priority?: "low" | "normal" | "high") =>
  inbox.call("threads.send", { from: "lead", to, subject, priority });

describe.each(engines)("$name", ({ start }) => {
  test("[T4] fetch lists threads that are assigned to the agent, by priority and then by age", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "w", "low", "low");
    await give(inbox, "w", "normal 1");
    await give(inbox, "w", "high", "high");
    await give(inbox, "w", "normal 2");
    await give(inbox, "other", "not mine", "high");
    expect(subjects(await inbox.call("threads.fetch", { agent: "w" }))).toEqual([
      "high",
      "normal 1",
      "normal 2",
      "low",
    ]);
    expect(subjects(await inbox.call("threads.fetch", { agent: "w", limit: 2 }))).toEqual([
      "high",
      "normal 1",
    ]);
    expect(subjects(await inbox.call("threads.fetch", { agent: "nobody" }))).toEqual([]);
  });

  test("[T4] fetch shows pending and blocked threads by default, other states on request, and marks claimable ones", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const subject of ["pending", "claimed", "blocked", "done"]) await give(inbox, "w", subject);
    for (const thread of ["thr_2", "thr_3", "thr_4"])
      await inbox.call("threads.claim", { agent: "w", thread });
    await inbox.call("threads.update", { agent: "w", thread: "thr_3", status: "blocked", summary: "?" });
    await inbox.call("threads.done", { agent: "w", thread: "thr_4" });
    const usual = await inbox.call("threads.fetch", { agent: "w" });
    expect(usual.threads.map(({ subject, claimable }) => [subject, claimable])).toEqual([
      ["pending", true],
      ["blocked", false],
    ]);
    expect(usual.threads[1]!.lease).toMatchObject({ agentId: "w", attempt: 1, lapsed: false });
    expect(usual.threads[0]!.lease).toBeNull();
    const asked = await inbox.call("threads.fetch", { agent: "w", status: ["claimed", "done"] });
    expect(subjects(asked)).toEqual(["claimed", "done"]);
    expect(asked.threads.every(({ claimable }) => !claimable)).toBe(true);
  });

  test("[T4] a thread whose lease has run out is listed whatever its status, as claimable", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    await give(inbox, "w", "lapsing");
    await inbox.call("threads.claim", { agent: "w", thread: "thr_1", leaseSeconds: 10 });
    await inbox.call("threads.update", { agent: "w", thread: "thr_1" });
    expect(subjects(await inbox.call("threads.fetch", { agent: "w" }))).toEqual([]);
    bench.pass(11);
    const { threads } = await inbox.call("threads.fetch", { agent: "w", status: ["pending"] });
    expect(threads).toHaveLength(1);
    expect(threads[0]).toMatchObject({ status: "in_progress", claimable: true, lease: { lapsed: true } });
  });

  test("[T4] fetch never mutates: no row of any table changes, no event is appended", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "w", "s");
    await inbox.call("threads.claim", { agent: "w", thread: "thr_1", leaseSeconds: 1 });
    bench.pass(2);
    const before = await inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
    const shown = await inbox.call("threads.show", { thread: "thr_1" });
    await inbox.call("threads.fetch", { agent: "w", unread: true });
    await inbox.call("threads.fetch", { agent: "stranger" });
    expect(await inbox.call("events.watch", { afterEvent: 0, limit: 1000 })).toEqual(before);
    expect(await inbox.call("threads.show", { thread: "thr_1" })).toEqual(shown);
    expect((await inbox.call("agents.list", {})).agents.map(({ name }) => name)).toEqual(["lead", "w"]);
  });

  test("[T5] unread: a message by someone else after the read cursor; show --mark-read moves the cursor", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "w", "a");
    await give(inbox, "w", "b");
    const unread = async () => subjects(await inbox.call("threads.fetch", { agent: "w", unread: true }));
    expect(await unread()).toEqual(["a", "b"]);
    await inbox.call("threads.show", { thread: "thr_1" });
    expect(await unread()).toEqual(["a", "b"]);
    await inbox.call("threads.show", { thread: "thr_1", agent: "w", markRead: true });
    expect(await unread()).toEqual(["b"]);
    await inbox.call("threads.send", {
      from: "w",
      to: "lead",
      thread: "thr_1",
      summary: "my own words are not news",
    });
    expect(await unread()).toEqual(["b"]);
    await inbox.call("threads.reply", {
      from: "auditor",
      to: "lead",
      thread: "thr_1",
      summary: "to another, but new",
    });
    expect(await unread()).toEqual(["a", "b"]);
  });

  test("[T5] a matched wait-reply advances the cursor", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "w", "a");
    await inbox.call("threads.claim", { agent: "w", thread: "thr_1" });
    await inbox.call("threads.update", { agent: "w", thread: "thr_1", status: "blocked", summary: "?" });
    await inbox.call("threads.reply", { from: "lead", thread: "thr_1", summary: "!" });
    const unread = async () => subjects(await inbox.call("threads.fetch", { agent: "w", unread: true }));
    expect(await unread()).toEqual(["a"]);
    await inbox.call("threads.waitReply", { agent: "w", thread: "thr_1" });
    expect(await unread()).toEqual([]);
  });

  test("[T5] the cursor never moves back", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "w", "a");
    for (const summary of ["one", "two"])
      await inbox.call("threads.reply", { from: "lead", to: "other", thread: "thr_1", summary });
    await inbox.call("threads.show", { thread: "thr_1", agent: "w", markRead: true });
    await inbox
      .hand("threads.waitReply", { agent: "w", thread: "thr_1", kinds: ["task"], afterEvent: 0 })
      .then((old) => old.confirm?.());
    expect((await inbox.call("threads.fetch", { agent: "w", unread: true })).threads).toEqual([]);
  });

  test("[T12] a pool's work is fetched and claimed by its members, but not by an agent that has left", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await give(inbox, "backend", "pool work");
    const joined = await inbox.call("pools.join", { agent: "w1", pool: "backend" });
    expect(joined).toEqual({ pool: "backend", members: ["w1"], changed: true });
    expect((await inbox.call("pools.join", { agent: "w1", pool: "backend" })).changed).toBe(false);
    await inbox.call("pools.join", { agent: "w2", pool: "backend" });
    expect(subjects(await inbox.call("threads.fetch", { agent: "w1" }))).toEqual(["pool work"]);
    const left = await inbox.call("pools.leave", { agent: "w1", pool: "backend" });
    expect(left).toEqual({ pool: "backend", members: ["w2"], changed: true });
    expect((await inbox.call("threads.claim", { agent: "w1" })).thread).toBeNull();
    const { thread } = await inbox.call("threads.claim", { agent: "w2" });
    expect(thread).toMatchObject({ subject: "pool work", assignedTo: "w2" });
  });

  test("[T12] a dead member's pool work goes to another member, and a released one back to the pool", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    for (const agent of ["w1", "w2"]) await inbox.call("pools.join", { agent, pool: "backend" });
    await give(inbox, "backend", "s");
    await inbox.call("threads.claim", { agent: "w1", leaseSeconds: 5 });
    expect((await inbox.call("threads.claim", { agent: "w2" })).thread).toBeNull();
    bench.pass(6);
    const taken = await inbox.call("threads.claim", { agent: "w2" });
    expect(taken.lease?.attempt).toBe(2);
    const { thread } = await inbox.call("threads.release", { agent: "w2", thread: "thr_1" });
    expect(thread).toMatchObject({ status: "pending", assignedTo: "backend" });
    expect((await inbox.call("threads.claim", { agent: "w1" })).thread?.assignedTo).toBe("w1");
  });

  test("[T12] pools are listed, also empty ones, and can be removed; what waits for one is counted and stays", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const agent of ["w2", "w1"]) await inbox.call("pools.join", { agent, pool: "b" });
    await inbox.call("pools.join", { agent: "w1", pool: "a" });
    await inbox.call("pools.leave", { agent: "w1", pool: "a" });
    await inbox.call("threads.send", { from: "lead", to: "b", subject: "s" });
    const pools = async () =>
      (await inbox.call("pools.list", {})).pools.map(({ pool, members, pending }) => [
        pool,
        members,
        pending,
      ]);
    expect(await pools()).toEqual([
      ["a", [], 0],
      ["b", ["w1", "w2"], 1],
    ]);
    const { nextEventId } = await inbox.call("threads.list", {});
    expect(await inbox.call("pools.remove", { agent: "lead", pool: "b" })).toEqual({
      pool: "b",
      members: ["w1", "w2"],
      pending: 1,
    });
    expect(await pools()).toEqual([["a", [], 0]]);
    const { events } = await inbox.call("events.watch", { afterEvent: nextEventId });
    expect(events).toMatchObject([
      { eventType: "pool.removed", source: "lead", payload: { pool: "b", members: ["w1", "w2"] } },
    ]);
    expect((await inbox.call("threads.fetch", { agent: "w1" })).threads).toEqual([]);
    await inbox.call("threads.reassign", { agent: "lead", thread: "thr_1", to: "w1" });
    expect((await inbox.call("threads.fetch", { agent: "w1" })).threads).toHaveLength(1);
    expect((await refusal(inbox.call("pools.remove", { agent: "lead", pool: "b" }))).code).toBe("not_found");
  });

  test("[T12.7] a claim by id says to whom the thread was sent, if it reaches neither the caller nor a pool of the caller", async () => {
    await using bench = await start();
    const { inbox } = bench;
    await inbox.call("pools.join", { agent: "w", pool: "p" });
    for (const to of ["ada", "w", "p"]) await give(inbox, to, to);
    const claim = (agent: string, thread: string) => inbox.call("threads.claim", { agent, thread });
    expect((await claim("w", "thr_1")).sentTo).toBe("ada");
    for (const thread of ["thr_1", "thr_2", "thr_3"])
      expect(await claim("w", thread)).not.toHaveProperty("sentTo");
    for (const thread of ["thr_1", "thr_3"]) await inbox.call("threads.release", { agent: "w", thread });
    expect((await claim("bob", "thr_3")).sentTo).toBe("p");
    expect(await claim("ada", "thr_1")).not.toHaveProperty("sentTo");
    bench.pass(901);
    expect((await claim("bob", "thr_1")).sentTo).toBe("ada");
  });

  test("[T12] an agent may hold several leases, and claim by id a thread that is assigned to another", async () => {
    await using bench = await start();
    const { inbox } = bench;
    for (const to of ["w", "w", "other"]) await give(inbox, to, to);
    for (const thread of ["thr_1", "thr_2", "thr_3"])
      await inbox.call("threads.claim", { agent: "w", thread });
    expect((await inbox.call("threads.show", { thread: "thr_3" })).thread.assignedTo).toBe("w");
    expect((await inbox.call("agents.list", {})).agents.find(({ name }) => name === "w")?.leases).toBe(3);
  });
});
