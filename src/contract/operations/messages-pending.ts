import * as v from "valibot";
import { channel, similarChannels } from "../channel-message.ts";
import { operation } from "../operation.ts";

export const messagesPending = operation("messages.pending", "msg pending", () => ({
  kind: "read",
  access: { on: "channel", by: "channel", does: "read" },
  summary: "Count the unacknowledged messages of a channel",
  input: () => v.strictObject({ channel: channel() }),
  output: () => v.strictObject({ channel: v.string(), count: v.number(), similar: similarChannels() }),
  errors: ["invalid_input"],
  cli: { plain: ["channel"], shape: "channel" },
  http: ["GET /api/messages/inbox/:channel/count"],
  mcp: {
    tool: "msg_pending",
    set: "messages",
    use: "Count the unacknowledged messages of a channel.",
  },
  examples: ["inbox msg pending agent-1"],
}));
