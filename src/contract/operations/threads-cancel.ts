import * as v from "valibot";
import { artifacts } from "../artifact.ts";
import { excludes } from "../combinations.ts";
import { name, text } from "../fields.ts";
import { threadId } from "../ids.ts";
import { body, message, summary } from "../message.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { thread } from "../thread.ts";

export const threadsCancel = operation("threads.cancel", "cancel", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Cancel a thread that has not ended",
  detail: "The lease holder, or else the assignee, gets a control message with the reason.",
  input: () =>
    v.strictObject({
      agent: name("who cancels", "AGENT"),
      thread: threadId(),
      reason: v.optional(text("why", { limit: 4096, file: true })),
      summary: summary(phrase`same as ${field("reason")}`),
      body: body("the full text"),
      artifacts: artifacts(),
    }),
  combinations: [excludes("reason", "summary")],
  output: () => v.strictObject({ thread: thread(), message: message() }),
  errors: ["invalid_input", "too_large", "not_found", "invalid_state"],
  cli: { plain: ["thread", "reason"], identity: "agent" },
  http: ["POST /api/threads/:thread/cancel"],
  mcp: {
    tool: "cancel",
    set: "worker",
    usualFor: ["leader"],
    destructive: true,
    use: "Cancel a thread that is no longer wanted; its holder is told.",
    says: { thread: "the thread to cancel" },
    without: ["artifacts", "summary", "body"],
  },
  examples: ['inbox cancel thr_123 "Superseded by thr_130" --agent leader'],
}));
