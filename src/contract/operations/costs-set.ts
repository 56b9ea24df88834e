import * as v from "valibot";
import { integer, name, number } from "../fields.ts";
import { operation } from "../operation.ts";
import { costs } from "../usage.ts";

export const costsSet = operation({
  name: "costs.set",
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Set how much all tasks together may use on one day",
  detail:
    "Sets both limits: one that is left out is removed. Once a limit is reached, queued tasks wait until the next day (UTC) or a higher limit, " +
    "and tasks that would start at once are refused. Running tasks go on; their budgets limit them. 0 stops all starts.",
  input: () =>
    v.strictObject({
      tokens: v.optional(integer("maximum number of tokens per day", { min: 0, max: 1e15 })),
      usd: v.optional(
        number("maximum amount of US dollars per day", { min: 0, max: 1e9, unit: "US dollars" }),
      ),
      agent: name("who changes it", "AGENT"),
    }),
  output: costs,
  errors: ["invalid_input"],
  cli: { command: "costs set", program: "orch", identity: "agent", identityDefault: "main" },
  http: ["PUT /api/costs"],
  mcp: { none: "an agent must not change what it may spend" },
  examples: ["orch costs set --usd 20", "orch costs set --usd 20 --tokens 5000000", "orch costs set"],
});
