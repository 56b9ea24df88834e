import * as v from "valibot";
import { copies } from "../channel-message.ts";
import { address, flag, name, text } from "../fields.ts";
import { message } from "../message.ts";
import { operation } from "../operation.ts";
import { recipient, strict } from "../recipient.ts";
import { nextEventId } from "../waiting.ts";

export const mailboxSend = operation({
  name: "mailbox.send",
  kind: "write",
  access: { on: "own", with: { flag: "interrupt", on: "task", by: "to", does: "change" } },
  summary: "Send a plain message, without a thread",
  detail:
    "The arguments are the agent and the text. The message stays in the agent's inbox until it is collected. " +
    "Each member of a pool gets a copy. A running sub-agent can be interrupted: its present turn ends, and it goes on with the message.",
  input: () =>
    v.strictObject({
      from: name("who sends", "AGENT"),
      to: address("the agent or pool that gets it, or * for all known agents", "AGENT"),
      message: text("the text", { file: true }),
      strict: strict(),
      interrupt: flag("end the present turn of this running sub-agent; it goes on with the message"),
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
    command: "send",
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
    use: "Send an agent a message; it is kept until asked for. For work to be finished use send_task.",
    renamed: { to: "receiver_id" },
    without: ["strict"],
  },
  examples: [
    'inbox send backend-worker "The schema is merged, go on"',
    'inbox send fix-login "Stop: the bug is in the session code" --interrupt',
  ],
});
