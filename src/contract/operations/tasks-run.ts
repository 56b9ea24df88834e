import * as v from "valibot";
import { integer } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { queueOf, taskTimeout } from "../task.ts";
import { held } from "../usage.ts";

export const tasksRun = operation("tasks.run", "run", () => ({
  kind: "write",
  access: { on: "own", starts: true },
  summary: "Start your queued tasks, and return at once",
  detail: phrase`At most N of your tasks run at the same time; the others start as these finish. Tasks you push later wait for the next run. Results are delivered to your inbox: ${call("mailbox.receive")}.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      count: v.optional(
        integer("maximum number running at the same time (default: all)", { min: 1, max: 10_000 }),
      ),
      timeout: taskTimeout("SIGKILL each task after N seconds, unless it has its own timeout"),
    }),
  output: () =>
    v.strictObject({
      released: v.array(v.string()),
      running: v.number(),
      waiting: v.number(),
      /** Why none of them starts today. */
      held: v.nullable(held()),
    }),
  errors: ["invalid_input", "not_allowed"],
  cli: { program: "orch", plain: ["count"], identity: "agent", identityDefault: "main" },
  http: ["POST /api/tasks/run"],
  mcp: {
    tool: "run",
    set: "supervisor",
    use: "Start the tasks you have pushed, at most count at the same time. Then wait for results with check_inbox or gather.",
  },
  examples: ["orch run", "orch run 2 timeout=300"],
}));
