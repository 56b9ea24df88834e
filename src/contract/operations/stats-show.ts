import * as v from "valibot";
import { operation } from "../operation.ts";
import { stats } from "../stats.ts";

export const statsShow = operation("stats.show", "stats", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "Show counts, rates, and what needs attention",
  detail:
    "Counts of agents, open threads, waiting mail, tasks and dead letters; rates of the last minute; the number of threads that ended in each hour; the longest queues, the leases that expire soonest, and running sub-agents with their last line of output.",
  input: () => v.strictObject({}),
  output: stats,
  errors: [],
  http: ["GET /api/stats"],
  mcp: {
    tool: "stats",
    set: "supervisor",
    idempotent: true,
    use: "See the state of the whole bus: queues, oldest mail, leases about to expire, running sub-agents.",
  },
  examples: ["inbox stats", "inbox stats --json"],
}));
