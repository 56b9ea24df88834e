import * as v from "valibot";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";
import { queueOf, task, taskName } from "../task.ts";

export const tasksKill = operation("tasks.kill", "kill", () => ({
  kind: "write",
  access: { on: "task", by: "name", does: "change" },
  summary: "Kill a running task and everything it has started",
  detail:
    "Sends SIGKILL to the whole process tree, and kills the tasks it pushed. Its parent is told that it failed, with the output so far.",
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName(),
      reason: v.optional(text("why", { limit: 1024 })),
    }),
  output: () => v.strictObject({ task: task(), killed: v.array(v.string()) }),
  errors: ["not_found", "invalid_state"],
  cli: {
    program: "orch",
    plain: ["name", "reason"],
    identity: "agent",
    identityDefault: "main",
  },
  http: ["POST /api/tasks/:name/kill"],
  mcp: {
    tool: "kill",
    set: "supervisor",
    use: "Kill a running task with everything below it. You get its failure as a message.",
    destructive: true,
  },
  examples: ["orch kill research", 'orch kill research "not needed any more"'],
}));
