import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { taskName } from "../task.ts";
import { keptBranch } from "../worktree.ts";

export const tasksDiff = operation("tasks.diff", "diff", () => ({
  kind: "read",
  access: { on: "task", by: "name", does: "read" },
  summary: "Show what a task has changed in its worktree",
  detail: phrase`For a running task: its changes so far, committed or not. ${call("tasks.merge")} merges them.`,
  input: () => v.strictObject({ name: taskName() }),
  output: () =>
    v.strictObject({
      branch: v.string(),
      base: v.string(),
      commits: v.array(v.strictObject({ commit: v.string(), subject: v.string() })),
      changes: v.array(
        v.strictObject({
          path: v.string(),
          /** Null for a binary file. */
          insertions: v.nullable(v.number()),
          deletions: v.nullable(v.number()),
        }),
      ),
      patch: v.string(),
      /** The patch is longer: its beginning is here. */
      cut: v.boolean(),
      /** Other tasks of its name, whose branches are kept as well. */
      others: v.array(keptBranch()),
    }),
  errors: ["not_found", "invalid_state"],
  cli: { program: "orch", plain: ["name"] },
  http: ["GET /api/tasks/:name/diff"],
  mcp: {
    tool: "diff",
    set: "supervisor",
    use: "See what a task has changed in its worktree, before merge or discard.",
  },
  examples: ["orch diff fix-login", "orch diff task_7"],
}));
