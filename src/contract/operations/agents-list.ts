import * as v from "valibot";
import { operation } from "../operation.ts";

export const agentsList = operation("agents.list", "agents", () => ({
  kind: "read",
  access: { on: "everybody" },
  summary: "List agents with the threads they hold and their waiting mail",
  detail:
    "Also lists names that have mail although nobody has used them yet: topics that no reader is stored for, and names that were mistyped.",
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      agents: v.array(
        v.strictObject({
          name: v.string(),
          pools: v.array(v.string()),
          leases: v.number(),
          pending: v.number(),
          mail: v.number(),
          firstSeenAt: v.string(),
          lastSeenAt: v.string(),
          live: v.boolean(),
          ended: v.boolean(),
        }),
      ),
      /** Names that have mail, but that nobody has used yet: the most mail first, at most 20. */
      unused: v.array(v.strictObject({ name: v.string(), mail: v.number() })),
    }),
  errors: [],
  http: ["GET /api/agents"],
  mcp: {
    tool: "agents",
    set: "worker",
    use: "List agents: which are active, what each holds, and how much mail is waiting.",
  },
  examples: ["inbox agents"],
}));
