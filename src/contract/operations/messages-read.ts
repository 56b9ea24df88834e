import * as v from "valibot";
import { channelMessage } from "../channel-message.ts";
import { integer } from "../fields.ts";
import { messageNumber } from "../ids.ts";
import { operation } from "../operation.ts";

export const messagesRead = operation("messages.read", "msg read", () => ({
  kind: "read",
  access: { on: "message", by: "id", does: "read" },
  summary: "Read one message, or a part of a long one",
  detail:
    "The message is not acknowledged. In the output, total is the length of the whole content in characters.",
  input: () =>
    v.strictObject({
      id: messageNumber("the message"),
      offset: v.optional(integer("begin at character N (default: 0)", { min: 0, max: 2 ** 31 - 1 }), 0),
      length: v.optional(
        integer("maximum number of characters (default: 8000)", { min: 1, max: 2 ** 21 }),
        8000,
      ),
    }),
  output: () => v.strictObject({ message: channelMessage(), offset: v.number(), total: v.number() }),
  errors: ["invalid_input", "not_found"],
  cli: { plain: ["id"], shape: "channel", bare: "message" },
  http: ["GET /api/messages/:id/content"],
  mcp: {
    tool: "msg_read",
    set: "messages",
    use: "Read the rest of a long message that was cut.",
    whole: true,
  },
  examples: ["inbox msg read 42", "inbox msg read 42 --offset 8000"],
}));
