import * as v from "valibot";
import { channel, similarChannels } from "../channel-message.ts";
import { operation } from "../operation.ts";

export const messagesReaders = operation("messages.readers", "msg readers", () => ({
  kind: "read",
  access: { on: "channel", by: "channel", does: "read" },
  summary: "List the readers of a channel, and how far each has read",
  detail:
    "Lists the readers that have a stored position, by name: the id of the last message each has read, when that was, and how many messages came after it, up to 1000.",
  input: () => v.strictObject({ channel: channel() }),
  output: () =>
    v.strictObject({
      channel: v.string(),
      readers: v.array(
        v.strictObject({
          reader: v.string(),
          position: v.number(),
          committedAt: v.string(),
          behind: v.number(),
        }),
      ),
      similar: similarChannels(),
    }),
  errors: ["invalid_input"],
  cli: { plain: ["channel"], shape: "channel" },
  http: ["GET /api/messages/inbox/:channel/readers"],
  mcp: { none: "a reader knows its own position" },
  examples: ["inbox msg readers builds"],
}));
