import * as v from "valibot";
import { operation } from "../operation.ts";
import { queueOf, task, taskName } from "../task.ts";

export const tasksRemove = operation("tasks.remove", "remove", () => ({
  kind: "write",
  access: { on: "task", by: "name", does: "change" },
  summary: "Remove a task that has not started",
  detail: "Tasks that depend on it are skipped, and its parent is told.",
  input: () => v.strictObject({ agent: queueOf(), name: taskName() }),
  output: () => v.strictObject({ task: task() }),
  errors: ["not_found", "invalid_state"],
  cli: { program: "orch", plain: ["name"], identity: "agent", identityDefault: "main" },
  http: ["DELETE /api/tasks/:name"],
  mcp: {
    tool: "remove",
    set: "supervisor",
    use: "Remove a task that has not started. To end a running one use kill.",
    destructive: true,
  },
  examples: ["orch remove research"],
}));
