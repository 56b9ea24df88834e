import * as v from "valibot";
import { flag, integer, name } from "../fields.ts";
import { operation } from "../operation.ts";

export const messagesChannels = operation("messages.channels", "msg channels", () => ({
  kind: "read",
  access: { on: "visible" },
  summary: "List channels by name",
  detail: "Lists every name that a message was sent to, with its number of unacknowledged messages.",
  input: () =>
    v.strictObject({
      after: v.optional(name("only names after this one, for the next page", "CHANNEL")),
      limit: v.optional(integer("maximum number of results (default: 200)", { min: 1, max: 1000 }), 200),
      pending: flag("only channels with pending messages"),
    }),
  output: () =>
    v.strictObject({
      channels: v.array(v.strictObject({ channel: v.string(), pending: v.number(), latestId: v.number() })),
      hasMore: v.boolean(),
    }),
  errors: ["invalid_input"],
  cli: { shape: "channel", bare: "channels" },
  http: ["GET /api/messages/channels"],
  mcp: { none: "a model knows the channels it works with" },
  examples: ["inbox msg channels", "inbox msg channels --pending --json"],
}));
