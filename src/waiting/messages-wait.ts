/** [M14] A read of a channel that waits while there is nothing to read. */
import { meantBy } from "../bus/name-use.ts";
import { pageOf } from "../bus/procedures/messages-inbox.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { agentTopic } from "../sql/topics.ts";
import { noteOnce } from "./begin-note.ts";
import type { Calling } from "./handed.ts";
import { inMs, wait } from "./wait.ts";

export async function messagesWait(
  engine: Engine,
  { timeoutSeconds, ...input }: ParsedOf<"messages.wait">,
  call: Pick<Calling, "signal" | "noteAtBegin"> = {},
): Promise<OutputOf<"messages.wait">> {
  const { channel, reader, commit } = input;
  const names = commit && reader !== undefined ? [channel, reader] : [channel];
  // That nobody has used it yet is no news to who waits for the first message.
  const meant = async () => {
    const { similar } = await engine.read((tx) => meantBy(tx, channel));
    return similar?.length ? { similar } : {};
  };
  const beforeSleep = noteOnce(call, timeoutSeconds, async () => {
    const { similar } = await meant();
    return similar ? { unknown: [{ name: channel, similar }] } : {};
  });
  const page = await wait<OutputOf<"messages.inbox">>(
    engine,
    { topics: [agentTopic(channel)] },
    async () => {
      const read = await engine.read((tx) => pageOf(tx, { ...input, onlyAcked: false, newest: false }));
      return { found: read.count ? read : undefined };
    },
    { timeoutMs: inMs(timeoutSeconds), signal: call.signal, names, beforeSleep },
  );
  if (page) return { ...page, woke: true };
  return { messages: [], channel, count: 0, ...(await meant()), woke: false };
}
