/** A message of a channel. */
import type { ChannelMessage } from "../../contract/channel-message.ts";
import { safe } from "./safe.ts";

/**
 * As the channel protocol shows it: `[1] 2025-01-28 10:00:00 ci: Build passed`. Further lines are indented, or they
 * could be taken for messages.
 */
export const channelLine = (message: ChannelMessage) =>
  `[${message.id}] ${message.createdAt.slice(0, 19).replace("T", " ")} ${safe(message.sender)}: ${safe(message.content).replace(/\n/g, "\n  ")}`;
