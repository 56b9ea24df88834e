/** Channels: streams of messages that many may read. */
import type { Entry } from "../../src/contract/entry.ts";
import { api, me } from "./api.ts";
import { store } from "./store.ts";

export interface Channel {
  name: string;
  pending: number;
}

/** All of them, those with something pending first. */
async function listChannels(): Promise<readonly Channel[]> {
  const all: Channel[] = [];
  for (let after: string | undefined; ; ) {
    const page = await api.messages.channels({ limit: 1000, ...(after !== undefined && { after }) });
    all.push(...page.channels.map(({ channel, pending }) => ({ name: channel, pending })));
    if (!page.hasMore) break;
    after = page.channels.at(-1)!.channel;
  }
  const byName = new Intl.Collator(undefined, { numeric: true });
  return all.sort((a, b) => Number(b.pending > 0) - Number(a.pending > 0) || byName.compare(a.name, b.name));
}

export const channels = store({
  fetch: listChannels,
  changedBy: ({ eventType }) => /^(message|thread)/.test(eventType),
});

export const messagesOf = (channel: string) =>
  api.messages.inbox(channel, { includeAcked: true, newest: true, limit: 300 });

export type ChannelMessage = Awaited<ReturnType<typeof messagesOf>>[number];

/** What the person has written to an agent about an entry, in no thread; a choice is told by the entry itself. */
export async function repliesTo(entry: Entry, agent: string): Promise<readonly ChannelMessage[]> {
  const asked = { sender: entry.answeredBy ?? me, includeAcked: true, newest: true, limit: 200 };
  const messages = await api.messages.inbox(agent, asked);
  return messages.filter(({ metadata }) => metadata.entry === entry.id && metadata.choice === undefined);
}

export const readersOf = (channel: string) => api.messages.readers(channel);
export const pendingOf = (channel: string) => api.messages.pending(channel);
export const ack = (id: number) => api.messages.ack(id);
export const ackAll = (channel: string) => api.messages.ackAll(channel);
export const post = (channel: string, content: string) => api.messages.send({ channel, content });
