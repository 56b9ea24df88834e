import * as v from "valibot";
import { channelMessage } from "../channel-message.ts";
import { name } from "../fields.ts";
import { messageNumber } from "../ids.ts";
import { operation } from "../operation.ts";

export const messagesAck = operation("messages.ack", "msg ack", () => ({
  kind: "write",
  access: { on: "message", by: "id", does: "change" },
  summary: "Acknowledge one message",
  detail: "A second acknowledgement changes nothing and returns already: true with the time of the first.",
  input: () => v.strictObject({ id: messageNumber("the message's id"), agent: name("who acks", "NAME") }),
  output: () => v.strictObject({ message: channelMessage(), already: v.boolean() }),
  errors: ["invalid_input", "not_found", "invalid_state"],
  cli: {
    plain: ["id"],
    identity: "agent",
    identityDefault: "cli",
    shape: "channel",
    bare: "message",
  },
  http: ["POST /api/messages/:id/ack"],
  mcp: {
    tool: "msg_ack",
    set: "messages",
    idempotent: true,
    use: "Mark one message of a channel as handled.",
  },
  examples: ["inbox msg ack 42"],
}));
