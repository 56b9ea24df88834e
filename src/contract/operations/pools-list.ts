import * as v from "valibot";
import { operation } from "../operation.ts";

export const poolsList = operation("pools.list", "pool list", () => ({
  kind: "read",
  access: { on: "everybody" },
  summary: "List pools with their members and pending threads",
  detail: "Includes pools without members: threads assigned to them wait for one.",
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
  http: ["GET /api/pools"],
  mcp: { tool: "pools", set: "worker", use: "List pools and their members." },
  examples: ["inbox pool list"],
}));
