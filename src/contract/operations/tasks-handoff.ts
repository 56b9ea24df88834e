import * as v from "valibot";
import { excludes, requires } from "../combinations.ts";
import { name } from "../fields.ts";
import { mail } from "../mail.ts";
import { operation } from "../operation.ts";
import { blank, field, phrase } from "../phrase.ts";
import { unknown } from "../recipient.ts";
import {
  promptAsMessage,
  queueOf,
  startingCommand,
  startingTool,
  taskCombinations,
  taskSettingNames,
  taskSettings,
  taskWords,
} from "../task.ts";
import { timeoutSeconds } from "../waiting.ts";

export const tasksHandoff = operation("tasks.handoff", "handoff", () => ({
  kind: "wait",
  access: { on: "task", by: "terminalId", does: "change", starts: true },
  summary: "Start a sub-agent on a task and wait for its result",
  detail: phrase`The result is collected: it does not stay in your inbox. If the sub-agent is still running after ${field("timeoutSeconds")}, the output has the status "running" and the sub-agent's name; ${field("terminalId", blank("TASK"))} with that name continues waiting.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      message: v.optional(promptAsMessage()),
      terminalId: v.optional(
        name("continue waiting for this sub-agent, by its name", "TASK", "continue", "terminal-id"),
      ),
      ...taskSettings(),
      timeoutSeconds: timeoutSeconds(
        phrase`stop waiting after N seconds, and let the sub-agent continue; 0: do not wait (default: none, wait until it has finished); ${field("timeout")} kills it`,
        // Beside the task's own --timeout, which ends the sub-agent.
        { flag: "wait-seconds", formerFlag: "timeout-seconds" },
      ),
    }),
  combinations: [
    excludes("terminalId", "message", ...taskSettingNames),
    requires("a new sub-agent", {
      unless: "terminalId",
      shown: blank("TASK"),
      fields: { message: blank("…") },
    }),
    ...taskCombinations,
  ],
  output: () =>
    v.strictObject({
      success: v.nullable(v.boolean()),
      status: v.picklist(["finished", "running"]),
      terminalId: v.string(),
      message: v.nullable(v.string()),
      messages: v.array(mail()),
      /** [M13] While it runs: the parent, if its name looks misspelled. */
      unknown: unknown(),
    }),
  errors: ["invalid_input", "not_allowed", "too_large", "conflict", "not_found", "invalid_state"],
  cli: {
    ...startingCommand,
  },
  waits: {
    goesOn: ({ agent }, { terminalId }) => ({ agent, terminalId }),
    over: ({ status }) => status === "finished",
  },
  http: ["POST /api/tasks/handoff"],
  mcp: {
    tool: "handoff",
    ...startingTool,
    use: "Start one sub-agent and wait for its answer; if it is still running, call again with terminal_id. For several use assign.",
    renamed: { timeoutSeconds: "wait" },
    says: {
      ...taskWords,
      message: "what to do; give this or terminal_id",
      terminalId: "continue waiting for this sub-agent",
    },
  },
  nothing: ({ message }) => message === null,
  failed: ({ success, message }) => success === false && message !== null,
  examples: [
    'orch handoff claude "Review the diff in /tmp/change.patch"',
    "orch handoff --continue otter --wait-seconds 300",
  ],
}));
