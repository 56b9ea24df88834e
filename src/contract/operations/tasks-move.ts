import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { integer, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { queueOf, task, taskName } from "../task.ts";

export const tasksMove = operation("tasks.move", "move", () => ({
  kind: "write",
  access: { on: "task", by: "name", does: "change" },
  summary: "Move a task within the queue",
  detail: phrase`Give exactly one of ${field("to")}, ${field("before")} and ${field("behind")}. Priority and dependencies take precedence.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName(),
      to: v.optional(integer("its new position; 1 is first", { min: 1, max: 1_000_000 })),
      before: v.optional(taskName("directly before this task")),
      behind: v.optional(name("directly after this task", "TASK", "after", "behind")),
    }),
  combinations: [excludes("to", "before", "behind"), excludes("before", "behind")],
  output: () => v.strictObject({ task: task(), place: v.number() }),
  errors: ["not_found", "invalid_state", "invalid_input"],
  cli: {
    program: "orch",
    plain: ["name", "to"],
    identity: "agent",
    identityDefault: "main",
  },
  http: ["POST /api/tasks/:name/move"],
  mcp: { none: "a model has no use for it: it pushes in the order it wants" },
  examples: ["orch move research 1", "orch move research before=write-up"],
}));
