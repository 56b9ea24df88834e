import { operation } from "../operation.ts";
import { endingErrors, endingInput, endingOutput } from "../thread-ending.ts";

export const threadsFail = operation("threads.fail", "fail", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "End a thread as failed",
  detail: "The reason goes to the creator with success: false, and the lease is released.",
  input: () => endingInput("why, in one line (default: failed)"),
  output: endingOutput,
  errors: endingErrors,
  cli: { plain: ["thread", "summary"], identity: "agent" },
  http: ["POST /api/threads/:thread/fail"],
  mcp: {
    tool: "fail",
    set: "worker",
    usual: true,
    usualFor: ["worker"],
    idempotent: true,
    use: "End a thread you hold as failed, with the reason.",
    needs: ["summary"],
    says: { thread: "the thread you hold" },
    without: ["leaseToken", "payload", "artifacts"],
  },
  examples: ['inbox fail --agent backend-worker --thread thr_123 --summary "The staging database is gone"'],
}));
