/** [B5] Scatter-gather: waits until enough of the named senders have answered, then takes the answers together. */
import { latestEvent } from "../bus/event.ts";
import { answers } from "../bus/procedures/gather.ts";
import { hand } from "../bus/procedures/hand.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import { agentTopic } from "../sql/topics.ts";
import type { Handed } from "./handed.ts";
import { settling } from "./mail.ts";
import { wait } from "./wait.ts";

type Input = ParsedOf<"mailbox.gather">;

export async function gather(
  engine: Engine,
  input: Input,
  signal?: AbortSignal,
): Promise<Handed<OutputOf<"mailbox.gather">>> {
  const senders = [...new Set(input.from)];
  const need = needed(input.need, senders.length);
  const enough = (missing: readonly string[]) => senders.length - missing.length >= need;
  const came = await wait(
    engine,
    [agentTopic(input.agent)],
    async () => {
      const { missing } = await engine.read((tx) => answers(tx, input));
      return { found: enough(missing) ? true : undefined };
    },
    { timeoutMs: input.timeoutSeconds === undefined ? undefined : input.timeoutSeconds * 1000, signal },
  );
  const given = await engine.write(function* (tx) {
    const found = yield* answers(tx, input);
    const ids = found.messages.map(({ id }) => id);
    const handed = ids.length
      ? yield* hand(tx, { agent: input.agent, max: ids.length, ids })
      : { messages: [], deliveryId: "" };
    const there = new Set(handed.messages.map(({ senderId }) => senderId));
    return { ...handed, missing: senders.filter((name) => !there.has(name)) };
  });
  const { messages, missing } = given;
  const nextEventId = await engine.read(() => latestEvent());
  const value = { woke: came === true, nextEventId, messages, missing, dead: [] };
  return { value, ...settling(engine, input, given.deliveryId, messages.length) };
}

function needed(need: string, count: number): number {
  if (need === "all") return count;
  if (need === "any") return 1;
  const number = /^\d+$/.test(need) ? Number(need) : 0;
  if (number >= 1 && number <= count) return number;
  throw new InboxError(
    "invalid_input",
    `need must be all, any, or a number from 1 to ${count}; got "${need}"`,
  );
}
