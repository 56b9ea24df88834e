import * as v from "valibot";
import { integer } from "../fields.ts";
import { fromSender, mail, mailbox } from "../mail.ts";
import { operation } from "../operation.ts";

export const mailboxList = operation("mailbox.list", "mail", () => ({
  kind: "read",
  access: { on: "inbox", by: "agent", does: "read" },
  summary: "List the mail waiting in an inbox, without collecting it",
  input: () =>
    v.strictObject({
      agent: mailbox(),
      from: fromSender(),
      limit: v.optional(integer("maximum number of results (default: 50)", { min: 1, max: 1000 }), 50),
    }),
  output: () => v.strictObject({ messages: v.array(mail()), total: v.number(), hidden: v.number() }),
  errors: ["invalid_input"],
  cli: { identity: "agent", identityDefault: "main" },
  http: ["GET /api/mailbox/:agent"],
  mcp: {
    tool: "mail",
    set: "mailbox",
    use: "List the mail waiting in your inbox, without taking it.",
  },
  examples: ["inbox mail --agent main"],
}));
