import * as v from "valibot";
import {
  ackCombinations,
  acking,
  collected,
  fromSender,
  lifo,
  mailAnswer,
  mailbox,
  mailLimit,
} from "../mail.ts";
import { operation } from "../operation.ts";

export const mailboxCheck = operation("mailbox.check", "check", () => ({
  kind: "wait",
  access: { on: "own" },
  summary: "Collect all waiting mail, without blocking",
  input: () =>
    v.strictObject({
      agent: mailbox(),
      from: fromSender(),
      lifo: lifo(),
      max: collected(mailLimit),
      ...acking(),
    }),
  combinations: ackCombinations,
  output: mailAnswer,
  errors: ["invalid_input"],
  cli: { identity: "agent", identityDefault: "main" },
  http: ["POST /api/mailbox/:agent/check"],
  mcp: {
    tool: "check",
    set: "mailbox",
    use: "Take what is in your inbox now, without waiting.",
    without: ["ack", "visibilitySeconds"],
  },
  nothing: ({ messages }) => messages.length === 0,
  examples: ["inbox check --agent main", "inbox check from=worker-a"],
}));
