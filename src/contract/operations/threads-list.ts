import * as v from "valibot";
import { flag, integer, name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { lease } from "../lease.ts";
import { operation } from "../operation.ts";
import { unknown } from "../recipient.ts";
import { statusFilter, thread } from "../thread.ts";
import { nextEventId } from "../waiting.ts";

export const threadsList = operation("threads.list", "list", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "List threads, newest first",
  input: () =>
    v.strictObject({
      agent: v.optional(name("only threads created by or assigned to this agent", "AGENT")),
      status: v.optional(statusFilter()),
      createdBy: v.optional(name("only threads created by this agent", "AGENT")),
      assignedTo: v.optional(name("only threads assigned to this agent", "AGENT")),
      run: v.optional(name("only threads of this run", "RUN")),
      before: v.optional(threadId("only threads older than this one, for the next page")),
      leases: flag("also list the leases of these threads"),
      limit: v.optional(integer("maximum number of results (default: 50)", { min: 1, max: 1000 }), 50),
    }),
  output: () =>
    v.strictObject({
      threads: v.array(thread()),
      hasMore: v.boolean(),
      /** Only where they were asked for. */
      leases: v.optional(v.array(v.strictObject({ threadId: v.string(), ...lease().entries }))),
      /** [M13] Where none were found: names of agents in the filters that look misspelled. */
      unknown: unknown(),
      nextEventId: nextEventId(),
    }),
  errors: ["invalid_input"],
  http: ["GET /api/threads"],
  mcp: {
    tool: "list",
    set: "worker",
    usualFor: ["leader"],
    use: "Find threads by agent, status or run. fetch shows your own work.",
  },
  examples: ["inbox list --status pending,blocked", "inbox list --created-by leader --limit 10 --json"],
}));
