import * as v from "valibot";
import { name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { lease, leaseSeconds, leaseToken } from "../lease.ts";
import { operation } from "../operation.ts";
import { thread } from "../thread.ts";

export const threadsRenew = operation("threads.renew", "renew", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Renew your lease; the new period starts now",
  input: () =>
    v.strictObject({
      agent: name("the holder", "AGENT"),
      thread: threadId(),
      leaseSeconds: leaseSeconds(),
      leaseToken: leaseToken(),
    }),
  output: () => v.strictObject({ thread: thread(), lease: lease() }),
  errors: ["invalid_input", "not_found", "lease_conflict", "lease_lost", "invalid_state"],
  cli: { plain: ["thread"], identity: "agent" },
  http: ["POST /api/threads/:thread/renew"],
  mcp: {
    tool: "renew",
    set: "worker",
    usualFor: ["worker"],
    idempotent: true,
    use: "Extend a lease while you work; it expires after 15 minutes unless renewed.",
    says: { thread: "the thread you hold" },
    without: ["leaseToken"],
  },
  examples: ["inbox renew --agent backend-worker --thread thr_123 --lease-seconds 1800"],
}));
