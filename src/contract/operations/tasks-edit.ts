import * as v from "valibot";
import { name, names } from "../fields.ts";
import { operation } from "../operation.ts";
import { prompt, queueOf, retries, task, taskName, taskPriority, taskTimeout } from "../task.ts";
import { budgetAsked } from "../usage.ts";

export const tasksEdit = operation({
  name: "tasks.edit",
  kind: "write",
  access: { on: "task", by: "name", does: "change" },
  summary: "Change a task that has not started",
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName(),
      prompt: v.optional(prompt("its new prompt")),
      model: v.optional(name("another model", "MODEL")),
      profile: v.optional(name("another kind of agent", "PROFILE")),
      timeout: taskTimeout(),
      budget: budgetAsked("another budget: tokens (200k) or dollars (2.50usd)"),
      after: v.optional(names("start it only after these tasks have succeeded; empty for none", "TASK,…", 0)),
      retries: retries(),
      priority: taskPriority(),
    }),
  output: () => v.strictObject({ task: task() }),
  errors: ["not_found", "invalid_state", "invalid_input"],
  cli: {
    command: "edit",
    program: "orch",
    plain: ["name", "prompt"],
    identity: "agent",
    identityDefault: "main",
  },
  http: ["PATCH /api/tasks/:name"],
  mcp: { none: "remove it and push it anew" },
  examples: [
    'orch edit research "Compare all three drafts"',
    "orch edit research timeout=900 priority=high",
    "orch edit research after=",
  ],
});
