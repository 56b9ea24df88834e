import * as v from "valibot";
import { text } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { queueOf, task, taskName } from "../task.ts";
import { budgetAsked } from "../usage.ts";

export const tasksSend = operation({
  name: "tasks.send",
  kind: "write",
  access: { on: "task", by: "name", does: "change", starts: true },
  summary: "Write to a sub-agent; one that has finished resumes with it",
  detail: phrase`While it is queued or runs, the message is put into its inbox, as ${call("mailbox.send")} does. If it has finished and its program can resume, its session gets the message as another turn of the same task, and its answer comes to the parent's inbox.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName("the sub-agent"),
      message: text("what to tell it", { file: true }),
      budget: budgetAsked(
        "its budget from now on, for all of its turns together: tokens (200k) or dollars (2.50usd)",
      ),
    }),
  output: () =>
    v.strictObject({
      /** `inbox`: it lies in its inbox. `turn`: its session goes on with it. */
      delivered: v.picklist(["inbox", "turn"]),
      task: task(),
    }),
  errors: ["not_found", "invalid_state", "invalid_input", "too_large", "not_allowed"],
  cli: {
    command: "send",
    program: "orch",
    plain: ["name", "message"],
    identity: "agent",
    identityDefault: "main",
  },
  http: ["POST /api/tasks/:name/send"],
  mcp: {
    tool: "follow_up",
    set: "supervisor",
    use: "Tell a sub-agent something more, also after its result: its session goes on. The answer comes to your inbox.",
  },
  examples: [
    'orch send fix-login "Also cover the empty password in a test"',
    'orch send fix-login "Go on" --budget 500k',
  ],
});
