import * as v from "valibot";
import { entry, entryId, person } from "../entry.ts";
import { flag, name, text } from "../fields.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { recipient } from "../recipient.ts";

export const entriesReply = operation("entries.reply", "entries reply", () => ({
  kind: "write",
  access: { on: "entry", by: "id", does: "change" },
  summary: "Answer an entry of the person's inbox",
  detail: phrase`The answer goes to the workspace's agent; if the entry is a message, to its thread or its sender. An agent that waits for it gets it at once. A choice must be one that the entry offers, and arrives as payload.choice; a message equal to one of the choices counts as that choice. A question can be answered once; ${field("change")} replaces the answer. A later message without a choice is sent, but does not change the answer. Only the person answers, here or on the page; a program that answers for the person needs a token of scope user or admin.`,
  input: () =>
    v.strictObject({
      id: entryId(),
      message: v.optional(text("what to answer", { file: true })),
      choice: v.optional(text("one of the answers that the entry offers", { limit: 1024 })),
      change: flag("replace the answer that was given before"),
      from: v.optional(name("who answers", "NAME"), person),
    }),
  output: () =>
    v.strictObject({
      entry: entry(),
      message: message(),
      recipient: recipient(),
      /** False for a message after the answer: it was sent, and the answer stays. */
      isAnswer: v.boolean(),
    }),
  errors: ["invalid_input", "too_large", "not_found", "invalid_state", "not_allowed"],
  cli: { plain: ["id", "message"], identity: "from", identityDefault: person },
  creates: true,
  http: ["POST /api/inbox/:id/reply"],
  mcp: { none: "the inbox belongs to the person; models have no access to it" },
  examples: ['inbox entries reply 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11 "Yes, extend the rates section"'],
}));
