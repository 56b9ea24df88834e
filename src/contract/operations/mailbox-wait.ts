import * as v from "valibot";
import { number } from "../fields.ts";
import { ackCombinations, acking, collected, fromSender, mailAnswer, mailbox, mailLimit } from "../mail.ts";
import { operation } from "../operation.ts";
import { timeoutSeconds } from "../waiting.ts";

export const mailboxWait = operation("mailbox.wait", "wait", () => ({
  kind: "wait",
  access: { on: "own" },
  summary: "Wait for the first message, then collect what arrives within a short window",
  detail:
    "Messages that arrive at about the same time are returned together. The window starts when the first message " +
    "arrives. It ends early when no more mail is expected: when the agent given as sender has answered, or when the result of your last running task has arrived.",
  input: () =>
    v.strictObject({
      agent: mailbox(),
      from: fromSender(),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds; 0: do not wait, no window (default: none, wait forever)",
      ),
      batchWindow: v.optional(
        number("collect what arrives within N seconds of the first message (default: 2)", {
          min: 0,
          max: 60,
        }),
        2,
      ),
      max: collected(mailLimit),
      ...acking(),
    }),
  combinations: ackCombinations,
  output: mailAnswer,
  errors: ["invalid_input"],
  cli: { identity: "agent", identityDefault: "main" },
  waits: {},
  http: ["POST /api/mailbox/:agent/wait"],
  mcp: {
    tool: "check_inbox",
    set: "mailbox",
    usual: true,
    usualFor: ["worker", "leader"],
    use: "Wait for messages to you and take them all. After a timeout call again: nothing is missed.",
    renamed: { timeoutSeconds: "timeout", batchWindow: "batch_window" },
    says: {
      batchWindow:
        "length of the window after the first arrival, in seconds (default 2); shorter if no more mail is expected",
    },
    without: ["from", "max", "ack", "visibilitySeconds"],
    shape: "terminal",
  },
  nothing: ({ messages }) => messages.length === 0,
  examples: ["inbox wait --agent main --timeout-seconds 120"],
}));
