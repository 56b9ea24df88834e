import * as v from "valibot";
import { channelFilter, channelMessage, similarChannels } from "../channel-message.ts";
import { excludes, needs } from "../combinations.ts";
import { flag, name } from "../fields.ts";
import { operation } from "../operation.ts";
import { blank, field, phrase } from "../phrase.ts";

export const messagesInbox = operation("messages.inbox", "msg inbox", () => ({
  kind: "read",
  access: { on: "channel", by: "channel", does: "read" },
  summary: "Read a channel, without acknowledging anything",
  detail: phrase`Returns messages after ${field("afterId")}, oldest first. With ${field("reader")} it starts at the position that the bus keeps for that reader, and includes acknowledged messages; ${field("commit")} moves the position. A page can be short: only an empty page means the end.`,
  input: () =>
    v.strictObject({
      ...channelFilter(),
      onlyAcked: flag("only acknowledged messages"),
      reader: v.optional(name("read from this reader's stored position", "NAME")),
      commit: flag(phrase`with ${field("reader")}: move its position past the messages shown`),
      newest: flag("return the newest messages instead of the oldest, in chronological order"),
    }),
  combinations: [
    needs("commit", "reader", blank("NAME")),
    excludes("newest", "afterId", "reader"),
    excludes("onlyAcked", "includeAcked"),
  ],
  output: () =>
    v.strictObject({
      messages: v.array(channelMessage()),
      channel: v.string(),
      count: v.number(),
      similar: similarChannels(),
    }),
  errors: ["invalid_input", "cursor_expired"],
  cli: { plain: ["channel"], shape: "channel", bare: "messages" },
  marks: { with: "commit", whose: "reader" },
  http: ["POST /api/messages/inbox/:channel/read", "GET /api/messages/inbox/:channel"],
  mcp: {
    tool: "msg_inbox",
    set: "messages",
    use: "Read a channel from a position, without acknowledging anything.",
    says: { commit: "with reader: move its position past what was read" },
    without: ["onlyAcked", "newest"],
  },
  examples: [
    "inbox msg inbox agent-1 --after 42",
    "inbox msg inbox builds --reader deployer --commit --json",
  ],
}));
