import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { flag, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { queueOf, taskName } from "../task.ts";
import { keptBranch } from "../worktree.ts";

export const tasksMerge = operation("tasks.merge", "merge", () => ({
  kind: "wait",
  access: { on: "task", by: "name", does: "change", starts: true },
  summary: "Merge the branch of a finished task",
  detail: phrase`Merges run one at a time, each in a worktree of its own. The target branch moves only after the check command of the profile or of agents.toml has passed. On a conflict or a failed check the sub-agent resumes to fix it, which costs another turn. With ${field("noResume")}, or if its program cannot resume, its parent is told instead. A target branch that is checked out somewhere is moved only with ${field("updateCheckout")}.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName(),
      into: v.optional(
        text("merge into this branch (default: the one it was pushed from)", { limit: 256, value: "BRANCH" }),
      ),
      squash: flag("merge all changes as one commit"),
      rebase: flag("rebase the commits onto the target branch, without a merge commit"),
      noResume: flag("only report a conflict or a failed check; do not resume the sub-agent"),
      updateCheckout: flag(
        "if the target branch is checked out, update that checkout too; refused if uncommitted changes are in the way",
      ),
    }),
  combinations: [excludes("squash", "rebase")],
  output: () =>
    v.strictObject({
      merged: v.boolean(),
      into: v.string(),
      /** Where the branch is now; null where it did not move. */
      commit: v.nullable(v.string()),
      /** It was merged before, or had nothing that the branch had not. */
      already: v.boolean(),
      reason: v.nullable(v.picklist(["conflict", "prepare", "check"])),
      conflicts: v.array(v.string()),
      /** The end of what the failed command printed. */
      output: v.nullable(v.string()),
      /** Who was told to go on with it. */
      told: v.nullable(v.string()),
      /** Where to fix what was not merged: the task, its worktree and its branch. */
      fix: v.nullable(v.strictObject({ name: v.string(), path: v.string(), branch: v.string() })),
      /** Other tasks of its name, whose branches are kept as well. */
      others: v.array(keptBranch()),
    }),
  errors: ["not_found", "invalid_state", "invalid_input", "not_allowed", "conflict"],
  cli: { program: "orch", plain: ["name"], identity: "agent", identityDefault: "main" },
  waits: { when: () => false },
  http: ["POST /api/tasks/:name/merge"],
  mcp: {
    tool: "merge",
    set: "supervisor",
    use: "Merge the branch of a finished task, after its check. A conflict is handed back to the sub-agent.",
  },
  failed: ({ merged }) => !merged,
  examples: [
    "orch merge fix-login",
    "orch merge fix-login --squash --into develop",
    "orch merge task_7 --no-resume",
  ],
}));
