/** The state of a whole bus, on every engine. */
import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { stats as schema } from "../../src/contract/stats.ts";
import { engines } from "../support/engines.ts";

describe.each(engines)("$name", ({ start }) => {
  test("[S3.4] the engine tells which version of the schema the database has", async () => {
    await using bench = await start();
    expect(bench.engine.knownSchema).toBeGreaterThan(20);
    expect(await bench.engine.storedSchema()).toBe(bench.engine.knownSchema);
  });

  test("[O1.5] if a limit may delete threads of the hours that are counted, stats says so", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    for (const thread of ["thr_1", "thr_2"]) {
      await inbox.call("threads.send", { from: "lead", to: "ada", subject: "s" });
      await inbox.call("threads.claim", { agent: "ada", thread });
      await inbox.call("threads.done", { agent: "ada", thread, summary: "x" });
    }
    await inbox.call("mailbox.check", { agent: "lead" });
    const set = (limits: { days?: number | "none"; count?: number | "none" }) =>
      inbox.call("retention.set", { kind: "threads", agent: "boss", ...limits });
    const told = async () => {
      const { hours, hoursReduced } = await inbox.call("stats.show", {});
      return [hours.reduce((sum, { done }) => sum + done, 0), hoursReduced];
    };
    await set({ days: 30 });
    expect(await told()).toEqual([2, undefined]);
    await set({ count: 1 });
    await inbox.call("retention.apply", {});
    expect(await told()).toEqual([1, true]);
    await set({ count: "none", days: 0.25 });
    expect(await told()).toEqual([1, true]);
    await set({ days: 0.5 });
    expect(await told()).toEqual([1, undefined]);
  });

  test("[O1] stats counts open and waiting things, and lists what needs attention", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze(); // no lease lapses, and nothing is older than a minute
    const empty = await inbox.call("stats.show", {});
    expect(v.safeParse(schema(), empty).issues).toBeUndefined();
    expect(empty).toMatchObject({
      threads: { pending: 0, claimed: 0, inProgress: 0, blocked: 0 },
      mail: { waiting: 0, oldest: null },
      ...{ queues: [], leases: [], subAgents: [], deadLetters: 0, unreadEntries: 0 },
    });
    for (const to of ["ada", "ada", "bob", "pool"])
      await inbox.call("threads.send", { from: "lead", to, subject: `for ${to}` });
    await inbox.call("threads.claim", { agent: "ada", leaseSeconds: 30 });
    await inbox.call("threads.claim", { agent: "bob", leaseSeconds: 10 });
    await inbox.call("threads.update", { agent: "bob", thread: "thr_3", status: "blocked", summary: "?" });
    await inbox.call("mailbox.send", { from: "lead", to: "user", message: "look" });
    // A topic's messages wait for nobody in particular.
    await inbox.call("messages.send", { channel: "builds", content: "x", sender: "lead" });
    await inbox.call("tasks.push", { agent: "lead", name: "later", prompt: "x", worker: "ada" });
    const shown = await inbox.call("stats.show", {});
    expect(v.safeParse(schema(), shown).issues).toBeUndefined();
    expect(shown.threads).toEqual({ pending: 2, claimed: 1, inProgress: 0, blocked: 1 });
    expect(shown.tasks).toEqual({ queued: 1, waiting: 0, running: 0 });
    expect(shown.unreadEntries).toBe(1);
    expect(shown.rates).toMatchObject({ sent: 7, claimed: 2, ended: 0, tasksFinished: 0 });
    expect(shown.leases.map(({ threadId, agent, lapsed }) => [threadId, agent, lapsed])).toEqual([
      ["thr_3", "bob", false],
      ["thr_1", "ada", false],
    ]);
    expect(shown.queues.map(({ name, mail, pending }) => [name, mail, pending])).toEqual([
      ["ada", 1, 1],
      ["lead", 1, 0],
      ["pool", 0, 1],
    ]);
    expect(shown.mail).toMatchObject({ waiting: 2, oldest: { id: 2, agent: "ada" } });
    expect(shown.unused.map(({ name }) => name)).toEqual(["pool", "builds"]);
    expect(shown.mail.unused).toEqual({ names: 2, waiting: 2 });
    expect(shown.queues[0]!.oldestAt).toBe(shown.mail.oldest!.createdAt);
    expect(shown.agents.live).toBe(shown.agents.known);

    expect(shown.hours).toHaveLength(12);
    await inbox.call("threads.done", { agent: "ada", thread: "thr_1", summary: "made" });
    await inbox.call("threads.fail", { agent: "bob", thread: "thr_3", summary: "broken" });
    await inbox.call("threads.cancel", { thread: "thr_4", agent: "lead" });
    const { hours, at } = await inbox.call("stats.show", {});
    expect(hours.map((hour) => hour.at)).toEqual(
      hours.map((_, n) => new Date(Math.floor(Date.parse(at) / 3.6e6 - 11 + n) * 3.6e6).toISOString()),
    );
    const ended = hours.reduce(
      (sum, { done, failed, cancelled }) => [sum[0]! + done, sum[1]! + failed, sum[2]! + cancelled],
      [0, 0, 0],
    );
    expect(ended).toEqual([1, 1, 1]);
  });

  test("[B8.4] [O1.1] mail for a name that nobody has used is counted and listed until somebody has", async () => {
    await using bench = await start();
    const { inbox } = bench;
    const send = (to: string) => inbox.call("mailbox.send", { from: "lead", to, message: "x" });
    const unused = async () => {
      const { unused: listed, mail } = await inbox.call("stats.show", {});
      const { unused: names } = await inbox.call("agents.list", {});
      expect(listed.map(({ name, mail: count }) => ({ name, mail: count }))).toEqual(names);
      expect(mail.unused).toEqual({
        names: names.length,
        waiting: names.reduce((sum, { mail: count }) => sum + count, 0),
      });
      return names.map(({ name, mail: count }) => [name, count]);
    };
    expect(await unused()).toEqual([]);
    for (const to of ["boob", "aba", "boob", "user", "lead"]) await send(to);
    await inbox.call("threads.send", { from: "lead", to: "cid", subject: "s" });
    // None of these is unused: a task, a pool, a topic with a reader.
    await inbox.call("tasks.push", { agent: "lead", name: "later", prompt: "x", worker: "ada" });
    await send("later");
    await inbox.call("pools.join", { pool: "crew", agent: "lead" });
    await inbox.call("threads.send", { from: "ada", to: "crew", subject: "s" });
    await inbox.call("messages.send", { channel: "read", content: "x", sender: "lead" });
    await inbox.call("messages.inbox", { channel: "read", reader: "r", commit: true });
    expect(await unused()).toEqual([
      ["boob", 2],
      ["aba", 1],
      ["cid", 1],
    ]);
    await inbox.call("mailbox.check", { agent: "boob" });
    expect(await unused()).toEqual([
      ["aba", 1],
      ["cid", 1],
    ]);
  });

  test("[T9] a list contains the leases of its threads if it is asked for them", async () => {
    await using bench = await start();
    const { inbox } = bench;
    bench.freeze();
    for (const to of ["ada", "bob", "cid"])
      await inbox.call("threads.send", { from: "lead", to, subject: to });
    await inbox.call("threads.claim", { agent: "ada", leaseSeconds: 30 });
    await inbox.call("threads.claim", { agent: "bob", leaseSeconds: 10 });
    const { leases } = await inbox.call("threads.list", { leases: true });
    expect(leases).toMatchObject([
      { threadId: "thr_2", agentId: "bob", attempt: 1, lapsed: false },
      { threadId: "thr_1", agentId: "ada", attempt: 1, lapsed: false },
    ]);
    expect(JSON.stringify(leases)).not.toContain("oken");
    expect(await inbox.call("threads.list", {})).not.toHaveProperty("leases");
  });
});
