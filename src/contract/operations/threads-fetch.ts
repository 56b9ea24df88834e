import * as v from "valibot";
import { flag, integer, name } from "../fields.ts";
import { held, lease } from "../lease.ts";
import { operation } from "../operation.ts";
import { unknown } from "../recipient.ts";
import { statusFilter, thread } from "../thread.ts";
import { nextEventId } from "../waiting.ts";

export const threadsFetch = operation("threads.fetch", "fetch", () => ({
  kind: "read",
  access: { on: "own" },
  summary: "List the threads an agent could claim, without claiming any",
  detail:
    "Lists threads assigned to the agent or its pools, including those whose lease has expired: " +
    "by priority, then oldest first. To work on one, claim it: fetching grants no lease.",
  input: () =>
    v.strictObject({
      agent: name("the agent that would claim them", "AGENT"),
      status: v.optional(statusFilter("only threads in these states (default: pending,blocked)"), [
        "pending",
        "blocked",
      ]),
      unread: flag("only threads with a message from another agent that this agent has not read"),
      limit: v.optional(integer("maximum number of results (default: 50)", { min: 1, max: 1000 }), 50),
    }),
  output: () =>
    v.strictObject({
      threads: v.array(
        v.strictObject({ ...thread().entries, claimable: v.boolean(), lease: v.nullable(lease()) }),
      ),
      nextEventId: nextEventId(),
      /** If there are none: what the agent holds already. */
      held: held(),
      unknown: unknown(),
    }),
  errors: ["invalid_input"],
  cli: { identity: "agent" },
  http: ["GET /api/agents/:agent/threads"],
  mcp: {
    tool: "fetch",
    set: "worker",
    usualFor: ["worker"],
    use: "List the work waiting for you; claim takes it.",
    without: ["limit"],
  },
  nothing: (output) => output.threads.length === 0,
  examples: ["inbox fetch --agent backend-worker", "inbox fetch --agent backend-worker --unread --json"],
}));
