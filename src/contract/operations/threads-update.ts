import * as v from "valibot";
import { artifacts } from "../artifact.ts";
import { choice, name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { lease, leaseToken } from "../lease.ts";
import { message, said } from "../message.ts";
import { operation } from "../operation.ts";
import { thread } from "../thread.ts";
import { nextEventId } from "../waiting.ts";

export const threadsUpdate = operation("threads.update", "update", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Report progress, or ask a question when blocked",
  detail:
    "A blocked update is a question to the thread's creator: the summary must state what is missing. " +
    "The output shows when the lease expires; wait-reply renews it while you wait.",
  input: () =>
    v.strictObject({
      agent: name("the holder", "AGENT"),
      thread: threadId(),
      status: v.optional(
        choice(["in_progress", "blocked"], "the new status (default: in_progress)"),
        "in_progress",
      ),
      ...said("what was done, or what is missing"),
      leaseToken: leaseToken(),
      artifacts: artifacts(),
    }),
  output: () =>
    v.strictObject({ thread: thread(), message: message(), lease: lease(), nextEventId: nextEventId() }),
  errors: ["invalid_input", "too_large", "not_found", "lease_conflict", "lease_lost", "invalid_state"],
  cli: { plain: ["thread", "summary"], identity: "agent" },
  http: ["POST /api/threads/:thread/update"],
  mcp: {
    tool: "update",
    set: "worker",
    usual: true,
    usualFor: ["worker"],
    use: "Report progress, or ask: status blocked with the question as summary, then wait_reply.",
    says: {
      thread: "the thread you hold",
      status: "in_progress (default), or blocked with a question",
      summary: "what was done, or the question",
    },
    without: ["leaseToken", "artifacts", "payload"],
  },
  examples: [
    'inbox update thr_123 "Routes done, tests next" --agent backend-worker',
    'inbox update --agent backend-worker --thread thr_123 --status blocked --summary "Which auth for the MVP?"',
  ],
}));
