/** [A12] Reviews of tasks, as far as the bus is concerned: who is shown, what is refused, and what a result has. */
import { describe, expect, test } from "bun:test";
import { findTask } from "../../src/bus/task.ts";
import { addTask } from "../../src/bus/tasks/add.ts";
import { releaseTasks } from "../../src/bus/tasks/release.ts";
import { resultTextOf } from "../../src/bus/tasks/result.ts";
import type { ReviewOutcome } from "../../src/contract/review.ts";
import { byHand, type HandBench } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const agent = "main";

/** As the keeper of a task does. */
const reviewing = (bench: HandBench, name: string) =>
  bench.engine.write(function* (tx) {
    const row = yield* findTask(name);
    const made = yield* addTask(tx, {
      ...{ agent: name, name: `${name}-review-1`, prompt: "judge", cwd: "/", env: null, retries: 0 },
      ...{ profile: "codex", usualPermission: "inherit", permission: "reject", review: null, budget: null },
      ...{ worktree: "no", repository: null, reviewOf: row.task_number },
    });
    yield* releaseTasks(tx, { agent: name, names: [made.name], inTurn: false, now: made.created_at });
  });

describe.each(engines)("$name", (engine) => {
  test("[A12] a reviewer is shown beside its task, may not edit, and has room while it works", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("t", { review: "codex", reviewRounds: 2 });
    await bench.push("other");
    await reviewing(bench, "t");
    await inbox.call("tasks.run", { agent });
    // Room for one: the task under review leaves it to its reviewer, and that to nobody.
    expect(await bench.due({ all: 1 })).toEqual(["t-review-1"]);
    expect(await bench.due({ all: 1 })).toEqual([]);
    const { running, queued } = await inbox.call("tasks.queue", { agent });
    expect(running.map(({ name, reviewOf, permission }) => [name, reviewOf, permission])).toEqual([
      ["t", null, "edit"],
      ["t-review-1", "t", "reject"],
    ]);
    expect(queued.map(({ name }) => name)).toEqual(["other"]);
    expect(running[0]!.review).toEqual({
      profile: "codex",
      maxRounds: 2,
      verdict: null,
      rounds: 0,
      error: null,
    });
    expect((await inbox.call("tasks.queue", { agent: "somebody" })).running).toEqual([]);
    await bench.end("t-review-1", { final: "fine" });
    const said = await bench.engine.read(function* (tx) {
      return yield* resultTextOf(tx, yield* findTask("t-review-1"));
    });
    expect(said).toMatchObject({ finished: true, success: true, text: "fine" });
    // Now the task counts again.
    expect(await bench.due({ all: 1 })).toEqual([]);
  });

  test("[A12] a task that is reviewed cannot say itself that it is done; that it failed it can", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    for (const [name, more] of [
      ["t", { review: "codex" }],
      ["plain", {}],
    ] as const) {
      await bench.started(name, more);
      const thread = (await inbox.call("tasks.show", { name })).task.threadId!;
      const done = inbox.call("threads.done", { agent: name, thread, summary: "over" });
      if (name === "plain") expect((await done).thread.status).toBe("done");
      else {
        const { code, message } = await refusal(done);
        expect([code, message]).toEqual(["invalid_state", '"t" is reviewed by codex before it is done']);
        const failed = await inbox.call("threads.fail", { agent: name, thread, summary: "I cannot" });
        expect(failed.thread.status).toBe("failed");
      }
    }
  });

  test("[A12] the result and views of the task have the findings of every round", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    const review: ReviewOutcome = {
      verdict: "sent_back",
      rounds: 2,
      findings: [
        { round: 1, file: "a.ts", line: 3, text: "off by one" },
        { round: 2, file: null, line: null, text: "no test" },
      ],
      profile: "codex",
    };
    await bench.started("t", { review: "codex" });
    await bench.end("t", { success: false, error: "sent back", reason: "review", review });
    await bench.started("fine", { review: "codex" });
    await bench.end("fine", { final: "ok", review: { ...review, verdict: "approved" } });
    const { messages } = await inbox.call("mailbox.list", { agent });
    expect(messages.map(({ metadata }) => metadata)).toMatchObject([
      { success: false, reason: "review", review },
      { success: true, review: { ...review, verdict: "approved" } },
    ]);
    expect(messages[1]!.message).toBe(
      "ok\n\n(Its reviewer (codex) approved it in round 2, with 1 finding: no test)",
    );
    const { task } = await inbox.call("tasks.show", { name: "t" });
    expect(task.review).toEqual({ ...review, maxRounds: 3, error: null });
    const { finished } = await inbox.call("tasks.queue", { agent });
    expect(finished[0]!.review).not.toHaveProperty("findings");
  });
});
