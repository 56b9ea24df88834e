/** [A11] What tasks use is added up, for them, for those above them and for the day; and budgets end them. */
import { describe, expect, test } from "bun:test";
import { byHand, type HandBench } from "../support/by-hand.ts";
import { engines } from "../support/engines.ts";

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
});
