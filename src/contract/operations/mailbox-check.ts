import * as v from "valibot";
import { integer } from "../fields.ts";
import { ackMode, fromSender, lifo, mailAnswer, mailbox, visibilitySeconds } from "../mail.ts";
import { operation } from "../operation.ts";

export const mailboxCheck = operation({
  name: "mailbox.check",
  kind: "wait",
  access: { on: "own" },
  summary: "Collect all waiting mail, without blocking",
  input: () =>
    v.strictObject({
      agent: mailbox(),
      from: fromSender(),
      lifo: lifo(),
      max: v.optional(
        integer("maximum number of messages to collect (default: 1000)", { min: 1, max: 1000 }),
        1000,
      ),
      ack: ackMode(),
      visibilitySeconds: visibilitySeconds(),
    }),
  output: mailAnswer,
  errors: ["invalid_input"],
  cli: { command: "check", identity: "agent", identityDefault: "main" },
  http: ["POST /api/mailbox/:agent/check"],
  mcp: {
    tool: "check",
    set: "mailbox",
    use: "Take what is in your inbox now, without waiting.",
    without: ["ack", "visibilitySeconds"],
  },
  nothing: ({ messages }) => messages.length === 0,
  examples: ["inbox check --agent main", "inbox check from=worker-a"],
});
