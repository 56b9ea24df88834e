import * as v from "valibot";
import { choices } from "../entry.ts";
import { name, text } from "../fields.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { call, phrase } from "../phrase.ts";
import { recipient, strict } from "../recipient.ts";
import { nextEventId } from "../waiting.ts";

export const mailboxAsk = operation("mailbox.ask", "ask", () => ({
  kind: "write",
  access: { on: "own" },
  summary: "Ask an agent or the person a question, outside of any thread",
  detail: phrase`The person sees the choices as buttons. The answer is delivered to your inbox; the person's answer has the question's correlation id, and the chosen answer as payload.choice. To ask in a thread, use ${call("threads.update", { status: "blocked" })} instead.`,
  input: () =>
    v.strictObject({
      from: name("who asks", "AGENT"),
      to: name("the recipient: an agent, or user for the person", "AGENT"),
      question: text("what to ask", { file: true }),
      choices: choices(),
      strict: strict(),
    }),
  output: () =>
    v.strictObject({
      message: message(),
      correlationId: v.string(),
      recipient: recipient(),
      nextEventId: nextEventId(),
    }),
  errors: ["invalid_input", "too_large", "not_found"],
  cli: { plain: ["to", "question"], identity: "from", identityDefault: "main" },
  creates: true,
  http: ["POST /api/mailbox/:to/ask"],
  mcp: {
    tool: "ask",
    set: "mailbox",
    use: "Ask an agent or the person (user) a question, with answers to choose from. The answer comes to your inbox.",
    without: ["strict"],
  },
  examples: ['inbox ask user "Deploy now?" --choices yes,no'],
}));
