import * as v from "valibot";
import { messageStatuses } from "../channel-message.ts";
import { messageNumber } from "../ids.ts";
import { operation } from "../operation.ts";

export const messagesStatus = operation("messages.status", "msg status", () => ({
  kind: "read",
  access: { on: "message", by: "id", does: "read" },
  summary: "Show the state of a message: stored, handed over, acknowledged, dead",
  input: () => v.strictObject({ id: messageNumber("the message's id") }),
  output: () =>
    v.strictObject({
      id: v.number(),
      channel: v.string(),
      sender: v.string(),
      status: v.picklist(messageStatuses),
      storedAt: v.string(),
      firstHandedAt: v.nullable(v.string()),
      handed: v.number(),
      ackedAt: v.nullable(v.string()),
      ackedBy: v.nullable(v.string()),
      deadAt: v.nullable(v.string()),
      deadReason: v.nullable(v.string()),
      expiresAt: v.nullable(v.string()),
    }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], shape: "channel" },
  http: ["GET /api/messages/:id"],
  mcp: {
    tool: "msg_status",
    set: "messages",
    use: "Show the state of a message you sent: handed over, acked and by whom, dead.",
  },
  examples: ["inbox msg status 42"],
}));
