import * as v from "valibot";
import { artifacts } from "../artifact.ts";
import { choice, name } from "../fields.ts";
import { threadId } from "../ids.ts";
import { said } from "../message.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { posted } from "../posted.ts";
import { strict } from "../recipient.ts";

export const threadsReply = operation("threads.reply", "reply", () => ({
  kind: "write",
  access: { on: "thread", by: "thread", does: "change" },
  summary: "Answer in a thread",
  detail: phrase`The answer goes to the other side of the thread (creator or assignee) unless ${field("to")} is given. An agent that waits there with wait-reply gets it at once.`,
  input: () =>
    v.strictObject({
      from: name("who answers", "AGENT"),
      to: v.optional(name("the recipient (default: the other side of the thread)", "AGENT")),
      thread: threadId(),
      kind: v.optional(
        choice(["answer", "question", "progress", "control"], "the kind of message (default: answer)"),
        "answer",
      ),
      ...said(),
      strict: strict(),
      artifacts: artifacts(),
    }),
  output: posted,
  errors: ["invalid_input", "too_large", "not_found"],
  cli: { plain: ["thread", "summary"], identity: "from" },
  http: ["POST /api/threads/:thread/reply"],
  mcp: {
    tool: "reply",
    set: "worker",
    usual: true,
    usualFor: ["worker", "leader"],
    use: "Answer in a thread and wake whoever waits there. Give summary, body or both.",
    says: { thread: "the thread, for example thr_12" },
    without: ["to", "kind", "strict", "artifacts", "payload"],
  },
  examples: ['inbox reply --agent leader --thread thr_123 --summary "Use email and password for the MVP"'],
}));
