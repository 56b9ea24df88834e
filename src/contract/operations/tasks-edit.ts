import * as v from "valibot";
import { name, names } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { newTimeout, prompt, queueOf, retries, task, taskName, taskPriority } from "../task.ts";
import { budgetAsked } from "../usage.ts";

export const tasksEdit = operation("tasks.edit", "edit", () => ({
  kind: "write",
  access: { on: "task", by: "name", does: "change" },
  summary: "Change a task that has not started",
  detail: "Settings that are not given stay as they are.",
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName(),
      prompt: v.optional(prompt("its new prompt")),
      model: v.optional(name("its new model; none: the profile's", "MODEL")),
      profile: v.optional(name(phrase`its new profile, see ${call("tasks.profiles")}`, "PROFILE")),
      timeout: newTimeout(),
      budget: budgetAsked("its new budget: tokens (200k) or dollars (2.50usd); none: no budget", {
        removable: true,
      }),
      after: v.optional(names("start it only after these tasks have succeeded; empty for none", "TASK,…", 0)),
      retries: retries("retry it up to N times if it fails"),
      priority: taskPriority("its new priority among waiting tasks"),
    }),
  output: () => v.strictObject({ task: task() }),
  errors: ["not_found", "invalid_state", "invalid_input"],
  cli: {
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
    "orch edit research timeout=none",
  ],
}));
