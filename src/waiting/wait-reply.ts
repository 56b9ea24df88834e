/** [W2] `wait-reply`: blocks until somebody else says something in a thread. What it finds is hidden from other readers of the same inbox; collecting is the caller's. */
import { replies, replyStart, takeReplies } from "../bus/procedures/wait-reply.ts";
import { numberOf } from "../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { agentTopic, threadTopic } from "../sql/topics.ts";
import { wait } from "./wait.ts";

export async function waitReply(
  engine: Engine,
  input: ParsedOf<"threads.waitReply">,
  signal: AbortSignal | undefined,
  deliveryId: string,
): Promise<OutputOf<"threads.waitReply">> {
  const start = await engine.read(() => replyStart(input));
  const reader = input.agent === undefined ? undefined : { agent: input.agent, id: deliveryId };
  let cursor = 0;
  const found = await wait(
    engine,
    { topics: [threadTopic(numberOf(input.thread)), ...(reader ? [agentTopic(reader.agent)] : [])] },
    async () => {
      const now = await engine.read((tx) => replies(tx, start, input.kinds, reader));
      cursor = now.nextEventId;
      if (!now.messages.length) return { againInMs: now.againInMs };
      const messages = reader
        ? await engine.write((tx) => takeReplies(tx, now.messages, reader))
        : now.messages;
      return { found: messages.length ? { messages } : undefined };
    },
    { timeoutMs: input.timeoutSeconds ? input.timeoutSeconds * 1000 : undefined, signal, agent: input.agent },
  );
  const messages = found?.messages ?? [];
  return { woke: found !== undefined, nextEventId: cursor, message: messages[0] ?? null, messages };
}
