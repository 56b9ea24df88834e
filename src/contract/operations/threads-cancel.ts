import * as v from "valibot";
import { artifacts } from "../artifact.ts";
import { name, text } from "../fields.ts";
import { threadId } from "../ids.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { thread } from "../thread.ts";

export const cancel = operation({
  name: "threads.cancel",
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Cancel a thread that has not ended",
  detail: "Anyone may. Whoever holds the lease, else the assignee, gets a control message with the reason.",
  input: () =>
    v.strictObject({
      agent: name("who cancels", "AGENT"),
      thread: threadId(),
      reason: v.optional(text("why", { limit: 4096, file: true })),
      artifacts: artifacts(),
    }),
  output: () => v.strictObject({ thread: thread(), message: message() }),
  errors: ["invalid_input", "too_large", "not_found", "invalid_state"],
  cli: { command: "cancel", plain: ["thread"], identity: "agent" },
  http: ["POST /api/threads/:thread/cancel"],
  mcp: {
    tool: "cancel",
    set: "worker",
    usualFor: ["leader"],
    destructive: true,
    use: "Stop a thread that is no longer wanted; its holder is told.",
    says: { thread: "the thread to stop" },
    without: ["artifacts"],
  },
  examples: ['inbox cancel --agent leader --thread thr_123 --reason "Superseded by thr_130"'],
});
