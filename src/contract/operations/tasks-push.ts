import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { recipient, unknown } from "../recipient.ts";
import { prompt, queueOf, task, taskCombinations, taskSettings, taskWords } from "../task.ts";
import { keptBranch } from "../worktree.ts";

export const tasksPush = operation("tasks.push", "push", () => ({
  kind: "write",
  access: { on: "own", starts: true },
  summary: "Queue a task for a sub-agent",
  detail: phrase`Nothing starts before ${call("tasks.run")}. The sub-agent sees only its prompt: put everything it needs there.`,
  input: () => v.strictObject({ agent: queueOf(), prompt: prompt(), ...taskSettings() }),
  combinations: taskCombinations,
  output: () =>
    v.strictObject({
      task: task(),
      /** Of a task for a running worker: whether anybody has that name. */ recipient: v.optional(
        recipient(),
      ),
      /** [M13] The parent, if its name looks misspelled: nobody would get the result. */
      unknown: unknown(),
      /** Whether programs may be started for this bus, where it was pushed; a worker needs none. */
      trusted: v.boolean(),
      /** The program of its profile, if it is not installed where it was pushed, and how to get it. */
      missing: v.optional(v.strictObject({ program: v.string(), hint: v.string() })),
      /** Earlier tasks of its name whose branches are kept: from now on the name means this one. */
      others: v.optional(v.array(keptBranch())),
    }),
  errors: ["invalid_input", "too_large", "conflict", "not_found", "invalid_state", "not_allowed"],
  cli: { program: "orch", plain: ["prompt"], identity: "agent", identityDefault: "main" },
  creates: true,
  http: ["POST /api/tasks"],
  mcp: {
    tool: "push",
    set: "supervisor",
    use: "Queue a task for a sub-agent; run starts it. Its result is delivered to your inbox.",
    says: { ...taskWords, timeout: "SIGKILL it after N seconds" },
    without: ["cwd", "priority", "retries", "withChanges", "reviewRounds"],
  },
  examples: [
    'orch push name=research "Compare the two API drafts in docs/, answer in ten lines"',
    "orch push --prompt-file task.md model=opus timeout=600 after=research",
  ],
}));
