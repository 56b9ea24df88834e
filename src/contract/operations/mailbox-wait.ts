import * as v from "valibot";
import { integer, number } from "../fields.ts";
import { ackMode, fromSender, mailAnswer, mailbox, visibilitySeconds } from "../mail.ts";
import { operation } from "../operation.ts";
import { timeoutSeconds } from "../waiting.ts";

export const mailboxWait = operation({
  name: "mailbox.wait",
  kind: "wait",
  access: { on: "own" },
  summary: "Block for the first message, then gather what comes within a moment",
  detail:
    "What many workers answer at about the same time arrives as one answer. The window counts from the first message's " +
    "arrival; where nothing more is expected it ends at once.",
  input: () =>
    v.strictObject({
      agent: mailbox(),
      from: fromSender(),
      timeoutSeconds: timeoutSeconds(
        "give up after N seconds; 0: at once, without a window (default: none, that is never)",
      ),
      batchWindow: v.optional(
        number("how long to go on after the first message, in seconds (default: 2)", { min: 0, max: 60 }),
        2,
      ),
      max: v.optional(integer("collect up to so many (default: 1000)", { min: 1, max: 1000 }), 1000),
      ack: ackMode(),
      visibilitySeconds: visibilitySeconds(),
    }),
  output: mailAnswer,
  errors: ["invalid_input"],
  cli: { command: "wait", identity: "agent", identityDefault: "main" },
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
        "seconds from the first arrival to let more in (default 2); fewer where no more is expected",
    },
    without: ["from", "max", "ack", "visibilitySeconds"],
    shape: "terminal",
  },
  nothing: ({ messages }) => messages.length === 0,
  examples: ["inbox wait --agent main --timeout-seconds 120"],
});
