import * as v from "valibot";
import { copies } from "../channel-message.ts";
import { address, flag, name, text } from "../fields.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";
import { recipient, strict } from "../recipient.ts";
import { nextEventId } from "../waiting.ts";

export const mailboxSend = operation("mailbox.send", "send", () => ({
  kind: "write",
  access: { on: "own", with: { flag: "interrupt", on: "task", by: "to", does: "change" } },
  summary: "Send a plain message, without a thread",
  detail: phrase`The message stays in the agent's inbox until it is collected. The id or branch of a task means its sub-agent. Each member of a pool gets a copy. With ${field("interrupt")}, a running sub-agent ends its current turn and continues with the message.`,
  input: () =>
    v.strictObject({
      from: name("who sends", "AGENT"),
      to: address("who gets it: an agent, a pool, a task's id, or * for all known agents", "AGENT"),
      message: text("the text", { file: true }),
      strict: strict(),
      interrupt: flag(
        "end the current turn of this running sub-agent, which then continues with the message",
      ),
    }),
  output: () =>
    v.strictObject({
      message: message(),
      recipient: recipient(),
      copies: copies(),
      nextEventId: nextEventId(),
    }),
  errors: ["invalid_input", "too_large", "not_found", "invalid_state", "not_allowed"],
  cli: {
    listed: "send AGENT MESSAGE",
    plain: ["to", "message"],
    identity: "from",
    identityDefault: "main",
  },
  creates: true,
  http: ["POST /api/mailbox/:to/send"],
  mcp: {
    tool: "send_message",
    set: "mailbox",
    usual: true,
    usualFor: ["worker", "leader"],
    use: "Send an agent a message; it is kept until the agent collects it. To assign work use send_task.",
    renamed: { to: "receiver_id" },
    // It costs every model a line, and is for those who lead: follow_up has it.
    without: ["strict", "interrupt"],
  },
  examples: [
    'inbox send backend-worker "The schema is merged, go on"',
    'inbox send fix-login "Stop: the bug is in the session code" --interrupt',
  ],
}));
