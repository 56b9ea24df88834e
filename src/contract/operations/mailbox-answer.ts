import * as v from "valibot";
import { name, text } from "../fields.ts";
import { messageId } from "../ids.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const mailboxAnswer = operation({
  name: "mailbox.answer",
  kind: "write",
  access: { on: "message", by: "id", does: "change" },
  summary: "Answer a question that was asked of you",
  detail: phrase`The choice must be one that the question offers. Whoever asked is woken. A question to the person is answered with ${call("entries.reply")} or with this.`,
  input: () =>
    v.strictObject({
      from: name("who answers", "AGENT"),
      id: messageId("the question, by its message id"),
      choice: v.optional(text("one of its choices", { limit: 1024 })),
      message: v.optional(text("what to say", { file: true })),
    }),
  output: () => v.strictObject({ message: message() }),
  errors: ["invalid_input", "too_large", "not_found", "invalid_state", "not_allowed"],
  cli: { command: "answer", plain: ["id", "choice", "message"], identity: "from", identityDefault: "main" },
  creates: true,
  http: ["POST /api/messages/:id/answer"],
  mcp: {
    tool: "answer",
    set: "mailbox",
    use: "Answer a question in your inbox with one of its choices, by the id of its message.",
  },
  examples: ["inbox answer msg_12 yes", 'inbox answer msg_12 --choice no --message "not before Friday"'],
});
