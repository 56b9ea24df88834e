/** [Q1] [Q2] [Q3] The queue itself: what is in it, in which order, and how that is changed. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findTask } from "../../src/bus/task.ts";
import { changeWorktree, planWorktree } from "../../src/bus/worktree.ts";
import type { Inbox } from "../../src/inbox/inbox.ts";
import { run as execute } from "../../src/sql/procedure.ts";
import { sql } from "../../src/sql/sql.ts";
import { byHand, unlooked } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { refusal } from "../support/refusal.ts";

const agent = "main";
const names = (tasks: readonly { name: string }[]) => tasks.map(({ name }) => name);
const queued = async (inbox: Inbox, of = agent) =>
  names((await inbox.call("tasks.queue", { agent: of })).queued);
const run = (inbox: Inbox, count?: number) => inbox.call("tasks.run", { agent, count });

/** The profile file of every bus of this process. */
async function withProfiles(toml: string) {
  const folder = temporaryFolder();
  const file = join(folder.path, "agents.toml");
  await Bun.write(file, toml);
  process.env.INBOX_PROFILES = file;
  return {
    [Symbol.dispose]() {
      delete process.env.INBOX_PROFILES;
      folder[Symbol.dispose]();
    },
  };
}

describe.each(engines)("$name", (engine) => {
  test("[Q1.6] the answer says which program is not installed, and how to get it", async () => {
    await using bench = await byHand(engine);
    using _ = await withProfiles(
      `[runners.none]\ncommand = ["no-such-program"]\n[runners.there]\ncommand = ["sh"]\n`,
    );
    const push = (profile: string) => bench.inbox.call("tasks.push", { agent, prompt: "x", profile });
    expect((await push("none")).missing).toEqual({
      program: "no-such-program",
      hint: expect.stringContaining("put no-such-program on PATH"),
    });
    expect((await push("there")).missing).toBeUndefined();
  });

  test("[Q1] push queues a task with all that was said, starts nothing, and sends nothing", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const { task } = await inbox.call("tasks.push", {
      agent,
      name: "a",
      prompt: "first line\nsecond line",
      profile: "claude",
      model: "opus",
      timeout: 1.5,
      retries: 2,
      priority: "high",
      cwd: "/tmp",
    });
    expect(task).toMatchObject({
      name: "a",
      status: "queued",
      parent: agent,
      prompt: "first line\nsecond line",
      profile: "claude",
      model: "opus",
      timeoutSeconds: 1.5,
      retries: 2,
      attempt: 0,
      priority: "high",
      cwd: "/tmp",
      after: [],
      worker: null,
      threadId: null,
      startedAt: null,
      finishedAt: null,
      success: null,
    });
    expect(await bench.due()).toEqual([]);
    expect(await inbox.call("tasks.show", { name: "a" })).toEqual({
      task,
      resume: null,
      reports: { tokens: "live", cost: "end" },
    });
    expect((await inbox.call("threads.list", {})).threads).toEqual([]);
    const { events } = await inbox.call("events.watch", { afterEvent: 0 });
    expect(events.at(-1)).toMatchObject({
      eventType: "task.pushed",
      source: agent,
      threadId: null,
      payload: { task: "a" },
    });
  });

  test("[Q1] a name belongs to one unfinished task, whoever pushed it; then it is free again", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    await push("a");
    const taken = await refusal(push("a", { agent: "lead" }));
    expect(taken).toMatchObject({
      code: "conflict",
      message: 'the name "a" is taken: a task of that name is queued',
    });
    await run(inbox);
    expect((await refusal(push("a"))).message).toContain("a task of that name is waiting");
    await bench.due();
    expect((await refusal(push("a"))).message).toContain("a task of that name is running");
    await bench.end("a");
    await push("a");
    const { queued, finished } = await inbox.call("tasks.queue", { agent });
    expect([names(queued), names(finished)]).toEqual([["a"], ["a"]]);
  });

  test("[Q1] the names of the person, of the main agent and of the pusher cannot be a sub-agent's", async () => {
    await using bench = await byHand(engine);
    for (const name of ["user", "main", "lead"])
      expect((await refusal(bench.push(name, { agent: "lead" }))).code).toBe("conflict");
    for (const name of ["", "-a", "*", "a\nb", "x".repeat(129)])
      expect((await refusal(bench.push(name))).code).toBe("invalid_input");
  });

  test("[Q1] [A2] no new task is named like the id or the branch of one, and an earlier such name hides no id", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    const hint = "choose another name, or leave it out to get a generated one";
    for (const [name, why] of [
      ["task_1", "is written like the id of a task"],
      ["task_99999999999999999", "is written like the id of a task"],
      ["orch/a", 'begins with "orch/", as the branches of tasks do'],
    ] as const)
      expect(await refusal(push(name))).toMatchObject({
        code: "conflict",
        message: `the name "${name}" ${why}: commands would take it for another task`,
        hint,
      });
    for (const name of ["task_0", "task_x", "my-task_1", "orchard"]) await push(name);
    const shown = async (name: string) => (await inbox.call("tasks.show", { name })).task;
    const [first, second] = [await shown("task_0"), await shown("task_x")];
    // As a database from before the rule has it.
    await bench.engine.write(() => execute(sql`update tasks set name = ${first.id} where name = 'task_x'`));
    expect(await shown(first.id)).toEqual(first);
    await bench.engine.write(() => execute(sql`update tasks set name = 'task_777' where name = ${first.id}`));
    expect((await shown("task_777")).id).toBe(second.id);
  });

  test("[Q1.7] a profile's name that no agent has is refused as the parent, unless the profile is given too", async () => {
    await using bench = await byHand(engine);
    using _ = await withProfiles(`default = "none"\n[runners.none]\ncommand = ["no-such-program"]\n`);
    const { inbox } = bench;
    const wrong = { agent: "codex", prompt: "x" };
    const typed = { caller: { surface: "cli" } } as const;
    // A hub does not know whether its caller's environment has the name.
    if (engine.name === "hub") {
      await inbox.call("tasks.push", { ...wrong, name: "accepted" });
      return expect(await queued(inbox, "codex")).toEqual(["accepted"]);
    }
    for (const refused of [
      await refusal(inbox.call("tasks.push", wrong, typed)),
      await refusal(inbox.call("tasks.assign", { agent: "codex", message: "x" }, typed)),
    ])
      expect([refused.code, String(refused.message)]).toEqual([
        "invalid_input",
        expect.stringContaining('"codex" is a profile'),
      ]);
    expect(await queued(inbox, "codex")).toEqual([]);
    await inbox.call("tasks.push", { ...wrong, profile: "none", name: "both" }, typed);
    // From now on there is an agent of that name.
    await inbox.call("tasks.push", { ...wrong, name: "known" }, typed);
    expect(await queued(inbox, "codex")).toEqual(["both", "known"]);
    // A server for one agent is configured with its name, which may be that of a profile.
    await inbox.call("tasks.push", { agent: "gemini", prompt: "x", name: "configured" });
    expect(await queued(inbox, "gemini")).toEqual(["configured"]);
  });

  test("[Q1] a live agent that is not a sub-agent keeps its name to itself", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    await inbox.call("mailbox.check", { agent: "worker" });
    const taken = await refusal(push("worker"));
    expect(taken).toMatchObject({
      code: "conflict",
      message: 'the name "worker" is taken: an agent of that name is active',
    });
    bench.pass(61);
    await push("worker");
  });

  test("[Q1] a task without a name gets a short one that is not in use", async () => {
    await using bench = await byHand(engine);
    const given = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const { task } = await bench.inbox.call("tasks.push", {
        agent,
        prompt: "x",
        profile: "claude",
        ...unlooked,
      });
      expect(task.name).toMatch(/^[a-z]{3,8}(-\d+)?$/);
      given.add(task.name);
    }
    expect(given.size).toBe(40);
  });

  test("[Q1] [M9] of two pushes with one key one task is made", async () => {
    await using bench = await byHand(engine);
    const input = { agent, prompt: "x", profile: "claude" };
    const first = await bench.inbox.call("tasks.push", input, { idempotencyKey: "k" });
    const second = await bench.another().call("tasks.push", input, { idempotencyKey: "k" });
    expect(second).toMatchObject({ task: { name: first.task.name }, deduplicated: true });
    expect(await queued(bench.inbox)).toEqual([first.task.name]);
  });

  test("[Q1] of racing pushes of one name one wins", async () => {
    await using bench = await byHand(engine);
    const racers = [bench.inbox, bench.another(), bench.another(), bench.another()];
    const ends = await Promise.allSettled(
      racers.map((inbox) => inbox.call("tasks.push", { agent, name: "a", prompt: "x", profile: "claude" })),
    );
    expect(ends.filter(({ status }) => status === "fulfilled").length).toBe(1);
    expect(await queued(bench.inbox)).toEqual(["a"]);
  });

  test("[Q2] run lets the queued tasks start, oldest first, and answers how many there are", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b", "c"]) await push(name);
    expect(await run(inbox)).toEqual({ released: ["a", "b", "c"], running: 0, waiting: 3, held: null });
    expect(await bench.due()).toEqual(["a", "b", "c"]);
    expect(await bench.due()).toEqual([]);
    expect(await run(inbox)).toEqual({ released: [], running: 3, waiting: 0, held: null });
  });

  test("[Q2] run N keeps N of the caller's running, the others follow as they finish", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b", "c", "d", "e"]) await push(name);
    await push("theirs", { agent: "lead" });
    await run(inbox, 2);
    await inbox.call("tasks.run", { agent: "lead" });
    expect(await bench.due()).toEqual(["theirs", "a", "b"]);
    expect(await bench.due()).toEqual([]);
    await bench.end("b");
    expect(await bench.due()).toEqual(["c"]);
    bench.pass(1); // of two that end in one millisecond the one that was pushed first is listed first
    await bench.end("a", { success: false, error: "no" });
    await bench.end("c");
    expect(await bench.due()).toEqual(["d", "e"]);
    const { running, finished } = await inbox.call("tasks.queue", { agent });
    expect(names(running)).toEqual(["d", "e"]);
    expect(names(finished)).toEqual(["b", "a", "c"]);
  });

  test("[Q2] tasks that are pushed later wait for the next run; a bare run removes the limit", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b"]) await push(name);
    await run(inbox, 1);
    await push("late");
    expect(await bench.due()).toEqual(["a"]);
    await bench.end("a");
    expect(await bench.due()).toEqual(["b"]);
    await bench.end("b");
    expect(await bench.due()).toEqual([]);
    await push("later");
    expect((await run(inbox)).released).toEqual(["late", "later"]);
    expect(await bench.due()).toEqual(["late", "later"]);
  });

  test("[Q2] the timeout of a run is for those that have none of their own", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    await push("a");
    await push("b", { timeout: 5 });
    await inbox.call("tasks.run", { agent, timeout: 60 });
    const { queued } = await inbox.call("tasks.queue", { agent });
    expect(queued.map((task) => [task.name, task.timeoutSeconds])).toEqual([
      ["a", 60],
      ["b", 5],
    ]);
    for (const timeout of [0, -1, 0.01, 1e9])
      expect((await refusal(inbox.call("tasks.run", { agent, timeout }))).code).toBe("invalid_input");
    for (const count of [0, -1, 1.5, 1e9])
      expect((await refusal(run(inbox, count))).code).toBe("invalid_input");
  });

  test("[Q2] [Q8] no more run at a time than the machine or a kind of agent may have", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b", "c"]) await push(name);
    await push("d", { profile: "codex" });
    await run(inbox, 3);
    const of = new Map([["claude", { shared: "claude", most: 1 }]]);
    // Those that must wait for their kind do not stand in the way of another kind.
    expect(await bench.due({ of })).toEqual(["a", "d"]);
    expect(await bench.due({ of, all: 2 })).toEqual([]);
    await bench.end("d");
    expect(await bench.due({ all: 2 })).toEqual(["b"]);
    await bench.end("a");
    expect(await bench.due({ of })).toEqual([]);
    await bench.end("b");
    expect(await bench.due({ of })).toEqual(["c"]);
  });

  test("[Q3] queue shows queued, running and finished tasks, with times and success", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    expect(await inbox.call("tasks.queue", { agent })).toEqual({
      queued: [],
      running: [],
      finished: [],
      hasMore: false,
      held: null,
    });
    for (const name of ["good", "bad", "runs"]) await push(name);
    await run(inbox);
    await bench.due();
    await bench.end("good");
    await bench.end("bad", { success: false, error: "it broke" });
    await push("waits");
    await push("theirs", { agent: "lead" });
    const queue = await inbox.call("tasks.queue", { agent });
    expect(queue).toMatchObject({
      queued: [{ name: "waits", status: "queued", startedAt: null }],
      running: [{ name: "runs", status: "running", threadId: "thr_3", attempt: 1, finishedAt: null }],
      finished: [
        { name: "good", success: true, error: null },
        { name: "bad", success: false, error: "it broke" },
      ],
    });
    for (const { createdAt, startedAt, finishedAt } of queue.finished)
      expect([createdAt, startedAt!, finishedAt!].toSorted()).toEqual([createdAt, startedAt!, finishedAt!]);
    const everybody = await inbox.call("tasks.queue", { agent, all: true });
    expect(names(everybody.queued)).toEqual(["waits", "theirs"]);
    expect(names((await inbox.call("tasks.queue", { agent: "lead" })).queued)).toEqual(["theirs"]);
  });

  test("[Q3] of the finished ones the newest are shown, in the order in which they finished", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b", "c"]) await push(name);
    await run(inbox);
    await bench.due();
    bench.freeze();
    for (const name of ["c", "a", "b"]) {
      await bench.end(name);
      bench.pass(1);
    }
    expect(names((await inbox.call("tasks.queue", { agent })).finished)).toEqual(["c", "a", "b"]);
    const newest = await inbox.call("tasks.queue", { agent, limit: 2 });
    expect([names(newest.finished), newest.hasMore]).toEqual([["a", "b"], true]);
    expect((await inbox.call("tasks.queue", { agent, limit: 3 })).hasMore).toBe(false);
  });

  test("[Q10] priority comes before place, in the queue and when they start", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    await push("low", { priority: "low" });
    await push("normal");
    await push("high", { priority: "high" });
    expect(await queued(inbox)).toEqual(["high", "normal", "low"]);
    await run(inbox, 1);
    for (const name of ["high", "normal", "low"]) {
      expect(await bench.due()).toEqual([name]);
      await bench.end(name);
    }
  });

  test("[Q3] move changes a place, by number and by neighbour", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    const move = (name: string, where: { to?: number; before?: string; behind?: string }) =>
      inbox.call("tasks.move", { agent, name, ...where });
    for (const name of ["a", "b", "c", "d"]) await push(name);
    expect(await move("c", { to: 1 })).toMatchObject({ task: { name: "c" }, place: 1 });
    expect(await queued(inbox)).toEqual(["c", "a", "b", "d"]);
    expect((await move("d", { before: "a" })).place).toBe(2);
    expect(await queued(inbox)).toEqual(["c", "d", "a", "b"]);
    expect((await move("c", { behind: "b" })).place).toBe(4);
    expect(await queued(inbox)).toEqual(["d", "a", "b", "c"]);
    expect((await move("a", { to: 2 })).place).toBe(2);
    await run(inbox);
    await move("c", { to: 1 });
    expect(await bench.due()).toEqual(["c", "d", "a", "b"]);
  });

  test("[Q3] [A2] move takes the neighbour by its id or branch too, and knows the task itself by them", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b", "c"]) await push(name);
    const [a, b, c] = (await inbox.call("tasks.queue", { agent })).queued.map(({ id }) => id) as string[];
    const move = (name: string, where: { before?: string; behind?: string }) =>
      inbox.call("tasks.move", { agent, name, ...where });
    expect((await move("c", { before: a! })).place).toBe(1);
    expect(await queued(inbox)).toEqual(["c", "a", "b"]);
    expect((await move(c!, { behind: b! })).task.id).toBe(c!);
    expect(await queued(inbox)).toEqual(["a", "b", "c"]);
    await bench.engine.write(function* () {
      const plan = { repository: "/r", prefix: "", base: "1", into_branch: null };
      const { task_number } = yield* findTask("a");
      yield* planWorktree(task_number, plan);
      yield* changeWorktree(task_number, { branch: "orch/a", state: "kept" });
    });
    expect((await move("c", { before: "orch/a" })).place).toBe(1);
    const itself = await refusal(move("b", { behind: b! }));
    expect([itself.code, itself.message]).toEqual(["invalid_input", '"b" cannot be moved past itself']);
    expect((await refusal(move("b", { behind: "task_999" }))).code).toBe("not_found");
  });

  test("[Q3] a move that makes no sense is refused, and says why", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    const move = (name: string, where: { to?: number; before?: string; behind?: string }) =>
      refusal(inbox.call("tasks.move", { agent, name, ...where }));
    for (const name of ["a", "b"]) await push(name);
    await push("theirs", { agent: "lead" });
    expect(await move("a", {})).toMatchObject({ code: "invalid_input" });
    expect(await move("a", { to: 1, before: "b" })).toMatchObject({ code: "invalid_input" });
    expect(await move("a", { before: "a" })).toMatchObject({ code: "invalid_input" });
    expect(await move("a", { to: 3 })).toMatchObject({
      code: "invalid_input",
      message: "position 3 is out of range: the queue has 2 tasks",
    });
    expect((await move("a", { to: 0 })).code).toBe("invalid_input");
    expect((await move("a", { before: "theirs" })).code).toBe("not_found");
    expect((await move("a", { before: "nobody" })).code).toBe("not_found");
    await push("research");
    expect(await move("reserch", { to: 1 })).toMatchObject({
      code: "not_found",
      hint: 'did you mean "research"?',
    });
    expect(await queued(inbox)).toEqual(["a", "b", "research"]);
  });

  test("[Q3] edit changes the settings of a task that has not started, and `none` removes one", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b", "c"]) await push(name);
    const edit = { prompt: "other", model: "m", profile: "codex", timeout: 9, retries: 1 };
    const { task } = await inbox.call("tasks.edit", {
      agent,
      name: "c",
      ...edit,
      priority: "high",
      after: ["b"],
    });
    expect(task).toMatchObject({
      prompt: "other",
      model: "m",
      profile: "codex",
      timeoutSeconds: 9,
      retries: 1,
      priority: "high",
      after: ["b"],
    });
    await inbox.call("tasks.edit", { agent, name: "c", after: ["a"] });
    expect((await inbox.call("tasks.show", { name: "c" })).task).toMatchObject({
      prompt: "other",
      after: ["a"],
    });
    await inbox.call("tasks.edit", { agent, name: "c", after: [] });
    expect((await inbox.call("tasks.show", { name: "c" })).task.after).toEqual([]);
    const unset = { timeout: "none", model: "none", budget: "none" } as const;
    await push("limited", { timeout: 9, model: "m", budget: "1k" });
    const { task: without } = await inbox.call("tasks.edit", { agent, name: "limited", ...unset });
    expect(without).toMatchObject({
      timeoutSeconds: null,
      model: null,
      budget: null,
      prompt: expect.any(String),
    });
    expect((await refusal(inbox.call("tasks.edit", { agent, name: "a", timeout: 0 }))).message).toBe(
      "timeout must be a number of seconds from 0.1 to 2678400, or none; got 0",
    );
    const nothing = await refusal(inbox.call("tasks.edit", { agent, name: "a" }));
    expect(nothing).toMatchObject({ code: "invalid_input", message: 'no change was given for "a"' });
    const unknown = await refusal(inbox.call("tasks.edit", { agent, name: "a", profile: "cluade" }));
    expect(unknown).toMatchObject({ code: "invalid_input", hint: 'did you mean "claude"?' });
    expect((await refusal(inbox.call("tasks.edit", { agent, name: "zz", prompt: "x" }))).code).toBe(
      "not_found",
    );
  });

  test("[Q3] remove takes a task out, for good and without a word to anybody", async () => {
    await using bench = await byHand(engine);
    const { inbox, push } = bench;
    for (const name of ["a", "b"]) await push(name);
    expect((await inbox.call("tasks.remove", { agent, name: "a" })).task).toMatchObject({
      name: "a",
      status: "finished",
      success: false,
      error: 'removed by "main"',
    });
    await run(inbox);
    expect(await bench.due()).toEqual(["b"]);
    expect((await inbox.call("mailbox.list", { agent })).messages).toEqual([]);
    expect((await refusal(inbox.call("tasks.remove", { agent, name: "zz" }))).code).toBe("not_found");
    await push("a");
    expect(await queued(inbox)).toEqual(["a"]);
  });

  test("[Q3] running and finished tasks cannot be removed, moved or edited; tasks that were not released cannot be killed", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("a");
    const changes = () => [
      inbox.call("tasks.remove", { agent, name: "a" }),
      inbox.call("tasks.move", { agent, name: "a", to: 1 }),
      inbox.call("tasks.edit", { agent, name: "a", prompt: "x" }),
    ];
    for (const change of changes())
      expect(await refusal(change)).toMatchObject({
        code: "invalid_state",
        hint: `tasks.kill({ name: "a" }) ends it`,
      });
    await bench.end("a");
    for (const change of changes())
      expect(await refusal(change)).toMatchObject({
        code: "invalid_state",
        hint: `tasks.show({ name: "a" }) shows how it ended`,
      });
    const kill = (name: string) => refusal(inbox.call("tasks.kill", { agent, name }));
    expect((await kill("a")).code).toBe("invalid_state");
    await bench.push("b");
    expect(await kill("b")).toMatchObject({
      code: "invalid_state",
      hint: `tasks.remove({ name: "b" }) removes it from the queue`,
    });
    expect((await kill("zz")).code).toBe("not_found");
  });

  test("[Q3.3] a task that was released and has not started is killed, its parent is told, and tasks that depend on it are skipped", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.push("a");
    await bench.push("b", { after: ["a"] });
    await inbox.call("tasks.run", { agent });
    const { task, killed } = await inbox.call("tasks.kill", { agent, name: "a", reason: "not needed" });
    expect([task, killed]).toMatchObject([
      { status: "finished", success: false, reason: "killed", error: 'killed by "main": not needed' },
      ["a"],
    ]);
    expect(await bench.due()).toEqual([]);
    const { messages } = await inbox.call("mailbox.check", { agent });
    expect(messages).toMatchObject([
      { senderId: "a", metadata: { reason: "killed", error: 'killed by "main": not needed' } },
      { senderId: "b", metadata: { reason: "skipped" } },
    ]);
  });
});
