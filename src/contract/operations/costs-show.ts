import * as v from "valibot";
import { integer } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { costs } from "../usage.ts";

export const costsShow = operation("costs.show", "costs", () => ({
  kind: "read",
  access: { on: "everybody" },
  summary: "Show what tasks have cost by day, and the daily limit",
  detail: phrase`Days are in UTC, newest first; days without usage are left out. What a single task has cost is in ${call("tasks.queue")} and ${call("tasks.show")}.`,
  input: () =>
    v.strictObject({
      days: v.optional(integer("maximum number of days (default: 30)", { min: 1, max: 3660 }), 30),
    }),
  output: costs,
  errors: [],
  cli: { program: "orch" },
  http: ["GET /api/costs"],
  mcp: { none: "the tool stats has what today has cost" },
  examples: ["orch costs", "orch costs --days 7 --json"],
}));
