import * as v from "valibot";
import { flag, integer, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { taskInQueue } from "../task.ts";

export const tasksQueue = operation({
  name: "tasks.queue",
  kind: "read",
  access: { on: "visible" },
  summary: "Show what is queued, running and finished",
  detail: phrase`What a task answered is in its parent's inbox, not here. ${field("all")} shows everybody's tasks.`,
  input: () =>
    v.strictObject({
      agent: v.optional(name("whose queue", "AGENT")),
      all: flag("the tasks of all agents"),
      limit: v.optional(
        integer("at most so many finished ones, the newest (default: 50)", { min: 1, max: 1000 }),
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
    }),
  errors: ["invalid_input"],
  cli: { command: "queue", program: "orch", identity: "agent", identityDefault: "main" },
  http: ["GET /api/tasks"],
  mcp: {
    tool: "queue",
    set: "supervisor",
    usualFor: ["leader"],
    use: "See which of your tasks are queued, running or finished. Results are not here but in your inbox.",
  },
  examples: ["orch queue", "orch queue --all --json"],
});
