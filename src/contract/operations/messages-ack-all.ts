import * as v from "valibot";
import { channel } from "../channel-message.ts";
import { name } from "../fields.ts";
import { operation } from "../operation.ts";

export const messagesAckAll = operation("messages.ackAll", "msg ack all", () => ({
  kind: "write",
  access: { on: "channel", by: "channel", does: "change" },
  summary: "Acknowledge all pending messages of a channel",
  input: () => v.strictObject({ channel: channel(), agent: name("who acks", "NAME") }),
  output: () => v.strictObject({ channel: v.string(), ackedCount: v.number() }),
  errors: ["invalid_input"],
  cli: {
    plain: ["channel"],
    identity: "agent",
    identityDefault: "cli",
    shape: "channel",
  },
  http: ["POST /api/messages/inbox/:channel/ack"],
  mcp: {
    tool: "msg_ack_all",
    set: "messages",
    idempotent: true,
    use: "Mark every message of a channel as handled.",
  },
  examples: ["inbox msg ack all agent-1"],
}));
