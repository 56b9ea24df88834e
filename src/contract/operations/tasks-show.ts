import * as v from "valibot";
import { operation } from "../operation.ts";
import { task, taskName } from "../task.ts";

export const showTask = operation({
  name: "tasks.show",
  kind: "read",
  scope: "worker",
  summary: "Show one task, the newest of that name",
  input: () => v.strictObject({ name: taskName() }),
  output: () => v.strictObject({ task: task() }),
  errors: ["not_found"],
  cli: { command: "show", program: "orch", plain: ["name"] },
  http: ["GET /api/tasks/:name"],
  mcp: { none: "queue shows it" },
  examples: ["orch show research"],
});
