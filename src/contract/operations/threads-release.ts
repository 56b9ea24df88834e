import * as v from "valibot";
import { name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { leaseToken } from "../lease.ts";
import { operation } from "../operation.ts";
import { thread } from "../thread.ts";

export const release = operation({
  name: "threads.release",
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Give a thread back, so that another may claim it",
  detail: "The thread is pending again and assigned to whom it was first sent.",
  input: () =>
    v.strictObject({ agent: name("the holder", "AGENT"), thread: threadId(), leaseToken: leaseToken() }),
  output: () => v.strictObject({ thread: thread() }),
  errors: ["invalid_input", "not_found", "lease_conflict", "lease_lost", "invalid_state"],
  cli: { command: "release", plain: ["thread"], identity: "agent" },
  http: ["POST /api/threads/:thread/release"],
  mcp: {
    tool: "release",
    set: "worker",
    usualFor: ["worker"],
    use: "Give a claimed thread back unfinished, for another to take.",
    says: { thread: "the thread you hold" },
    without: ["leaseToken"],
  },
  examples: ["inbox release --agent backend-worker --thread thr_123"],
});
