/** A message of a channel. */
import type { ChannelMessage } from "../../contract/channel-message.ts";
import { safe } from "./safe.ts";
import { clockTime } from "./time.ts";

/**
 * As the channel protocol shows it: `[1] 2025-01-28 10:00:00 ci: Build passed`, with a Z that says that the time is in UTC. Further lines are indented, or they
 * could be taken for messages.
 */
export const channelLine = (message: ChannelMessage) =>
  `[${message.id}] ${clockTime(message.createdAt)} ${safe(message.sender)}: ${safe(message.content).replace(/\n/g, "\n  ")}`;
