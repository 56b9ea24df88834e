import * as v from "valibot";
import { excludes } from "../combinations.ts";
import { flag, name, text } from "../fields.ts";
import { threadId } from "../ids.ts";
import { leaseToken } from "../lease.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { thread } from "../thread.ts";

export const threadsRelease = operation("threads.release", "release", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change", forced: "assignment" },
  summary: "Release a thread, so that another agent can claim it",
  detail: phrase`The thread becomes pending again, assigned to its original recipient. With ${field("force")} you can release a thread that another agent holds: that agent loses the lease and gets a control message. On a hub that requires tokens, only the thread's creator or a leader may use ${field("force")}.`,
  input: () =>
    v.strictObject({
      agent: name("the holder, or the agent that releases it by force", "AGENT"),
      thread: threadId(),
      leaseToken: leaseToken(),
      force: flag(
        "release it even though another agent holds it; on a hub that requires tokens, only for its creator and leaders",
      ),
      reason: v.optional(text(phrase`with ${field("force")}: why`, { limit: 4096, file: true })),
    }),
  combinations: [excludes("leaseToken", "force")],
  /** The message is what the holder was told, where it was forced. */
  output: () => v.strictObject({ thread: thread(), message: v.optional(message()) }),
  errors: ["invalid_input", "too_large", "not_found", "lease_conflict", "lease_lost", "invalid_state"],
  cli: { plain: ["thread"], identity: "agent" },
  http: ["POST /api/threads/:thread/release"],
  mcp: {
    tool: "release",
    set: "worker",
    usualFor: ["worker"],
    use: "Release a thread you hold unfinished, for another agent to claim.",
    says: { thread: "the thread you hold" },
    without: ["leaseToken"],
  },
  examples: [
    "inbox release --agent backend-worker --thread thr_123",
    'inbox release thr_123 --agent leader --force --reason "backend-worker does not answer"',
  ],
}));
