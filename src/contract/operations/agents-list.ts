import * as v from "valibot";
import { operation } from "../operation.ts";

export const agentsList = operation({
  name: "agents.list",
  kind: "read",
  access: { on: "everybody" },
  summary: "Show who there is, and what each holds and has waiting",
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
  cli: { command: "agents" },
  http: ["GET /api/agents"],
  mcp: {
    tool: "agents",
    set: "worker",
    use: "See who there is, who lives, what each holds, and how much mail waits for it.",
  },
  examples: ["inbox agents"],
});
