import * as v from "valibot";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { prompt, queueOf, task, taskSettings, taskWords } from "../task.ts";

export const tasksPush = operation({
  name: "tasks.push",
  kind: "write",
  access: { on: "own", starts: true },
  summary: "Queue a task for a sub-agent",
  detail: phrase`Nothing is started before ${call("tasks.run")}. Every option may be given as key=value too; -- ends the
    options. The sub-agent knows nothing but its prompt: say in it all that it needs.`,
  input: () => v.strictObject({ agent: queueOf(), prompt: prompt(), ...taskSettings() }),
  output: () => v.strictObject({ task: task() }),
  errors: ["invalid_input", "too_large", "conflict", "not_found", "invalid_state", "not_allowed"],
  cli: { command: "push", program: "orch", plain: ["prompt"], identity: "agent", identityDefault: "main" },
  creates: true,
  http: ["POST /api/tasks"],
  mcp: {
    tool: "push",
    set: "supervisor",
    use: "Queue work for a sub-agent without starting it: run starts what is queued. Its result comes to your inbox by itself.",
    says: { ...taskWords, timeout: "seconds until it is killed" },
    without: ["cwd", "priority", "retries"],
  },
  examples: [
    'orch push name=research "Compare the two API drafts in docs/, answer in ten lines"',
    "orch push --prompt-file task.md model=opus timeout=600 after=research",
  ],
});
