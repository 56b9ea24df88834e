import * as v from "valibot";
import { flag, integer, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { taskInQueue } from "../task.ts";
import { held } from "../usage.ts";

export const tasksQueue = operation("tasks.queue", "queue", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "List queued, running and finished tasks",
  detail: phrase`Results are in the parent's inbox, not here. ${field("all")} lists the tasks of all agents.`,
  input: () =>
    v.strictObject({
      agent: v.optional(name("the owner of the queue", "AGENT")),
      all: flag("the tasks of all agents"),
      limit: v.optional(
        integer("maximum number of finished tasks, newest first (default: 50)", { min: 1, max: 1000 }),
        50,
      ),
    }),
  output: () =>
    v.strictObject({
      queued: v.array(taskInQueue()),
      running: v.array(taskInQueue()),
      finished: v.array(taskInQueue()),
      /** There are earlier ones that have finished. */
      hasMore: v.boolean(),
      /** Why nothing that waits starts today. */
      held: v.nullable(held()),
    }),
  errors: ["invalid_input"],
  cli: { program: "orch", identity: "agent", identityDefault: "main" },
  http: ["GET /api/tasks"],
  mcp: {
    tool: "queue",
    set: "supervisor",
    usualFor: ["leader"],
    use: "List your queued, running and finished tasks. Their results are in your inbox.",
  },
  examples: ["orch queue", "orch queue --all --json"],
}));
