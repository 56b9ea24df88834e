import * as v from "valibot";
import { name, text } from "../fields.ts";
import { threadId } from "../ids.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { recipient, strict } from "../recipient.ts";
import { thread } from "../thread.ts";

export const threadsReassign = operation("threads.reassign", "reassign", () => ({
  kind: "write",
  access: { on: "assignment", by: "thread", does: "change" },
  summary: "Reassign a thread to another agent or pool",
  detail:
    "The thread becomes pending for the new agent; its holder loses the lease and gets a control message. On a hub that requires tokens, " +
    "only the thread's creator or a leader may do this. The thread of a sub-agent cannot be reassigned: kill the sub-agent instead.",
  input: () =>
    v.strictObject({
      agent: name("who decides", "AGENT"),
      thread: threadId("the thread to reassign"),
      to: name("the agent or pool that gets the thread", "AGENT"),
      reason: v.optional(text("why", { limit: 4096, file: true })),
      strict: strict(),
    }),
  output: () =>
    v.strictObject({
      thread: thread(),
      /** To whom it is given. */
      message: message(),
      recipient: recipient(),
      /** Who was told that it is gone; null where nobody had it. */
      lost: v.nullable(v.string()),
    }),
  errors: ["invalid_input", "too_large", "not_found", "invalid_state"],
  cli: { plain: ["thread"], identity: "agent" },
  http: ["POST /api/threads/:thread/reassign"],
  mcp: {
    tool: "reassign",
    set: "worker",
    destructive: true,
    use: "Reassign a thread to another agent, even if it is held; its holder is told to stop.",
    without: ["strict"],
  },
  examples: ['inbox reassign thr_123 --agent leader --to backend-2 --reason "backend-1 is stuck"'],
}));
