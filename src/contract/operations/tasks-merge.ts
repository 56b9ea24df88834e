import * as v from "valibot";
import { flag, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { queueOf, taskName } from "../task.ts";
import { keptBranch } from "../worktree.ts";

export const tasksMerge = operation({
  name: "tasks.merge",
  kind: "wait",
  access: { on: "task", by: "name", does: "change", starts: true },
  summary: "Merge the branch of a finished task",
  detail: phrase`Merges one at a time, in a worktree of its own, then runs the check command of the profile or of agents.toml; only then does the branch move. A conflict or a failed check goes to the sub-agent, which resumes with it, at the cost of another turn; with ${field("noResume")}, or where its program cannot resume, to its parent. A branch that is checked out somewhere is moved only with ${field("updateCheckout")}.`,
  input: () =>
    v.strictObject({
      agent: queueOf(),
      name: taskName(),
      into: v.optional(
        text("merge into this branch (default: the one it was pushed from)", { limit: 256, value: "BRANCH" }),
      ),
      squash: flag("one commit instead of a merge"),
      rebase: flag("its commits on top of the branch, without a merge commit"),
      noResume: flag("only report a conflict or a failed check: the sub-agent is not resumed with it"),
      updateCheckout: flag(
        "the branch may be checked out: update that checkout, unless its own changes are in the way",
      ),
    }),
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
      /** Other tasks of its name, whose branches are kept as well. */
      others: v.array(keptBranch()),
    }),
  errors: ["not_found", "invalid_state", "invalid_input", "not_allowed", "conflict"],
  cli: { command: "merge", program: "orch", plain: ["name"], identity: "agent", identityDefault: "main" },
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
});
