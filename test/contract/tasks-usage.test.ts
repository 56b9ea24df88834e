/** [A11] What tasks use is added up, for them, for those above them and for the day; and budgets end them. */
import { describe, expect, test } from "bun:test";
import type { InputOf } from "../../src/contract/operations/index.ts";
import { byHand, type HandBench } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";
import { refusal } from "../support/refusal.ts";

const usageOf = async ({ inbox }: HandBench, name: string) => {
  const { usage, usageTotal } = (await inbox.call("tasks.show", { name })).task;
  return { usage, usageTotal };
};

describe.each(engines)("$name", (engine) => {
  test("[A11] a task has what its program reported, the same report counts once, and attempts add up", async () => {
    await using bench = await byHand(engine);
    await bench.started("sub", { retries: 1 });
    expect(await usageOf(bench, "sub")).toEqual({ usage: null, usageTotal: null });
    const first = { inputTokens: 100, cachedTokens: 50, outputTokens: 10, costUsd: 0.25, turns: 1 };
    await bench.report("sub", first);
    await bench.report("sub", first);
    const shown = { tokens: 110, ...first };
    expect(await usageOf(bench, "sub")).toEqual({ usage: shown, usageTotal: shown });
    await bench.report("sub", { inputTokens: 300, outputTokens: 30, costUsd: 0.5, turns: 2 });
    // The end has the whole once more; a second attempt begins at nothing.
    const whole = { inputTokens: 400, cachedTokens: 0, outputTokens: 40, costUsd: 0.5, turns: 3 };
    expect(await bench.end("sub", { success: false, error: "no", usage: { used: whole } })).toEqual({
      outcome: "again",
    });
    bench.pass(2);
    await bench.begin();
    await bench.report("sub", { inputTokens: 5, outputTokens: 5, turns: 1 });
    await bench.end("sub", {});
    expect((await usageOf(bench, "sub")).usage).toEqual({
      tokens: 450,
      inputTokens: 405,
      cachedTokens: 0,
      outputTokens: 45,
      costUsd: 0.5,
      turns: 4,
    });
  });

  test("[A11] a budget ends a task for good, with what it has so far", async () => {
    await using bench = await byHand(engine);
    await bench.started("sub", { budget: "1k", retries: 3 });
    expect((await bench.inbox.call("tasks.show", { name: "sub" })).task.budget).toEqual({
      tokens: 1000,
      costUsd: null,
    });
    expect((await bench.report("sub", { inputTokens: 900, outputTokens: 100 }))?.end).toBeUndefined();
    const { end } = (await bench.report("sub", { inputTokens: 901, outputTokens: 100 }))!;
    expect(end).toEqual({
      error: "it exceeded its budget of 1000 tokens (used 1001) and was ended",
      reason: "budget",
    });
    expect((await bench.keep("sub"))?.end).toEqual(end!);
    expect(await bench.end("sub", { success: false, ...end!, partial: "half of it" })).toEqual({
      outcome: "finished",
      success: false,
    });
    const { messages } = await bench.inbox.call("mailbox.list", { agent: "main" });
    expect(messages.map(({ metadata }) => metadata)).toMatchObject([
      { from: "sub", success: false, reason: "budget", partial_output: "half of it" },
    ]);
  });

  test("[A11] what a task started counts for it too, to any depth, and for its budget", async () => {
    await using bench = await byHand(engine);
    await bench.started("top", { budget: "1usd" });
    await bench.started("middle", { agent: "top" });
    await bench.started("bottom", { agent: "middle" });
    await bench.report("top", { inputTokens: 1, costUsd: 0.25, turns: 1 });
    await bench.report("middle", { inputTokens: 10, turns: 1 });
    await bench.report("bottom", { inputTokens: 100, outputTokens: 1000, costUsd: 0.5, turns: 1 });
    expect((await bench.keep("top"))?.end).toBeUndefined();
    const totals = async () => {
      const found: [number | undefined, number | null | undefined][] = [];
      for (const name of ["top", "middle", "bottom"]) {
        const { usageTotal } = await usageOf(bench, name);
        found.push([usageTotal?.tokens, usageTotal?.costUsd]);
      }
      return found;
    };
    expect(await totals()).toEqual([
      [1111, 0.75],
      [1110, 0.5],
      [1100, 0.5],
    ]);
    expect((await usageOf(bench, "middle")).usage).toMatchObject({ tokens: 10, costUsd: null });
    await bench.end("bottom", {
      usage: { used: { inputTokens: 100, cachedTokens: 0, outputTokens: 1000, costUsd: 0.875, turns: 2 } },
    });
    expect(await totals()).toEqual([
      [1111, 1.125],
      [1110, 0.875],
      [1100, 0.875],
    ]);
    // Nothing of a later bearer of the name is counted there.
    expect((await bench.keep("middle"))?.end).toBeUndefined();
    expect((await bench.keep("top"))?.end).toEqual({
      error: "it exceeded its budget of 1 USD (used 1.125) and was ended",
      reason: "budget",
    });
    const { subAgents, costs } = await bench.inbox.call("stats.show", {});
    expect(subAgents.map(({ name, usageTotal }) => [name, usageTotal?.tokens])).toEqual([
      ["top", 1111],
      ["middle", 1110],
    ]);
    expect(costs).toMatchObject({ today: { tokens: 1111, costUsd: 1.125, turns: 4 }, held: false });
  });

  test("[A11] a result says what it cost, and that a budget could not be checked", async () => {
    await using bench = await byHand(engine);
    await bench.started("told", { budget: "5k" });
    await bench.started("silent", { budget: "5k" });
    const used = { inputTokens: 10, cachedTokens: 5, outputTokens: 2, costUsd: 0.5, turns: 3 };
    await bench.end("told", { final: "fine", usage: { used } });
    await bench.end("silent", { final: "fine" });
    // It reports at its end only, and has its result.
    await bench.started("over", { budget: "1k" });
    await bench.end("over", { final: "fine", usage: { used: { ...used, inputTokens: 1200 } } });
    const { messages } = await bench.inbox.call("mailbox.list", { agent: "main" });
    expect(messages.map(({ message, metadata }) => [message, metadata])).toEqual([
      ["fine", { from: "told", success: true, usage: { tokens: 12, cost_usd: 0.5, turns: 3 } }],
      [
        "fine\n\n(Its program reported no usage: its budget was not checked.)",
        { from: "silent", success: true },
      ],
      [
        "fine\n\n(It used 1202 tokens, more than its budget of 1000 tokens.)",
        {
          from: "over",
          success: true,
          over_budget: { unit: "tokens", budget: 1000, used: 1202 },
          usage: { tokens: 1202, cost_usd: 0.5, turns: 3 },
        },
      ],
    ]);
  });

  test("[A11] a daily limit holds back queued tasks and refuses tasks that would start at once, until it is raised or the day is over", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    bench.freeze(); // no midnight comes but the one below
    const none = { tokens: null, costUsd: null };
    expect(await inbox.call("costs.show", {})).toMatchObject({ limit: none, held: null, days: [] });
    await inbox.call("costs.set", { usd: 2, agent: "main" });
    await bench.started("first");
    await bench.report("first", { inputTokens: 100, costUsd: 2, turns: 1 });
    const day = (await inbox.call("costs.show", {})).days[0]!.day;
    await bench.push("second");
    await bench.push("given", { profile: undefined, worker: "w" });
    const ran = await inbox.call("tasks.run", { agent: "main" });
    expect(ran).toMatchObject({
      released: ["second", "given"],
      held: { limit: { tokens: null, costUsd: 2 }, used: { costUsd: 2 } },
    });
    expect(ran.held!.until! > `${day}T23:59`).toBe(true);
    expect((await inbox.call("tasks.queue", { agent: "main" })).held).toEqual(ran.held);
    // A living worker is paid by somebody else, and what runs goes on.
    expect(await bench.due()).toEqual([]);
    expect((await inbox.call("tasks.show", { name: "given" })).task.status).toBe("running");
    expect((await bench.keep("first"))?.end).toBeUndefined();
    const refused = await refusal(
      inbox.call("tasks.assign", { agent: "main", message: "now", profile: "claude", name: "third" }),
    );
    expect([refused.code, refused.message]).toEqual([
      "limited",
      "tasks have used 2 USD today; the daily limit of this bus is 2 USD",
    ]);
    expect((await refusal(inbox.call("tasks.show", { name: "third" }))).code).toBe("not_found");
    await inbox.call("costs.set", { usd: 3, tokens: 5000, agent: "main" });
    expect(await bench.due()).toEqual(["second"]);
    await bench.report("second", { inputTokens: 4000, outputTokens: 900 });
    await bench.push("fourth");
    expect((await inbox.call("tasks.run", { agent: "main" })).held).toMatchObject({ used: { tokens: 5000 } });
    expect(await bench.due()).toEqual([]);
    bench.pass(86_400);
    expect(await bench.due()).toEqual(["fourth"]);
    await bench.report("fourth", { inputTokens: 7, turns: 1 });
    const { days, today, limit } = await inbox.call("costs.show", {});
    expect(days.map((each) => [each.day === day, each.tokens, each.costUsd])).toEqual([
      [false, 7, null],
      [true, 5000, 2],
    ]);
    expect([today.tokens, limit]).toEqual([7, { tokens: 5000, costUsd: 3 }]);
    // What is not given stays.
    const set = async (input: Partial<InputOf<"costs.set">>) =>
      (await inbox.call("costs.set", { agent: "main", ...input })).limit;
    expect(await set({ usd: "none" })).toEqual({ tokens: 5000, costUsd: null });
    expect(await set({ usd: "$2.50" })).toEqual({ tokens: 5000, costUsd: 2.5 });
    expect(await set({ tokens: "1.5k", usd: "3 USD" })).toEqual({ tokens: 1500, costUsd: 3 });
    for (const input of [
      { tokens: "2usd" },
      { tokens: 1.5 },
      { usd: "3k" },
      { usd: -1 },
      { usd: "lots" },
      {},
    ])
      expect((await refusal(set(input))).code).toBe("invalid_input");
    expect(await set({ tokens: "none", usd: "none" })).toEqual(none);
  });

  test("[A11] a limit of 0 holds until it is changed, and a refusal names the limit that is reached", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub");
    await bench.end("sub", { session: "s" });
    const hints = async () => {
      const assign = inbox.call("tasks.assign", { agent: "main", message: "now", profile: "claude" });
      const send = () => inbox.call("tasks.send", { agent: "main", name: "sub", message: "go on" });
      return [(await refusal(assign)).hint, (await refusal(send())).hint];
    };
    await inbox.call("costs.set", { tokens: 0, agent: "main" });
    expect((await inbox.call("costs.show", {})).held).toMatchObject({ until: null });
    const raised = "raise the limit (costs.set({ tokens: N }))";
    expect(await hints()).toEqual([raised, raised]);
    await inbox.call("costs.set", { tokens: 10, usd: 5, agent: "main" });
    await bench.started("more");
    await bench.report("more", { inputTokens: 10 });
    expect(await hints()).toEqual([
      `${raised}, or queue the task (tasks.push({ prompt: PROMPT }), tasks.run()): it starts after midnight (UTC)`,
      `${raised}, or send it again after midnight (UTC)`,
    ]);
  });

  test("[A11] followers of events see usage grow, at most every five seconds for a task", async () => {
    await using bench = await byHand(engine);
    bench.freeze();
    await bench.started("sub");
    const seen = async () => {
      const { events } = await bench.inbox.call("events.watch", { afterEvent: 0, limit: 1000 });
      return events.filter(({ eventType }) => eventType === "task.used").map(({ payload }) => payload.tokens);
    };
    await bench.report("sub", { inputTokens: 10 });
    await bench.report("sub", { inputTokens: 20 });
    await bench.inbox.call("tasks.report", { agent: "sub", inputTokens: 5 });
    expect(await seen()).toEqual([10]);
    bench.pass(6);
    // The keeper's beat brings what came last, and nothing where nothing came.
    await bench.keep("sub");
    bench.pass(6);
    await bench.keep("sub");
    expect(await seen()).toEqual([10, 25]);
    await bench.inbox.call("tasks.report", { agent: "sub", inputTokens: 5 });
    expect(await seen()).toEqual([10, 25, 30]);
  });

  test("[A11] another turn adds to the usage; a task that has used up its budget continues only with a larger one", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub", { budget: "100" });
    const used = { inputTokens: 150, cachedTokens: 0, outputTokens: 0, costUsd: null, turns: 1 };
    await bench.end("sub", { success: false, reason: "budget", session: "s", usage: { used } });
    const send = (budget?: string) =>
      inbox.call("tasks.send", { agent: "main", name: "sub", message: "go on", budget });
    const refused = await refusal(send());
    expect([refused.code, refused.message]).toEqual([
      "invalid_state",
      '"sub" cannot go on: it has used up its budget',
    ]);
    expect((await send("300")).task).toMatchObject({ status: "waiting", budget: { tokens: 300 } });
    await bench.begin();
    await bench.report("sub", { inputTokens: 100, turns: 1 });
    expect((await usageOf(bench, "sub")).usage).toMatchObject({ tokens: 250, turns: 2 });
    expect((await bench.report("sub", { inputTokens: 151 }))?.end?.reason).toBe("budget");
  });

  test("[A11] what it has cost stays known when retention deletes what a task started", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("top");
    await bench.started("below", { agent: "top" });
    await bench.report("below", { inputTokens: 100, costUsd: 0.5, turns: 1 });
    await bench.end("below");
    await inbox.call("mailbox.check", { agent: "top" });
    await inbox.call("retention.set", { kind: "tasks", days: 1, agent: "main" });
    bench.pass(2 * 86_400);
    await inbox.call("retention.apply", {});
    expect((await refusal(inbox.call("tasks.show", { name: "below" }))).code).toBe("not_found");
    expect((await usageOf(bench, "top")).usageTotal).toMatchObject({ tokens: 100, costUsd: 0.5 });
    expect((await inbox.call("costs.show", {})).days).toMatchObject([{ tokens: 100, costUsd: 0.5 }]);
  });

  test("[A11] a program may report by itself, for its own running task alone", async () => {
    await using bench = await byHand(engine);
    const { inbox } = bench;
    await bench.started("sub", { budget: "1k" });
    const report = { agent: "sub", inputTokens: 400, costUsd: 0.125, turns: 1 };
    await inbox.call("tasks.report", report);
    const { usage } = await inbox.call("tasks.report", { ...report, outputTokens: 300 });
    expect(usage).toMatchObject({ tokens: 1100, costUsd: 0.25, turns: 2 });
    expect((await bench.keep("sub"))?.end?.reason).toBe("budget");
    expect((await refusal(inbox.call("tasks.report", { agent: "main", inputTokens: 1 }))).code).toBe(
      "invalid_state",
    );
    expect((await refusal(inbox.call("tasks.report", { agent: "sub" }))).code).toBe("invalid_input");
  });

  test("[A11] a budget that means nothing, or that nobody would heed, is refused", async () => {
    await using bench = await byHand(engine);
    const why = async (more: Parameters<HandBench["push"]>[1]) => {
      const { code, message } = await refusal(bench.push("no", more));
      return [code, message];
    };
    for (const budget of ["", "lots", "0", "-5", "1.5", "5 eur", "$1k", "$"])
      expect([budget, (await why({ budget }))[0]]).toEqual([budget, "invalid_input"]);
    expect(await why({ profile: "codex", budget: "2usd" })).toEqual([
      "invalid_input",
      'the budget would have no effect: the runner "codex" reports tokens, and no money',
    ]);
    expect(await why({ profile: undefined, worker: "w", budget: "1k" })).toEqual([
      "invalid_input",
      'the budget would have no effect: "w" is already running, and its usage is not known',
    ]);
    for (const [budget, tokens, costUsd] of [
      ["200k", 200_000, null],
      ["1.5M", 1_500_000, null],
      ["$0.5", null, 0.5],
      ["2.50 USD", null, 2.5],
    ] as const) {
      await bench.push(`b${tokens ?? costUsd}`, { budget });
      const { task } = await bench.inbox.call("tasks.show", { name: `b${tokens ?? costUsd}` });
      expect(task.budget).toEqual({ tokens, costUsd });
    }
    await bench.inbox.call("tasks.edit", { agent: "main", name: "b200000", budget: "3usd" });
    expect((await bench.inbox.call("tasks.show", { name: "b200000" })).task.budget).toEqual({
      tokens: null,
      costUsd: 3,
    });
  });
});
