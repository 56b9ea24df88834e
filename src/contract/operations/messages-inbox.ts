import * as v from "valibot";
import { channelFilter, channelMessage } from "../channel-message.ts";
import { flag, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { field, phrase } from "../phrase.ts";

export const messagesInbox = operation({
  name: "messages.inbox",
  kind: "read",
  access: { on: "channel", by: "channel", does: "read" },
  summary: "Read a channel, without changing anything",
  detail: phrase`Messages after ${field("afterId")}, oldest first. With ${field("reader")} the position is kept in the bus and
    acked messages are shown too; it moves only with ${field("commit")}. Only an empty page means the end.`,
  input: () =>
    v.strictObject({
      ...channelFilter(),
      onlyAcked: flag("only those that were acknowledged"),
      reader: v.optional(name("read from this reader's stored position", "NAME")),
      commit: flag(phrase`with ${field("reader")}: move its position past what was read`),
      newest: flag("the newest instead of the oldest; still the oldest of them first"),
    }),
  output: () =>
    v.strictObject({ messages: v.array(channelMessage()), channel: v.string(), count: v.number() }),
  errors: ["invalid_input", "cursor_expired"],
  cli: { command: "msg inbox", plain: ["channel"], shape: "channel", bare: "messages" },
  marks: { with: "commit", whose: "reader" },
  http: ["POST /api/messages/inbox/:channel/read", "GET /api/messages/inbox/:channel"],
  mcp: {
    tool: "msg_inbox",
    set: "messages",
    use: "Read a channel from a position on. Changes nothing.",
    says: { commit: "with reader: move its position past what was read" },
    without: ["onlyAcked", "newest"],
  },
  examples: [
    "inbox msg inbox agent-1 --after 42",
    "inbox msg inbox builds --reader deployer --commit --json",
  ],
});
