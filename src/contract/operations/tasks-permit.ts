import * as v from "valibot";
import { json, name, text } from "../fields.ts";
import { operation } from "../operation.ts";
import { queueOf } from "../task.ts";

export const tasksPermit = operation("tasks.permit", "permit", () => ({
  kind: "wait",
  access: { on: "own" },
  summary: "Ask whether a sub-agent may use a tool, and wait for the answer",
  detail:
    "Agent programs call it for a task with permission=ask. The question goes to the person or the parent, as the profile says; " +
    "without an answer in time the use is denied.",
  input: () =>
    v.strictObject({
      agent: queueOf(),
      toolName: name("the tool", "TOOL", "tool"),
      input: v.optional(json("the input of the tool call, a JSON object", { flag: "input" }), {}),
      toolUseId: v.optional(text("the program's own id of the call", { limit: 256 })),
    }),
  output: () =>
    v.strictObject({
      behavior: v.picklist(["allow", "deny"]),
      /** Why not. */
      message: v.optional(v.string()),
      /** What the tool is to be called with. */
      updatedInput: v.optional(v.record(v.string(), v.unknown())),
    }),
  errors: ["invalid_input", "invalid_state", "not_found"],
  cli: {
    program: "orch",
    plain: ["toolName"],
    identity: "agent",
    identityDefault: "main",
  },
  waits: { when: () => false },
  http: ["POST /api/tasks/permit"],
  mcp: {
    tool: "permit",
    set: "permission",
    use: "For the agent program itself: asks a person whether a tool may be used. Do not call it.",
    whole: true,
    shape: "text",
  },
  failed: ({ behavior }) => behavior === "deny",
  examples: ['orch permit Bash --input \'{"command": "npm publish"}\''],
}));
