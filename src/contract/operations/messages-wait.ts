import * as v from "valibot";
import { channelFilter, channelMessage, similarChannels } from "../channel-message.ts";
import { needs } from "../combinations.ts";
import { flag, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { blank, call, field, phrase } from "../phrase.ts";
import { timeoutSeconds } from "../waiting.ts";

export const messagesWait = operation("messages.wait", "msg wait", () => ({
  kind: "wait",
  access: { on: "channel", by: "channel", does: "read" },
  summary: "Wait until a channel has messages to read",
  detail: phrase`Like ${call("messages.inbox")}, but waits until there is a message to return. To see each message once, continue with ${field("afterId")} and the last id you saw, or let the bus keep your position: ${field("reader", blank("NAME"))} ${field("commit")}.`,
  input: () =>
    v.strictObject({
      ...channelFilter(),
      reader: v.optional(name("read from this reader's stored position", "NAME")),
      commit: flag(phrase`with ${field("reader")}: move its position past the messages shown`),
      timeoutSeconds: timeoutSeconds(
        "stop waiting after N seconds; 0: do not wait (default: none, wait forever)",
      ),
    }),
  combinations: [needs("commit", "reader", blank("NAME"))],
  output: () =>
    v.strictObject({
      messages: v.array(channelMessage()),
      channel: v.string(),
      count: v.number(),
      woke: v.boolean(),
      similar: similarChannels(),
    }),
  errors: ["invalid_input", "cursor_expired"],
  cli: { plain: ["channel"], shape: "channel", bare: "messages" },
  waits: {},
  marks: { with: "commit", whose: "reader" },
  http: ["POST /api/messages/inbox/:channel/wait"],
  mcp: {
    tool: "msg_wait",
    set: "messages",
    use: "Wait for messages of a channel after a position. After a timeout call again: nothing is missed.",
    renamed: { timeoutSeconds: "timeout" },
    says: { commit: "with reader: move its position past what was read" },
  },
  nothing: ({ messages }) => messages.length === 0,
  examples: [
    "inbox msg wait builds --after 42 --timeout-seconds 60",
    "inbox msg wait builds --reader deployer --commit --json",
  ],
}));
