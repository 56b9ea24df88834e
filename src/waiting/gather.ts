/** [B5] Scatter-gather: waits until enough of the named senders have answered, then takes the answers together. */
import { answers } from "../bus/procedures/gather.ts";
import { hand } from "../bus/procedures/hand.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import type { Context } from "../sql/procedure.ts";
import type { Calling, Given } from "./handed.ts";
import { receiptOf } from "./mail.ts";
import { countdown, ended, wait } from "./wait.ts";

type Input = ParsedOf<"mailbox.gather">;

export async function gather(
  engine: Engine,
  input: Input,
  { signal, handOver }: Calling,
): Promise<Given<OutputOf<"mailbox.gather">>> {
  const senders = [...new Set(input.from)];
  const need = needed(input.need, senders.length);
  const enough = (missing: readonly string[]) => senders.length - missing.length >= need;
  const left = countdown(input.timeoutSeconds);
  const look = async () => {
    const { missing, againInMs } = await engine.read((tx) => answers(tx, input));
    return { found: enough(missing) ? true : undefined, againInMs };
  };
  for (;;) {
    await wait(engine, { mailOf: input.agent }, look, { timeoutMs: left(), signal, agent: input.agent });
    const over = ended(signal) || left() === 0;
    const given = await engine.write((tx) => handAnswers(tx, input, senders, over ? 0 : need, handOver));
    // Another reader took some of them in between.
    if (!given) continue;
    const { messages, missing, nextEventId } = given;
    const value = { woke: enough(missing), nextEventId, messages, missing, dead: [] };
    return { value, receipt: receiptOf(input, given) };
  }
}

/** Hands over what has come, if it is still enough. */
function* handAnswers(
  tx: Context,
  input: Input,
  senders: readonly string[],
  need: number,
  handOver: string | undefined,
) {
  const found = yield* answers(tx, input);
  if (senders.length - found.missing.length < need) return undefined;
  const ids = found.messages.map(({ id }) => id);
  if (!ids.length)
    return { messages: [], missing: found.missing, deliveryId: "", nextEventId: yield* tx.settled() };
  const wanted = { agent: input.agent, max: ids.length, ids };
  const { messages, deliveryId, nextEventId } = yield* hand(tx, wanted, handOver);
  const there = new Set(messages.map(({ senderId }) => senderId));
  return { messages, deliveryId, nextEventId, missing: senders.filter((name) => !there.has(name)) };
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
