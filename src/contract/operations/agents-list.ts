import * as v from "valibot";
import { operation } from "../operation.ts";

export const agentsList = operation("agents.list", "agents", () => ({
  kind: "read",
  access: { on: "everybody" },
  summary: "List agents with the threads they hold and their waiting mail",
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
