/** A message in the channel view: what `inbox msg` prints and REST uses. The same record as in message.ts. */
import * as v from "valibot";
import { flag, integer, json, name, text } from "./fields.ts";
import { messageNumber } from "./ids.ts";
import { kinds, shownInEveryView } from "./message.ts";
import type { Text } from "./phrase.ts";

/** [M13] Names like that of a channel that nobody has used, and in which nothing was found. */
export const similarChannels = () => v.optional(v.array(v.string()));

export const messageStatuses = ["pending", "acked", "dead"] as const;

export const channelMessage = () =>
  v.strictObject({
    id: v.number(),
    channel: v.string(),
    sender: v.string(),
    content: v.string(),
    /** If the content is a body with its own summary. */
    summary: v.optional(v.string()),
    status: v.picklist(messageStatuses),
    correlationId: v.nullable(v.string()),
    taskId: v.nullable(v.string()),
    metadata: v.record(v.string(), v.unknown()),
    createdAt: v.string(),
    ackedAt: v.nullable(v.string()),
    expiresAt: v.nullable(v.string()),
    threadId: v.nullable(v.string()),
    kind: v.picklist(kinds),
    ...shownInEveryView(),
  });

export type ChannelMessage = v.InferOutput<ReturnType<typeof channelMessage>>;

/** The copies of a message to everybody or to a pool, one for each receiver. */
export const copies = () => v.optional(v.array(v.strictObject({ id: v.number(), channel: v.string() })));

export const channel = (help = "the channel: an agent, a pool or a topic") => name(help, "CHANNEL");
export const correlationId = (help: Text) =>
  v.optional(name(help, "CORRELATION", "correlation", "correlation-id"));
/** The payload of a thread's message: the same field of the same record. */
export const metadata = () =>
  v.optional(
    json("structured data for the reader, a JSON object: the payload of the message", {
      flag: "metadata",
      formerFlag: "payload-json",
    }),
  );
export const ttlSeconds = () =>
  v.optional(
    integer("it expires after N seconds (default: never)", {
      min: 1,
      max: 10 * 365 * 86_400,
      flag: "ttl",
    }),
  );
export const content = () => text("the text", { file: true });

/** Which messages of a channel are read. */
export const channelFilter = () => ({
  channel: channel(),
  afterId: v.optional(messageNumber("only messages with a greater id (default: 0)", "after")),
  limit: v.optional(integer("maximum number of messages (default: 50)", { min: 1, max: 1000 }), 50),
  sender: v.optional(name("only messages from this sender", "AGENT")),
  correlationId: correlationId("only messages with this correlation id"),
  includeAcked: flag("include acknowledged messages"),
});
