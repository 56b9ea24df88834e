import { operation } from "../operation.ts";
import { endingErrors, endingInput, endingOutput } from "../thread-ending.ts";

export const threadsDone = operation("threads.done", "done", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "End a thread with its result",
  detail: "The result goes to the creator and the lease is released. Repeating the call changes nothing.",
  input: () => endingInput("the result in one line (default: done)"),
  output: endingOutput,
  errors: endingErrors,
  cli: { plain: ["thread", "summary"], identity: "agent" },
  http: ["POST /api/threads/:thread/done"],
  mcp: {
    tool: "done",
    set: "worker",
    usual: true,
    usualFor: ["worker"],
    idempotent: true,
    use: "Finish a thread you hold with its result. Give summary, body or both.",
    says: { thread: "the thread you hold" },
    without: ["leaseToken", "payload", "artifacts"],
  },
  examples: [
    'inbox done --agent backend-worker --thread thr_123 --summary "Post CRUD works" --body-file result.md',
  ],
}));
