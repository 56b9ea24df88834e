import * as v from "valibot";
import { name } from "../fields.ts";
import { limitToSet } from "../limit.ts";
import { operation } from "../operation.ts";
import { quota } from "../quota.ts";

const limit = (help: string) => limitToSet(help, { min: 0, max: 1e15, whole: true });

export const quotasSet = operation("quotas.set", "quota set", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Set the quotas of one agent, or of all agents",
  detail:
    "A limit that is not given stays as it is; the value none removes one. A call without any removes the quota: for an agent, the limits for all " +
    "agents apply again. A write that exceeds a quota is refused as a whole. The person has no quota; results of tasks are always delivered.",
  input: () =>
    v.strictObject({
      name: v.optional(name("the agent (default: all agents without a quota of their own)", "AGENT")),
      messagesPerMinute: limit("maximum number of messages per minute, including copies"),
      bytesPerDay: limit("maximum number of bytes of text per day (UTC)"),
      openThreads: limit("maximum number of open threads it has created"),
      subAgents: limit("maximum number of its unfinished tasks"),
      agent: name("who changes it", "AGENT"),
    }),
  output: () => v.strictObject({ quotas: v.array(quota()) }),
  errors: ["invalid_input"],
  cli: { plain: ["name"], identity: "agent", identityDefault: "main" },
  http: ["PUT /api/quotas"],
  mcp: { none: "an agent must not change what it may do" },
  examples: [
    "inbox quota set --messages-per-minute 600 --bytes-per-day 100000000",
    "inbox quota set worker-1 --messages-per-minute 30 --open-threads 20 --sub-agents 5",
    "inbox quota set worker-1 --open-threads none",
    "inbox quota set worker-1",
  ],
}));
