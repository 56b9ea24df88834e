import * as v from "valibot";
import { operation } from "../operation.ts";
import { task, taskName } from "../task.ts";
import { reported } from "../usage.ts";

export const tasksShow = operation("tasks.show", "show", () => ({
  kind: "read",
  access: { on: "task", by: "name", does: "read" },
  summary: "Show one task, the newest of that name",
  detail: "If its program can continue a conversation, resume in the output is the command that reopens it.",
  input: () => v.strictObject({ name: taskName() }),
  output: () =>
    v.strictObject({
      task: task(),
      /** The command that opens its conversation again, in its folder. */
      resume: v.nullable(v.array(v.string())),
      /** What its program reports of its usage; null where its profile is not known here. */
      reports: v.nullable(reported()),
    }),
  errors: ["not_found"],
  cli: { program: "orch", plain: ["name"] },
  http: ["GET /api/tasks/:name"],
  mcp: { none: "queue shows it" },
  examples: ["orch show research"],
}));
