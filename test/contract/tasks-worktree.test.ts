/** [A1] [A4] Which tasks get a worktree, what their results say of it, and how a task goes on. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { relationOf } from "../../src/bus/access.ts";
import { changeTask, findTask } from "../../src/bus/task.ts";
import { continueTask } from "../../src/bus/tasks/continue.ts";
import type { Ending } from "../../src/bus/tasks/end.ts";
import { noteWorktree, settleWorktree } from "../../src/bus/tasks/worktrees.ts";
import { changeWorktree, planWorktree } from "../../src/bus/worktree.ts";
import { byHand, type HandBench } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { temporaryFolder } from "../support/folder.ts";
import { refusal } from "../support/refusal.ts";
import { repositoryIn } from "../support/repository.ts";

const agent = "main";
const changed: Ending["changed"] = { tip: "1".repeat(40), commits: 2, files: 3, insertions: 4, deletions: 1 };

/** As its keeper does. */
const made = (bench: HandBench, name: string) =>
  bench.engine.write(function* (tx) {
    const row = yield* findTask(name);
    return yield* noteWorktree(tx, row, {
      path: `/worktrees/${name}`,
      branch: `orch/${name}`,
      state: "kept",
    });
  });

describe.each(engines)("$name", (engine) => {
  test("[A1] auto is for tasks that may edit, in a repository; yes and no are what they say", async () => {
    await using bench = await byHand(engine);
    using folder = temporaryFolder();
    const { path: cwd } = repositoryIn(join(folder.path, "repo"));
    const has = async (name: string, more: Parameters<HandBench["push"]>[1]) => {
      await bench.push(name, { cwd, ...more });
      return (await bench.inbox.call("tasks.show", { name })).task.worktree?.state ?? null;
    };
    expect(await has("usual", {})).toBe("planned");
    expect(await has("all", { permission: "allow" })).toBe("planned");
    expect(await has("reads", { permission: "reject" })).toBeNull();
    expect(await has("asked", { permission: "reject", worktree: "yes" })).toBe("planned");
    expect(await has("not", { worktree: "no" })).toBeNull();
    expect(await has("plain", { cwd: folder.path })).toBeNull();
    await bench.started("reader", { permission: "reject" });
    expect(await has("below", { agent: "reader" })).toBeNull();
    const none = await refusal(bench.push("never", { cwd: folder.path, worktree: "yes" }));
    expect([none.code, none.message]).toEqual([
      "invalid_input",
      `the task cannot have a worktree: ${folder.path} is in no git repository`,
    ]);
  });

  test("[A1] a result says which branch has what, also where the sub-agent said it was done", async () => {
    await using bench = await byHand(engine);
    using folder = temporaryFolder();
    const { path: cwd } = repositoryIn(join(folder.path, "repo"));
    const { inbox } = bench;
    for (const name of ["plain", "said", "failed", "idle"]) {
      await bench.started(name, { cwd });
      expect(await made(bench, name)).toBe(true);
    }
    await bench.end("plain", { final: "fixed", changed, notices: ["One more thing."] });
    const { threadId } = (await inbox.call("tasks.show", { name: "said" })).task;
    await inbox.call("threads.done", { agent: "said", thread: threadId!, summary: "done, see the branch" });
    await bench.end("said", { changed });
    await bench.end("failed", { success: false, error: "it broke", changed });
    await bench.end("idle", { final: "nothing to do", changed: { ...changed, commits: 0, files: 0 } });
    const { messages } = await inbox.call("mailbox.list", { agent });
    const branch = (name: string) => ({
      worktree: { branch: `orch/${name}`, into: "main", commits: 2, files: 3, insertions: 4, deletions: 1 },
    });
    expect(
      messages.map(({ senderId, kind, message, metadata }) => [senderId, kind, message, metadata]),
    ).toMatchObject([
      [
        "plain",
        "result",
        "fixed\n\n(Its changes are on the branch orch/plain: 2 commits, 3 files, +4 -1. One more thing.)",
        branch("plain"),
      ],
      ["said", "result", "done, see the branch", {}],
      [
        "said",
        "progress",
        "Its changes are on the branch orch/said: 2 commits, 3 files, +4 -1.",
        branch("said"),
      ],
      ["failed", "result", expect.stringContaining('"branch":"orch/failed"'), branch("failed")],
      ["idle", "result", "nothing to do", {}],
    ]);
    expect((await inbox.call("tasks.show", { name: "idle" })).task.worktree).toMatchObject({
      state: "empty",
    });
  });

  test("[A1] the result of a task that is killed before its next attempt or turn says what is on its branch, too", async () => {
    await using bench = await byHand(engine);
    using folder = temporaryFolder();
    const { path: cwd } = repositoryIn(join(folder.path, "repo"));
    const { inbox } = bench;
    await bench.started("tries", { cwd, retries: 1 });
    await made(bench, "tries");
    const failed = { success: false, error: "it broke", changed };
    expect(await bench.end("tries", failed)).toEqual({ outcome: "again" });
    await inbox.call("tasks.kill", { agent, name: "tries" });
    await bench.engine.write(function* (tx) {
      const row = yield* findTask("tries");
      return yield* continueTask(tx, yield* changeTask(row, { session: "s" }), agent, "go on");
    });
    await inbox.call("tasks.kill", { agent, name: "tries" });
    const { messages } = await inbox.call("mailbox.list", { agent });
    const killed = { error: 'killed by "main"', worktree: { branch: "orch/tries", commits: 2, files: 3 } };
    expect(messages.map(({ metadata }) => metadata)).toMatchObject([killed, killed]);
  });

  test("[A2] [A2.10] [X10] a task is meant by its name, its id or its branch, and access goes by which one that is", async () => {
    await using bench = await byHand(engine);
    using folder = temporaryFolder();
    const { path: cwd } = repositoryIn(join(folder.path, "repo"));
    const { inbox } = bench;
    const ids: string[] = [];
    for (const parent of ["main", "boss"]) {
      await bench.started("same", { cwd, agent: parent });
      await bench.engine.write(function* (tx) {
        const path = `/worktrees/${parent}`;
        yield* noteWorktree(tx, yield* findTask("same"), { path, branch: `orch/${parent}`, state: "kept" });
      });
      await bench.end("same", { changed });
      ids.push((await inbox.call("tasks.show", { name: "same" })).task.id);
    }
    const [older, newer] = ids as [string, string];
    const shown = async (name: string) => (await inbox.call("tasks.show", { name })).task.id;
    expect(await Promise.all([older, newer, "orch/main", "same"].map(shown))).toEqual([
      older,
      newer,
      older,
      newer,
    ]);
    expect((await refusal(shown("task_999"))).code).toBe("not_found");
    const relation = (id: string) =>
      bench.engine.read(() => relationOf("main", { kind: "task", id, does: "read" }));
    expect(await Promise.all([older, "orch/main", newer, "orch/boss", "same"].map(relation))).toEqual([
      "own",
      "own",
      "other",
      "other",
      "other",
    ]);
    // [A2.10] The inbox of a name is that of its newest task.
    const send = (to: string) => inbox.call("mailbox.send", { from: agent, to, message: "hello" });
    for (const to of [newer, "orch/boss"])
      expect((await send(to)).recipient).toMatchObject({ name: "same", ended: true });
    for (const to of [older, "orch/main"])
      expect(await refusal(send(to))).toMatchObject({
        code: "invalid_state",
        message: `${to} has finished, and its name "same" is that of ${newer} now`,
      });
    const asked = await inbox.call("mailbox.ask", { from: agent, to: newer, question: "how far?" });
    expect(asked.message.toAgent).toBe("same");
    const take = async (from: string) =>
      (await inbox.call("mailbox.check", { agent, from })).messages.map(({ senderId }) => senderId);
    expect(await take("orch/none")).toEqual([]);
    const boss = "boss";
    const gathered = await inbox.call("mailbox.gather", { agent: boss, from: [newer], timeoutSeconds: 0 });
    expect(gathered.messages.map(({ senderId }) => senderId)).toEqual(["same"]);
    expect((await refusal(inbox.call("mailbox.receive", { agent, from: older }))).code).toBe("invalid_state");
    for (const to of ["task_999", "orch/none"])
      expect((await send(to)).recipient).toMatchObject({ name: to, known: false });
    const third = await inbox.call("tasks.push", { agent, name: "same", prompt: "again", profile: "claude" });
    expect(third.others).toEqual([
      { id: older, branch: "orch/main" },
      { id: newer, branch: "orch/boss" },
    ]);
  });

  test("[A2] a branch that tasks of several repositories have kept is refused with their ids; a planned one comes before a finished one", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const plan = { prefix: "", base: "1".repeat(40), into_branch: "main" };
    const ids = new Map<string, string>();
    for (const name of ["first", "second", "third"]) {
      await bench.push(name);
      ids.set(name, (await inbox.call("tasks.show", { name })).task.id);
      await bench.engine.write(function* () {
        const { task_number } = yield* findTask(name);
        yield* planWorktree(task_number, { ...plan, repository: `/${name}` });
        yield* changeWorktree(task_number, { branch: "orch/x", state: "kept" });
      });
    }
    const shown = async () => (await inbox.call("tasks.show", { name: "orch/x" })).task.name;
    const becomes = (name: string, state: "planned" | "merged") =>
      bench.engine.write(function* () {
        yield* changeWorktree((yield* findTask(name)).task_number, { state });
      });
    await becomes("third", "merged");
    const two = await refusal(shown());
    expect([two.code, two.message, two.hint]).toEqual([
      "invalid_input",
      `the branch "orch/x" is kept by 2 tasks: ${ids.get("second")}, ${ids.get("first")}`,
      "give the id of the one that is meant",
    ]);
    await becomes("second", "planned");
    expect(await shown()).toBe("first");
    await becomes("first", "merged");
    expect(await shown()).toBe("second");
    await becomes("second", "merged");
    expect(await shown()).toBe("third");
  });

  test("[X10] an agent that gets a used name has no rights over the earlier agent or its tasks", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const id = async (name: string) => (await inbox.call("tasks.show", { name })).task.id;
    const relations = (agent: string, tasks: string[]) =>
      bench.engine.read(function* () {
        const found: string[] = [];
        for (const task of tasks)
          for (const does of ["read", "change"] as const)
            found.push(yield* relationOf(agent, { kind: "task", id: task, does }));
        return found.join(" ");
      });
    // An agent without a task has pushed one, and its name is free later.
    await bench.started("loose", { agent: "later" });
    const loose = await id("loose");
    expect(await relations("later", [loose])).toBe("own own");
    await bench.started("foo", { agent: "boss" });
    await bench.started("below", { agent: "foo" });
    await bench.started("deep", { agent: "below" });
    const earlier = [await id("foo"), await id("below"), await id("deep")];
    expect(await relations("foo", earlier)).toBe("own other own own own own");
    expect(await relations("boss", earlier)).toBe("own own own own own own");
    for (const name of ["deep", "below", "foo"]) await bench.end(name);
    // Over, they are still of whoever had the name last.
    expect(await relations("foo", earlier)).toBe("own other own own own own");
    bench.pass(61);
    await bench.started("foo", { agent: "thief" });
    await bench.started("later", { agent: "thief" });
    await bench.started("fresh", { agent: "foo" });
    const now = [await id("foo"), await id("fresh")];
    expect(await relations("foo", earlier)).toBe("other other other other other other");
    expect(await relations("foo", now)).toBe("own other own own");
    expect(await relations("thief", earlier)).toBe("other other other other other other");
    expect(await relations("thief", now)).toBe("own own own own");
    expect(await relations("boss", earlier)).toBe("own own own own own own");
    expect(await relations("boss", now)).toBe("other other other other");
    expect(await relations("later", [loose])).toBe("other other");
  });

  test("[A3] a task whose changes were neither merged nor discarded is kept, whatever retention says", async () => {
    await using bench = await byHand(engine);
    using folder = temporaryFolder();
    const { path: cwd } = repositoryIn(join(folder.path, "repo"));
    const { inbox } = bench;
    for (const name of ["kept", "merged"]) {
      await bench.started(name, { cwd });
      await made(bench, name);
      await bench.end(name, { changed });
    }
    await bench.engine.write(function* (tx) {
      const row = yield* findTask("merged");
      yield* settleWorktree(tx, row, agent, {
        state: "merged",
        merged_into: "main",
        merged_commit: "2".repeat(40),
      });
    });
    await inbox.call("mailbox.check", { agent, max: 10 });
    await inbox.call("retention.set", { agent, kind: "tasks", count: 0 });
    await inbox.call("retention.apply", {});
    const { finished } = await inbox.call("tasks.queue", { all: true });
    expect(finished.map(({ name }) => name)).toEqual(["kept"]);
  });

  test("[A4] a finished task continues in its session: another turn, another thread, another result", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub", { cwd: "/" });
    await bench.end("sub", { final: "first", session: "s-1" });
    const before = (await inbox.call("tasks.show", { name: "sub" })).task;
    const goOn = () =>
      bench.engine.write(function* (tx) {
        return yield* continueTask(tx, yield* findTask("sub"), agent, "and now?");
      });
    expect(await goOn()).toMatchObject({ status: "waiting", session: "s-1", follow_up: "and now?" });
    expect((await refusal(goOn())).code).toBe("invalid_state");
    expect(await bench.due()).toEqual(["sub"]);
    await bench.end("sub", { final: "second" });
    const after = (await inbox.call("tasks.show", { name: "sub" })).task;
    expect(after).toMatchObject({ status: "finished", success: true, prompt: "do sub", session: "s-1" });
    expect(after.threadId).not.toBe(before.threadId);
    const { messages } = await inbox.call("threads.show", { thread: after.threadId! });
    expect(messages.map(({ kind, body }) => [kind, body])).toEqual([
      ["task", "and now?"],
      ["result", "second"],
    ]);
    const { finished } = await inbox.call("tasks.queue", { all: true });
    expect(finished.map(({ name }) => name)).toEqual(["sub"]);
  });
});
