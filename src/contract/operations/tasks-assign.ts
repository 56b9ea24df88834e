import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { unknown } from "../recipient.ts";
import {
  promptAsMessage,
  queueOf,
  startingCommand,
  startingTool,
  taskCombinations,
  taskSettings,
  taskWords,
} from "../task.ts";
import { keptBranch } from "../worktree.ts";

export const tasksAssign = operation("tasks.assign", "assign", () => ({
  kind: "write",
  access: { on: "own", starts: true },
  summary: "Start a sub-agent on a task, and return at once",
  detail: phrase`Push and run in one step. The output has the sub-agent's name, which is also the sender of its messages. Collect the results of several with ${call("mailbox.wait")} or ${call("mailbox.gather")}.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      message: promptAsMessage(),
      ...taskSettings(),
    }),
  combinations: taskCombinations,
  output: () =>
    v.strictObject({
      success: v.literal(true),
      terminalId: v.string(),
      /** Who gets its result. */
      parent: v.string(),
      /** [M13] The parent, if its name looks misspelled: nobody would get the result. */
      unknown: unknown(),
      /** Earlier tasks of its name whose branches are kept: from now on the name means this one. */
      others: v.optional(v.array(keptBranch())),
    }),
  errors: ["invalid_input", "not_allowed", "too_large", "conflict", "not_found", "invalid_state"],
  cli: {
    ...startingCommand,
  },
  creates: true,
  http: ["POST /api/tasks/assign"],
  mcp: {
    tool: "assign",
    ...startingTool,
    use: "Start a sub-agent without waiting; its result comes to your inbox (check_inbox, gather). To wait for one use handoff.",
    says: taskWords,
  },
  examples: ['orch assign claude "[Task: dataset_A] Compute the mean of data/a.csv"'],
}));
