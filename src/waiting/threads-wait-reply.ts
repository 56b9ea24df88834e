/**
 * [W2] `wait-reply`: blocks until another agent writes in a thread. The messages it finds are hidden from other
 * readers of the same inbox; the caller collects them.
 */
import { renewalDueInMs, renewWaiting } from "../bus/procedures/threads-renew.ts";
import { replies, replyStart, takeReplies } from "../bus/procedures/threads-wait-reply.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { agentTopic, threadTopic } from "../sql/topics.ts";
import { earliest, inMs, wait } from "./wait.ts";

export async function waitReply(
  engine: Engine,
  input: ParsedOf<"threads.waitReply">,
  signal: AbortSignal | undefined,
  deliveryId: string,
): Promise<OutputOf<"threads.waitReply">> {
  const start = await engine.read(() => replyStart(input));
  const reader = input.agent === undefined ? undefined : { agent: input.agent, id: deliveryId };
  let cursor = 0;
  const thread = threadTopic(start.thread);
  const found = await wait(
    engine,
    { topics: [thread] },
    async () => {
      const now = await engine.read((tx) => replies(tx, start, input.kinds, reader));
      cursor = now.nextEventId;
      if (!now.messages.length)
        return {
          againInMs: earliest(now.againInMs, await keepLease(engine, start.thread, input.agent)),
          // Only messages that are handed over to another reader can come back with an event about the agent. If every waiter
          // subscribed to it, each reply to one agent would wake all that wait for its replies.
          topics: reader && now.inHand ? [thread, agentTopic(reader.agent)] : [thread],
        };
      const messages = reader
        ? await engine.write((tx) => takeReplies(tx, now.messages, reader))
        : now.messages;
      return { found: messages.length ? { messages } : undefined };
    },
    { timeoutMs: inMs(input.timeoutSeconds), signal, agent: input.agent },
  );
  const messages = found?.messages ?? [];
  return { woke: found !== undefined, nextEventId: cursor, message: messages[0] ?? null, messages };
}

/** How long to wait for a lease that could not be renewed, before trying again. */
const laterMs = 1000;

/**
 * [L9] A holder that waits for the answer to its own question is at work: its lease is renewed when it is due.
 * Returns the milliseconds until then.
 */
async function keepLease(engine: Engine, thread: number, agent: string | undefined) {
  if (agent === undefined) return undefined;
  const waiting = { thread, agent };
  const dueInMs = await engine.read((tx) => renewalDueInMs(tx, waiting));
  if (dueInMs !== 0) return dueInMs;
  try {
    return await engine.write((tx) => renewWaiting(tx, waiting));
  } catch (error) {
    // The answer may still come.
    if (!(error instanceof InboxError)) throw error;
    return laterMs;
  }
}
