/** [W2] `wait-reply`: blocks until somebody else says something in a thread. Collecting is the caller's. */
import { replies, replyStart } from "../bus/procedures/wait-reply.ts";
import { numberOf } from "../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { threadTopic } from "../sql/topics.ts";
import { wait } from "./wait.ts";

export async function waitReply(
  engine: Engine,
  input: ParsedOf<"threads.waitReply">,
  signal?: AbortSignal,
): Promise<OutputOf<"threads.waitReply">> {
  const start = await engine.read(() => replyStart(input));
  let cursor = 0;
  const found = await wait(
    engine,
    { topics: [threadTopic(numberOf(input.thread))] },
    async () => {
      const now = await engine.read(() => replies(start, input.kinds));
      cursor = now.nextEventId;
      return { found: now.messages.length ? now : undefined };
    },
    { timeoutMs: input.timeoutSeconds ? input.timeoutSeconds * 1000 : undefined, signal, agent: input.agent },
  );
  const messages = found?.messages ?? [];
  return { woke: found !== undefined, nextEventId: cursor, message: messages[0] ?? null, messages };
}
