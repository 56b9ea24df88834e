import * as v from "valibot";
import { operation } from "../operation.ts";
import { queueOf, task, taskName } from "../task.ts";

export const tasksRemove = operation({
  name: "tasks.remove",
  kind: "write",
  access: { on: "task", by: "name", does: "change" },
  summary: "Take a task that has not started out of the queue",
  detail: "What depends on it is skipped, and its parent is told.",
  input: () => v.strictObject({ agent: queueOf(), name: taskName() }),
  output: () => v.strictObject({ task: task() }),
  errors: ["not_found", "invalid_state"],
  cli: { command: "remove", program: "orch", plain: ["name"], identity: "agent", identityDefault: "main" },
  http: ["DELETE /api/tasks/:name"],
  mcp: {
    tool: "remove",
    set: "supervisor",
    use: "Take a task that has not started out of the queue. kill ends a running one.",
    destructive: true,
  },
  examples: ["orch remove research"],
});
