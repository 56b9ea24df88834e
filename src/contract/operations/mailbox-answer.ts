import * as v from "valibot";
import { name, text } from "../fields.ts";
import { questionId } from "../ids.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";

export const mailboxAnswer = operation("mailbox.answer", "answer", () => ({
  kind: "write",
  access: { on: "message", by: "question", does: "change" },
  summary: "Answer a question that was asked of you",
  detail: phrase`If the question offers choices, the choice must be one of them, and a message equal to one of them counts as that choice. If it offers none, the answer is any text. The agent that asked gets the answer at once. A question to the person is answered by the person alone, here, on the page or with ${call("entries.reply")}; a program that answers for the person needs a token of scope user or admin. The agent that asked waits for the answer.`,
  input: () =>
    v.strictObject({
      from: name("who answers", "AGENT"),
      question: questionId("the question, by the id of its message or of its entry in the person's inbox"),
      choice: v.optional(text("one of its choices; the answer, if it has none")),
      message: v.optional(text("what to say", { file: true })),
    }),
  output: () => v.strictObject({ message: message() }),
  errors: ["invalid_input", "too_large", "not_found", "invalid_state", "not_allowed"],
  cli: {
    plain: ["question", "choice", "message"],
    identity: "from",
    identityDefault: "main",
  },
  creates: true,
  http: ["POST /api/messages/:question/answer"],
  mcp: {
    tool: "answer",
    set: "mailbox",
    use: "Answer a question in your inbox, by the id of its message: with one of its choices, or in words if it has none.",
  },
  examples: [
    "inbox answer 12 yes",
    'inbox answer 12 "about half" --agent ada',
    'inbox answer 12 --choice no --message "not before Friday"',
  ],
}));
