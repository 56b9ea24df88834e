import * as v from "valibot";
import { integer } from "../fields.ts";
import { operation } from "../operation.ts";

export const messagesGc = operation("messages.gc", "msg gc", () => ({
  kind: "write",
  access: { on: "bus", scopes: ["leader", "admin"] },
  summary: "Delete expired messages, and old acknowledged ones",
  detail: "Messages that are neither expired nor acknowledged are kept, and so are messages of threads.",
  input: () =>
    v.strictObject({
      ackedOlderThanHours: v.optional(
        integer("also delete acknowledged messages older than N hours", {
          min: 1,
          max: 876_000,
          flag: "acked-older-than",
        }),
      ),
    }),
  output: () => v.strictObject({ expired: v.number(), acked: v.number() }),
  errors: ["invalid_input"],
  cli: { shape: "channel" },
  http: ["POST /api/messages/gc"],
  mcp: {
    tool: "msg_gc",
    set: "messages",
    destructive: true,
    use: "Delete expired messages, and old acknowledged ones if asked to. Cannot be undone.",
  },
  examples: ["inbox msg gc --acked-older-than 24"],
}));
