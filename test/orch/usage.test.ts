/** [A11] What agent programs report of their usage, as each of them says it. */
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { UsageReport } from "../../src/contract/usage.ts";
import { sinceCounted } from "../../src/orch/runners/reports.ts";
import type { Job } from "../../src/orch/runners/runner.ts";
import type { Step } from "../support/acp-agent.ts";
import { root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { jobIn, play, runnerIn } from "../support/play-runner.ts";

/** A program of a built-in kind that prints these events, or runs these shell commands in between. */
async function printing(
  kind: string,
  steps: readonly (object | string)[],
  job: Partial<Job> = {},
  settings = "",
) {
  using folder = temporaryFolder();
  const script = steps.map((step) => (typeof step === "string" ? step : `echo '${JSON.stringify(step)}'`));
  const command = JSON.stringify(["sh", "-c", script.join("\n")]);
  const toml = `[runners.mine]\nkind = "${kind}"\ncommand = ${command}\n${settings}`;
  return await play(await runnerIn(folder.path, "mine", toml), jobIn(folder, job));
}

const used = (
  inputTokens: number,
  cachedTokens: number,
  outputTokens: number,
  costUsd: number | null,
  turns: number,
): UsageReport => ({ inputTokens, cachedTokens, outputTokens, costUsd, turns });

describe("Claude Code", () => {
  const message = (id: string, usage: object, more: object = {}) => ({
    type: "assistant",
    session_id: "s",
    message: { id, content: [{ type: "text", text: "x" }], usage },
    ...more,
  });
  const messages = [
    message("m1", { input_tokens: 10, cache_creation_input_tokens: 90, output_tokens: 1 }),
    message("m1", { input_tokens: 10, cache_creation_input_tokens: 90, output_tokens: 5 }),
    message("m2", { input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 7 }),
    message("m3", { input_tokens: 30, output_tokens: 3 }, { parent_tool_use_id: "t" }),
  ];
  const ended = (more: object) => ({
    ...{ type: "result", subtype: "success", result: "fine", session_id: "s", num_turns: 2, ...more },
  });

  test("[A11] each message counts once, the result has the last word, and its own sub-agents are in it", async () => {
    const models = {
      big: { inputTokens: 40, cacheCreationInputTokens: 90, cacheReadInputTokens: 100, outputTokens: 30 },
      small: { inputTokens: 30, outputTokens: 9 },
    };
    const result = ended({ total_cost_usd: 0.125, usage: { input_tokens: 1 }, modelUsage: models });
    const { spent, outcome } = await printing("claude", [...messages, result]);
    expect(spent).toEqual([
      used(100, 0, 1, null, 1),
      used(100, 0, 5, null, 1),
      used(120, 100, 12, null, 2),
      used(150, 100, 15, null, 3),
    ]);
    expect(outcome.used).toEqual(used(160, 100, 39, 0.125, 2));
    const plain = await printing("claude", [
      ended({ total_cost_usd: 0.5, usage: { input_tokens: 7, output_tokens: 8 } }),
    ]);
    expect(plain.outcome.used).toEqual(used(7, 0, 8, 0.5, 2));
  });

  test("[A11] a resumed session is counted once, whether the program continues counting or starts at 0", async () => {
    const counted = used(1000, 0, 100, 1, 5);
    const seen = message("m1", { input_tokens: 2000, output_tokens: 1 });
    const usage = (input_tokens: number, output_tokens: number) => ({ input_tokens, output_tokens });
    const goesOn = ended({ total_cost_usd: 3, usage: usage(3000, 300) });
    const anew = ended({ total_cost_usd: 2, usage: usage(2000, 200) });
    const job = { session: "s", counted };
    expect((await printing("claude", [seen, goesOn], job)).outcome.used).toEqual(used(2000, 0, 200, 2, 2));
    expect((await printing("claude", [seen, anew], job)).outcome.used).toEqual(used(2000, 0, 200, 2, 2));
  });

  test("[A11] it gets the remaining money, and stopping for that is not another failure", async () => {
    const stop = ended({ subtype: "error_max_budget_usd", is_error: true, total_cost_usd: 0.26 });
    const { launch, outcome } = await printing("claude", [...messages, stop], { costLeft: 0.25 });
    expect(launch.argv.join(" ")).toContain("--max-budget-usd 0.25");
    expect(outcome).toMatchObject({ overBudget: true, final: "x", used: { costUsd: 0.26 } });
    expect((await printing("claude", messages)).launch.argv.join(" ")).not.toContain("--max-budget-usd");
  });
});

describe("Codex", () => {
  const turn = (usage: object) => ({ type: "turn.completed", usage });
  const usage = {
    input_tokens: 1000,
    cached_input_tokens: 600,
    output_tokens: 50,
    reasoning_output_tokens: 20,
  };

  test("[A11] a turn's end says what its session has used, which counts once when it is resumed", async () => {
    const { outcome } = await printing("codex", [{ type: "thread.started", thread_id: "th" }, turn(usage)]);
    expect(outcome).toMatchObject({
      used: used(400, 600, 50, null, 1),
      counted: used(400, 600, 50, null, 1),
    });
    const more = { input_tokens: 1500, cached_input_tokens: 900, output_tokens: 80 };
    const job = { session: "th", counted: outcome.counted };
    expect((await printing("codex", [turn(more)], job)).outcome.used).toEqual(used(200, 300, 30, null, 1));
    expect((await printing("codex", [{ type: "turn.completed" }])).outcome.used).toBeUndefined();
  });

  test("[A11] while it works the file of its session says it", async () => {
    using home = temporaryFolder();
    const day = join(home.path, "sessions/2026/05/14");
    mkdirSync(day, { recursive: true });
    const file = join(day, "rollout-2026-05-14T10-00-00-th.jsonl");
    const count = { payload: { type: "token_count", info: { total_token_usage: usage } } };
    const item = { type: "item.completed", item: { id: "1", type: "agent_message", text: "half" } };
    const { spent, outcome } = await printing(
      "codex",
      [
        { type: "thread.started", thread_id: "th" },
        `echo '${JSON.stringify(count)}' > ${file}; echo '{"payload":{"type":"token_count"' >> ${file}`,
        item,
      ],
      {},
      `env = { CODEX_HOME = "${home.path}" }`,
    );
    expect(spent).toContainEqual(used(400, 600, 50, null, 1));
    expect(outcome.error).toBe("it exited before its turn was complete");
  });
});

test("[A11] OpenCode says it of each step", async () => {
  const step = (input: number, cost?: number) => ({
    type: "step_finish",
    sessionID: "s",
    part: { tokens: { input, output: 5, reasoning: 2, cache: { read: 50, write: 10 } }, cost },
  });
  const { spent, outcome } = await printing("opencode", [
    step(100, 0.25),
    { type: "text", sessionID: "s", part: { text: "ok" } },
    step(200, 0.5),
  ]);
  expect(spent).toEqual([used(110, 50, 7, 0.25, 1), used(320, 100, 14, 0.75, 2)]);
  expect(outcome.used).toEqual(used(320, 100, 14, 0.75, 2));
});

describe("ACP", () => {
  async function talked(steps: Step[], job: Partial<Job> = {}) {
    using folder = temporaryFolder();
    const command = JSON.stringify([process.execPath, join(root, "test/support/acp-agent.ts")]);
    const runner = await runnerIn(folder.path, "mine", `[runners.mine]\nkind = "acp"\ncommand = ${command}`);
    const env = { ACP_WAYS: JSON.stringify({ resume: true }) };
    return await play(runner, jobIn(folder, { prompt: JSON.stringify(steps), ...job }), { env });
  }

  test("[A11] money is known while it works, tokens with the answer; both are of the session", async () => {
    const usage = {
      totalTokens: 180,
      inputTokens: 100,
      cachedReadTokens: 50,
      outputTokens: 20,
      thoughtTokens: 10,
    };
    const first = await talked([{ cost: 0.25 }, { cost: 99, currency: "EUR" }, { cost: 0.5 }, { usage }]);
    expect(first.spent).toEqual([used(0, 0, 0, 0.25, 1), used(0, 0, 0, 0.5, 1)]);
    expect(first.outcome).toMatchObject({ used: used(100, 50, 30, 0.5, 1) });
    const again = {
      ...usage,
      totalTokens: 360,
      inputTokens: 200,
      cachedReadTokens: 100,
      outputTokens: 40,
      thoughtTokens: 20,
    };
    const job = { session: "s-1", counted: first.outcome.counted };
    const second = await talked([{ cost: 0.75 }, { usage: again }], job);
    expect(second.spent).toEqual([used(0, 0, 0, 0.25, 1)]);
    expect(second.outcome.used).toEqual(used(100, 50, 30, 0.25, 1));
  });

  test("[A11] Gemini CLI's own place for it counts too, and an agent may say nothing", async () => {
    const { outcome } = await talked([{ quota: { input_tokens: 7, output_tokens: 8 } }]);
    expect(outcome.used).toEqual(used(7, 0, 8, null, 1));
    expect((await talked([{ say: "ok" }])).outcome.used).toBeUndefined();
  });
});

test("[A11] a command with JSON may have its usage in it", async () => {
  const answer = {
    result: "fine",
    usage: { input_tokens: 3, output_tokens: 4 },
    total_cost_usd: 0.01,
    num_turns: 2,
  };
  const { outcome } = await printing("command", [answer], {}, 'output = "json"');
  expect(outcome).toEqual({ final: "fine", used: used(3, 0, 4, 0.01, 2) });
});

test("[A11] a count that is lower than before belongs to a new session", () => {
  const before = used(10, 10, 10, 1, 1);
  expect(sinceCounted(used(15, 12, 11, 1.5, 1), before)).toEqual(used(5, 2, 1, 0.5, 1));
  expect(sinceCounted(used(15, 12, 9, 0.5, 1), before)).toEqual(used(15, 12, 9, 0.5, 1));
});
