import * as v from "valibot";
import { integer } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { queueOf, taskTimeout } from "../task.ts";

export const tasksRun = operation({
  name: "tasks.run",
  kind: "write",
  access: { on: "own", starts: true },
  summary: "Start what you have queued, and return at once",
  detail: phrase`N is how many of yours run at a time; the others follow as they finish. What you push later waits for the next
    run. Results come to your inbox by themselves: ${call("mailbox.receive")}.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      count: v.optional(integer("how many at a time (default: all)", { min: 1, max: 10_000 })),
      timeout: taskTimeout("kill each hard after so many seconds, unless it has a timeout of its own"),
    }),
  output: () => v.strictObject({ released: v.array(v.string()), running: v.number(), waiting: v.number() }),
  errors: ["invalid_input", "not_allowed"],
  cli: { command: "run", program: "orch", plain: ["count"], identity: "agent", identityDefault: "main" },
  http: ["POST /api/tasks/run"],
  mcp: {
    tool: "run",
    set: "supervisor",
    use: "Start the tasks you have pushed; count is how many at a time. Then wait for results with check_inbox or gather.",
  },
  examples: ["orch run", "orch run 2 timeout=300"],
});
