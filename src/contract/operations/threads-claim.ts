import * as v from "valibot";
import { excludes, needs } from "../combinations.ts";
import { flag, name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { grantedLease, held, leaseSeconds, leaseToken } from "../lease.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { blank, field, phrase } from "../phrase.ts";
import { unknown } from "../recipient.ts";
import { thread } from "../thread.ts";
import { nextEventId, timeoutSeconds } from "../waiting.ts";

export const threadsClaim = operation("threads.claim", "claim", () => ({
  kind: "wait",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Take exclusive ownership of a thread",
  detail: phrase`With a thread, claims that thread, or fails with lease_conflict if another agent holds it. Without one, claims the first thread that fetch lists; two agents never get the same one. With ${field("wait")} it waits until there is a thread to claim. The output contains the lease token and the thread's messages.`,
  input: () =>
    v.strictObject({
      agent: name("who claims", "AGENT"),
      thread: v.optional(threadId("the thread to take (default: the best candidate)")),
      leaseSeconds: leaseSeconds(),
      leaseToken: leaseToken(),
      wait: flag("wait until there is a thread to claim"),
      timeoutSeconds: timeoutSeconds(
        phrase`with ${field("wait")}: stop waiting after N seconds; 0: do not wait (default: none, wait forever)`,
      ),
    }),
  combinations: [
    needs("timeoutSeconds", "wait"),
    excludes("thread", "wait"),
    needs("leaseToken", "thread", blank("THREAD")),
  ],
  output: () =>
    v.strictObject({
      woke: v.optional(v.boolean()),
      nextEventId: nextEventId(),
      thread: v.nullable(thread()),
      lease: v.nullable(grantedLease()),
      messages: v.array(message()),
      /** If nothing was granted: what the agent holds already. */
      held: held(),
      unknown: unknown(),
    }),
  errors: ["invalid_input", "not_found", "lease_conflict", "lease_lost", "invalid_state"],
  cli: { plain: ["thread"], identity: "agent" },
  waits: { when: ({ wait }) => wait === true },
  http: ["POST /api/threads/claim", "POST /api/threads/:thread/claim"],
  mcp: {
    tool: "claim",
    set: "worker",
    usual: true,
    usualFor: ["worker"],
    use: "Take the next pending thread, or the named one, before working on it. wait blocks until there is one.",
    says: {
      thread: "the thread to take; cannot be combined with wait",
      wait: "block until there is a thread to claim; cannot be combined with thread",
      timeoutSeconds: "with wait: seconds, at most 600 (default 50)",
    },
    without: ["leaseToken"],
  },
  nothing: (output) => output.thread === null,
  examples: [
    "inbox claim --agent backend-worker --thread thr_123 --lease-seconds 900",
    "inbox claim --agent backend-worker --wait --json",
  ],
}));
