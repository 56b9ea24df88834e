import * as v from "valibot";
import { integer, name, number } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { usage } from "../usage.ts";

const count = (help: string) => v.optional(integer(help, { min: 0, max: 1e12 }), 0);

export const tasksReport = operation("tasks.report", "report", () => ({
  kind: "write",
  access: { on: "own" },
  summary: "Report what your own task has used, if its runner does not report it",
  detail: phrase`The numbers are added to what was reported before, and the sum is returned. If the runner reports usage itself (${call("tasks.profiles")} shows which do), do not call this: the usage would count twice.`,
  input: () =>
    v.strictObject({
      agent: name("the sub-agent that reports", "AGENT"),
      inputTokens: count("input tokens, without those read from a cache"),
      cachedTokens: count("input tokens read from a cache"),
      outputTokens: count("output tokens"),
      costUsd: v.optional(number("US dollars", { min: 0, max: 1e6, unit: "US dollars" })),
      turns: count("turns of the model"),
    }),
  output: () => v.strictObject({ usage: usage() }),
  errors: ["invalid_state", "invalid_input"],
  cli: { program: "orch", identity: "agent" },
  http: ["POST /api/tasks/report"],
  mcp: { none: "agent programs report by themselves" },
  examples: ["orch report --input-tokens 1200 --output-tokens 300 --cost-usd 0.02 --turns 1"],
}));
