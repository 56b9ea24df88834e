import * as v from "valibot";
import { channelMessage } from "../channel-message.ts";
import { integer, name } from "../fields.ts";
import { operation } from "../operation.ts";

export const messagesReplies = operation("messages.replies", "msg replies", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "Find the replies to a request, on every channel",
  detail: "Returns all messages with that correlation id except the first, which is the request.",
  input: () =>
    v.strictObject({
      correlationId: name(
        "the correlation id of the request",
        "CORRELATION",
        "correlation",
        "correlation-id",
      ),
      limit: v.optional(integer("maximum number of results (default: 50)", { min: 1, max: 1000 }), 50),
    }),
  output: () =>
    v.strictObject({ messages: v.array(channelMessage()), correlationId: v.string(), count: v.number() }),
  errors: ["invalid_input"],
  cli: { plain: ["correlationId"], shape: "channel", bare: "messages" },
  http: ["GET /api/messages/replies/:correlationId"],
  mcp: {
    tool: "msg_replies",
    set: "messages",
    use: "Find the replies to a request by its correlation id.",
  },
  examples: ["inbox msg replies review-42"],
}));
