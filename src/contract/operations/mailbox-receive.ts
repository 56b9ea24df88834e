import * as v from "valibot";
import { ackCombinations, acking, collected, fromSender, lifo, mailAnswer, mailbox } from "../mail.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { timeoutSeconds } from "../waiting.ts";

export const mailboxReceive = operation("mailbox.receive", "receive", () => ({
  kind: "wait",
  access: { on: "own" },
  summary: "Wait for mail and collect it",
  detail: phrase`Collects one message unless ${field("max")} is given, oldest first unless ${field("lifo")} is given. Printed messages are acknowledged unless ${field("ack")} says otherwise.`,
  input: () =>
    v.strictObject({
      agent: mailbox(),
      from: fromSender(),
      lifo: lifo(),
      max: collected(1),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds; 0: do not wait (default: none, wait forever)",
      ),
      ...acking(),
    }),
  combinations: ackCombinations,
  output: mailAnswer,
  errors: ["invalid_input"],
  cli: { identity: "agent", identityDefault: "main" },
  waits: {},
  http: ["POST /api/mailbox/:agent/receive"],
  mcp: {
    tool: "receive",
    set: "mailbox",
    use: "Wait for the next message to you and take that one. check_inbox takes all.",
    renamed: { timeoutSeconds: "timeout" },
    without: ["ack", "visibilitySeconds"],
  },
  nothing: ({ messages }) => messages.length === 0,
  examples: ["inbox receive --agent main --timeout-seconds 60", "inbox receive from=worker-a --lifo"],
}));
