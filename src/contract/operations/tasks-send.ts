import * as v from "valibot";
import { flag } from "../fields.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { queueOf, task, taskName, told } from "../task.ts";
import { budgetAsked } from "../usage.ts";
import { worktreeStates } from "../worktree.ts";

export const tasksSend = operation("tasks.send", "send", () => ({
  kind: "write",
  access: { on: "task", by: "name", does: "change", starts: true },
  summary: "Send a message to a sub-agent; a finished one resumes with it",
  detail: phrase`While the sub-agent is queued or running, the message is put into its inbox, as ${call("mailbox.send")} does, or interrupts it. If it has finished and its program can resume, its session gets the message as another turn of the same task, and its answer is delivered to the parent's inbox. It continues in its worktree. If its branch was merged, it starts from the target branch; if it was discarded, from the branch it was pushed from.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName("the sub-agent: its name, id or branch"),
      message: told("what to tell it"),
      interrupt: flag("end its current turn, if it is running; it then continues with the message"),
      budget: budgetAsked(
        "its budget from now on, for all of its turns together: tokens (200k) or dollars (2.50usd)",
      ),
    }),
  output: () =>
    v.strictObject({
      /** `inbox`: it lies in its inbox. `turn`: its session goes on with it. */
      delivered: v.picklist(["inbox", "turn"]),
      task: task(),
      /** Where its worktree begins with this turn; null where it has none, or the message lies in its inbox. */
      begins: v.nullable(
        v.strictObject({
          /** A branch, or the commit that it was pushed from where no branch was checked out. */
          from: v.string(),
          /** What had become of its earlier changes. */
          earlier: v.picklist(worktreeStates),
        }),
      ),
    }),
  errors: ["not_found", "invalid_state", "invalid_input", "too_large", "not_allowed"],
  cli: {
    program: "orch",
    plain: ["name", "message"],
    identity: "agent",
    identityDefault: "main",
  },
  http: ["POST /api/tasks/:name/send"],
  mcp: {
    tool: "follow_up",
    set: "supervisor",
    use: "Send a sub-agent another message, even after its result: its session continues. The answer is delivered to your inbox.",
  },
  examples: [
    'orch send fix-login "Also cover the empty password in a test"',
    'orch send fix-login "Go on" --budget 500k',
  ],
}));
