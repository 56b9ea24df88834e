import * as v from "valibot";
import { flag, name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { lease } from "../lease.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { thread } from "../thread.ts";
import { nextEventId } from "../waiting.ts";

export const threadsShow = operation("threads.show", "show", () => ({
  kind: "read",
  access: { on: "thread", by: "thread", does: "read" },
  summary: "Show one thread with its lease and all its messages",
  input: () =>
    v.strictObject({
      thread: threadId(),
      markRead: flag("collect the messages shown, and move your read cursor past them"),
      agent: v.optional(name(phrase`who reads, with ${field("markRead")}`, "AGENT")),
    }),
  output: () =>
    v.strictObject({
      thread: thread(),
      lease: v.nullable(lease()),
      messages: v.array(message()),
      nextEventId: nextEventId(),
    }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["thread"], identity: "agent" },
  marks: { with: "markRead" },
  http: ["POST /api/threads/:thread/show", "GET /api/threads/:thread"],
  mcp: {
    tool: "show",
    set: "worker",
    usualFor: ["worker", "leader"],
    use: "Read a whole thread.",
    says: { thread: "which thread, for example thr_12", agent: "who reads" },
    without: ["markRead"],
  },
  examples: ["inbox show thr_123", "inbox show --thread thr_123 --agent leader --mark-read --json"],
}));
