import * as v from "valibot";
import { operation } from "../operation.ts";

export const poolsList = operation({
  name: "pools.list",
  kind: "read",
  access: { on: "everybody" },
  summary: "List the pools, who is in each, and how much waits there",
  detail: "Also pools that nobody is in any more: what is sent to those waits for a member.",
  input: () => v.strictObject({}),
  output: () =>
    v.strictObject({
      pools: v.array(
        v.strictObject({
          pool: v.string(),
          members: v.array(v.string()),
          /** Threads that nobody has claimed yet. */
          pending: v.number(),
          createdAt: v.string(),
        }),
      ),
    }),
  errors: [],
  cli: { command: "pool list" },
  http: ["GET /api/pools"],
  mcp: { tool: "pools", set: "worker", use: "See which pools there are, and who is in them." },
  examples: ["inbox pool list"],
});
