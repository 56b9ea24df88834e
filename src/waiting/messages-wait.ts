/** [M14] A read of a channel that waits while there is nothing to read. */
import { meantBy } from "../bus/agent.ts";
import { pageOf } from "../bus/procedures/messages-inbox.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { agentTopic } from "../sql/topics.ts";
import { inMs, wait } from "./wait.ts";

export async function messagesWait(
  engine: Engine,
  { timeoutSeconds, ...input }: ParsedOf<"messages.wait">,
  signal?: AbortSignal,
): Promise<OutputOf<"messages.wait">> {
  const { channel } = input;
  const page = await wait<OutputOf<"messages.inbox">>(
    engine,
    { topics: [agentTopic(channel)] },
    async () => {
      const read = await engine.read((tx) => pageOf(tx, { ...input, onlyAcked: false, newest: false }));
      return { found: read.count ? read : undefined };
    },
    { timeoutMs: inMs(timeoutSeconds), signal },
  );
  if (page) return { ...page, woke: true };
  const meant = await engine.read((tx) => meantBy(tx, channel));
  return { messages: [], channel, count: 0, ...meant, woke: false };
}
