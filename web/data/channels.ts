/** Channels: streams of messages that many may read. */
import type { ChannelMessage } from "../../src/contract/channel-message.ts";
import { api } from "./api.ts";

export type { ChannelMessage };

/** The newest messages of a channel: it is read from the front, so a long one is walked through. */
export async function messagesOf(channel: string): Promise<readonly ChannelMessage[]> {
  let all: ChannelMessage[] = [];
  for (let afterId = 0; ; ) {
    const page = await api.messages.inbox(channel, { afterId, includeAcked: true, limit: 1000 });
    all = [...all, ...page].slice(-1000);
    if (page.length < 1000) return all;
    afterId = page.at(-1)!.id;
  }
}

export const pendingOf = (channel: string) => api.messages.pending(channel);
export const ack = (id: number) => api.messages.ack(id);
export const ackAll = (channel: string) => api.messages.ackAll(channel);
export const post = (channel: string, content: string) => api.messages.send({ channel, content });
