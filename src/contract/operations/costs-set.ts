import * as v from "valibot";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";
import { costs, limitAsked } from "../usage.ts";

export const costsSet = operation("costs.set", "costs set", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Set the daily limits for all tasks together",
  detail:
    "A limit that is not given stays as it is; the value none removes a limit. Once a limit is reached, queued tasks wait until the next day (UTC) or a higher limit, " +
    "and tasks that would start at once are refused. Running tasks continue until their own budgets end them. With a limit of 0 no task starts.",
  input: () =>
    v.strictObject({
      tokens: limitAsked("tokens", "maximum number of tokens per day"),
      usd: limitAsked("usd", "maximum amount of US dollars per day"),
      agent: name("who changes it", "AGENT"),
    }),
  output: costs,
  errors: ["invalid_input"],
  cli: { program: "orch", identity: "agent", identityDefault: "main" },
  http: ["PUT /api/costs"],
  mcp: { none: "an agent must not change what it may spend" },
  examples: ["orch costs set --usd 20", "orch costs set --usd 20 --tokens 5M", "orch costs set --usd none"],
}));
