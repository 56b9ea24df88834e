import * as v from "valibot";
import { integer, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { quota } from "../quota.ts";

const limit = (help: string) => v.optional(integer(help, { min: 0, max: 1e15 }));

export const quotasSet = operation({
  name: "quotas.set",
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Set the quotas of one agent, or of everybody",
  detail:
    "All four at once: what is left out is no longer limited, and for an agent everybody's limit counts again. What exceeds a " +
    "quota is refused and nothing of it is written. The person has no quota; results of tasks are always delivered.",
  input: () =>
    v.strictObject({
      name: v.optional(name("the agent; without it everybody who has no limit of its own", "NAME")),
      messagesPerMinute: limit("messages that it may send in one minute, copies included"),
      bytesPerDay: limit("bytes of text that it may write on one day (UTC)"),
      openThreads: limit("threads it has made that may be open at a time"),
      subAgents: limit("its tasks that may be queued or running at a time"),
      agent: name("who changes it", "AGENT"),
    }),
  output: () => v.strictObject({ quotas: v.array(quota()) }),
  errors: ["invalid_input"],
  cli: { command: "quota set", plain: ["name"], identity: "agent", identityDefault: "main" },
  http: ["PUT /api/quotas"],
  mcp: { none: "an agent must not change what it may do" },
  examples: [
    "inbox quota set --messages-per-minute 600 --bytes-per-day 100000000",
    "inbox quota set worker-1 --messages-per-minute 30 --open-threads 20 --sub-agents 5",
    "inbox quota set worker-1",
  ],
});
