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
import { ended, resultFields } from "../thread-ending.ts";
import { nextEventId, timeoutSeconds } from "../waiting.ts";

export const threadsClaim = operation("threads.claim", "claim", () => ({
  kind: "wait",
  access: { on: "thread", by: ["thread", "done", "fail"], does: "change" },
  summary: "Take exclusive ownership of a thread",
  detail: phrase`With a thread, claims that thread, or fails with lease_conflict if another agent holds it. Without one, claims the first thread that fetch lists; two agents never get the same one. With ${field("wait")} it waits until there is a thread to claim. With ${field("done")} or ${field("fail")} it first ends the thread that the agent has finished, so a worker needs one call per thread: ${field("summary")}, ${field("body")}, ${field("payload")}, ${field("artifacts")} and ${field("leaseToken")} are then about that thread. If the end is refused, nothing is claimed. The output contains the lease token and the thread's messages.`,
  input: () =>
    v.strictObject({
      agent: name("who claims", "AGENT"),
      thread: v.optional(threadId("the thread to take (default: the best candidate)")),
      leaseSeconds: leaseSeconds(),
      leaseToken: leaseToken(),
      done: v.optional(threadId("first end this thread, which the agent holds, with its result")),
      fail: v.optional(threadId("first end this thread, which the agent holds, as failed")),
      ...resultFields(phrase`with ${field("done")} or ${field("fail")}: the result in one line`),
      wait: flag("wait until there is a thread to claim"),
      timeoutSeconds: timeoutSeconds(
        phrase`with ${field("wait")}: stop waiting after N seconds; 0: do not wait (default: none, wait forever)`,
      ),
    }),
  combinations: [
    needs("timeoutSeconds", "wait"),
    excludes("thread", "wait", "done", "fail"),
    excludes("done", "fail"),
    needs("leaseToken", "thread", blank("THREAD"), "done", "fail"),
    ...(["summary", "body", "payload", "artifacts"] as const).map((key) =>
      needs(key, "done", blank("THREAD"), "fail"),
    ),
  ],
  output: () =>
    v.strictObject({
      woke: v.optional(v.boolean()),
      nextEventId: nextEventId(),
      thread: v.nullable(thread()),
      lease: v.nullable(grantedLease()),
      messages: v.array(message()),
      /** The agent or pool that the thread was sent to, if it is neither the caller nor a pool of the caller. */
      sentTo: v.optional(v.string()),
      /** The thread that was ended before, and its result. */
      ended: v.optional(v.strictObject(ended())),
      /** If nothing was granted: what the agent holds already. */
      held: held(),
      unknown: unknown(),
    }),
  errors: ["invalid_input", "too_large", "not_found", "lease_conflict", "lease_lost", "invalid_state"],
  cli: { plain: ["thread"], identity: "agent" },
  waits: {
    when: ({ wait }) => wait === true,
    first: {
      by: ["done", "fail"],
      fields: ["done", "fail", "summary", "body", "payload", "artifacts", "leaseToken"],
      answer: "ended",
    },
  },
  http: ["POST /api/threads/claim", "POST /api/threads/:thread/claim"],
  mcp: {
    tool: "claim",
    set: "worker",
    usual: true,
    usualFor: ["worker"],
    use: "Take the next pending thread, or the named one, before working on it.",
    says: {
      thread: "the thread to take; not with wait",
      wait: "block until there is one",
      done: "end this thread first",
      body: "its result",
      leaseSeconds: "lease length (default 900)",
      timeoutSeconds: "with wait: at most 600 (default 50)",
    },
    without: ["leaseToken", "fail", "summary", "payload", "artifacts"],
  },
  nothing: (output) => output.thread === null,
  examples: [
    "inbox claim --agent backend-worker --thread thr_123 --lease-seconds 900",
    "inbox claim --agent backend-worker --wait --json",
    "inbox claim --agent backend-worker --wait --done thr_123 --body-file result.md",
  ],
}));
