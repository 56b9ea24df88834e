import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { prompt, queueOf, taskSettings, taskWords } from "../task.ts";

export const tasksAssign = operation({
  name: "tasks.assign",
  kind: "write",
  access: { on: "own", starts: true },
  summary: "Start a sub-agent on a task, and return at once",
  detail: phrase`Push and run in one step. terminalId is the sub-agent's name, and the sender of its messages. Collect the results of several with ${call("mailbox.wait")} or ${call("mailbox.gather")}.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      message: prompt(),
      ...taskSettings(),
    }),
  output: () => v.strictObject({ success: v.literal(true), terminalId: v.string() }),
  errors: ["invalid_input", "not_allowed", "too_large", "conflict", "not_found", "invalid_state"],
  cli: {
    command: "assign",
    program: "orch",
    plain: ["profile", "message"],
    lastFirst: true,
    identity: "agent",
    identityDefault: "main",
  },
  creates: true,
  http: ["POST /api/tasks/assign"],
  mcp: {
    tool: "assign",
    set: "supervisor",
    usual: true,
    usualFor: ["leader"],
    use: "Start a sub-agent without waiting; its result comes to your inbox (check_inbox, gather). To wait for one use handoff.",
    says: taskWords,
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
  examples: ['orch assign claude "[Task: dataset_A] Compute the mean of data/a.csv"'],
});
