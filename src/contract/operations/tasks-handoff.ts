import * as v from "valibot";
import { mail } from "../mail.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { prompt, queueOf, taskName, taskSettings, taskWords } from "../task.ts";
import { timeoutSeconds } from "../waiting.ts";

export const tasksHandoff = operation({
  name: "tasks.handoff",
  kind: "wait",
  access: { on: "task", by: "terminalId", does: "change", starts: true },
  summary: "Start a sub-agent on a task and wait for its result",
  detail: phrase`The result is collected and does not come to the inbox again. After ${field("timeoutSeconds")} the answer is "running" with the terminalId; a handoff with that terminalId continues waiting.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      message: v.optional(prompt()),
      terminalId: v.optional(taskName("continue waiting for this sub-agent")),
      ...taskSettings(),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds; 0: do not wait (default: none, wait until it has ended)",
        // Beside the task's own --timeout, which ends the sub-agent.
        { flag: "wait-seconds", formerFlag: "timeout-seconds" },
      ),
    }),
  output: () =>
    v.strictObject({
      success: v.nullable(v.boolean()),
      status: v.picklist(["finished", "running"]),
      terminalId: v.string(),
      message: v.nullable(v.string()),
      messages: v.array(mail()),
    }),
  errors: ["invalid_input", "not_allowed", "too_large", "conflict", "not_found", "invalid_state"],
  cli: {
    command: "handoff",
    program: "orch",
    plain: ["profile", "message"],
    lastFirst: true,
    identity: "agent",
    identityDefault: "main",
  },
  waits: { goesOn: ({ agent }, { terminalId }) => ({ agent, terminalId }) },
  http: ["POST /api/tasks/handoff"],
  mcp: {
    tool: "handoff",
    set: "supervisor",
    usual: true,
    usualFor: ["leader"],
    use: "Start one sub-agent and wait for its answer; if it is still running, call again with terminal_id. For several use assign.",
    renamed: { timeoutSeconds: "wait" },
    says: {
      ...taskWords,
      message: "what to do; give this or terminal_id",
      terminalId: "continue waiting for this sub-agent",
    },
    without: [
      "cwd",
      "timeout",
      "budget",
      "priority",
      "retries",
      "after",
      "worker",
      "permission",
      "worktree",
      "withChanges",
    ],
  },
  nothing: ({ status }) => status === "running",
  failed: ({ success }) => success === false,
  examples: [
    'orch handoff claude "Review the diff in /tmp/change.patch"',
    "orch handoff --terminal-id otter --wait-seconds 300",
  ],
});
