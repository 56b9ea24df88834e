import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { flag, number } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, field, phrase } from "../phrase.ts";
import { stats } from "../stats.ts";

export const busTop = operation("bus.top", "top", () => ({
  kind: "local",
  access: { on: "everybody" },
  summary: "Watch the bus live in the terminal",
  detail: phrase`Shows the output of ${call("stats.show")} and refreshes it until q or Ctrl-C. Without a terminal, or with ${field("once")}, it is printed once.`,
  input: () =>
    v.strictObject({
      once: flag("print it once, without redrawing"),
      interval: v.optional(
        number("refresh every N seconds (default: 2)", { min: 0.1, max: 3600, unit: "seconds" }),
        2,
      ),
    }),
  combinations: [excludes("once", "interval")],
  output: stats,
  errors: ["invalid_input", "not_initialized", "storage"],
  http: { none: "GET /api/stats has what it shows" },
  mcp: { none: "the tool stats has what it shows" },
  examples: ["inbox top", "inbox top --once", "inbox top --db http://127.0.0.1:3456"],
}));
