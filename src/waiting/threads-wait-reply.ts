/**
 * [W2] `wait-reply`: blocks until another agent writes in a thread. The messages it finds are hidden from other
 * readers of the same inbox; the caller collects them. [W7] In a thread that has ended there is nothing to wait for.
 */
import { renewalDueInMs, renewWaiting } from "../bus/procedures/threads-renew.ts";
import { replies, replyStart, takeReplies } from "../bus/procedures/threads-wait-reply.ts";
import { InboxError } from "../contract/errors.ts";
import { idOf } from "../contract/ids.ts";
import type { Message } from "../contract/message.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { EndedStatus } from "../contract/thread.ts";
import type { EndSignal, Engine } from "../engines/engine.ts";
import { agentTopic, threadTopic } from "../sql/topics.ts";
import { earliest, inMs, wait } from "./wait.ts";

export async function waitReply(
  engine: Engine,
  input: ParsedOf<"threads.waitReply">,
  signal: EndSignal | undefined,
  deliveryId: string,
): Promise<OutputOf<"threads.waitReply">> {
  const start = await engine.read(() => replyStart(input));
  const reader = input.agent === undefined ? undefined : { agent: input.agent, id: deliveryId };
  let cursor = 0;
  let ended: EndedStatus | undefined;
  const thread = threadTopic(start.thread);
  const found = await wait<readonly Message[]>(
    engine,
    { topics: [thread] },
    async () => {
      const now = await engine.read((tx) => replies(tx, start, input.kinds, reader));
      cursor = now.nextEventId;
      ended = now.ended;
      if (!now.messages.length) {
        if (ended && !now.onTheWay) return { found: [] };
        return {
          // Nothing tells that another reader has got its answer, if it acks the messages later.
          againInMs: ended
            ? earliest(now.againInMs, laterMs)
            : earliest(now.againInMs, await keepLease(engine, start.thread, input.agent)),
          // Only messages that are handed over to another reader can come back with an event about the agent. If every waiter
          // subscribed to it, each reply to one agent would wake all that wait for its replies.
          topics: reader && now.inHand ? [thread, agentTopic(reader.agent)] : [thread],
        };
      }
      const messages = reader
        ? await engine.write((tx) => takeReplies(tx, now.messages, reader))
        : now.messages;
      // If another reader was faster, the next look tells what is left.
      return messages.length ? { found: messages } : { againInMs: 0 };
    },
    { timeoutMs: inMs(input.timeoutSeconds), signal, agent: input.agent },
  );
  const messages = [...(found ?? [])];
  return {
    woke: messages.length > 0,
    threadId: idOf("thread", start.thread),
    ...(ended && { ended }),
    nextEventId: cursor,
    message: messages[0] ?? null,
    messages,
  };
}

/** How long to wait before another look, where no event says that something has changed. */
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
