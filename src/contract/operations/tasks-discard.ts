import * as v from "valibot";
import { operation } from "../operation.ts";
import { queueOf, taskName } from "../task.ts";
import { keptBranch } from "../worktree.ts";

export const tasksDiscard = operation("tasks.discard", "discard", () => ({
  kind: "write",
  access: { on: "task", by: "name", does: "change" },
  summary: "Delete the worktree and the branch of a finished task",
  detail:
    "The output names the commit with the last state of the worktree, including uncommitted changes. Git keeps that commit for a while: git branch NAME COMMIT brings it back.",
  input: () => v.strictObject({ agent: queueOf(), name: taskName() }),
  output: () =>
    v.strictObject({
      branch: v.string(),
      commit: v.nullable(v.string()),
      /** Other tasks of its name, whose branches are kept as well. */
      others: v.array(keptBranch()),
    }),
  errors: ["not_found", "invalid_state"],
  cli: { program: "orch", plain: ["name"], identity: "agent", identityDefault: "main" },
  http: ["POST /api/tasks/:name/discard"],
  mcp: {
    tool: "discard",
    set: "supervisor",
    use: "Delete the worktree and branch of a finished task, with all its changes.",
    destructive: true,
  },
  examples: ["orch discard fix-login"],
}));
