/** [B1] [B2] Waiting for mail and taking it: one way for receive, check and wait; they differ in how long. */
import { buryIn, hand, ready, type Wanted } from "../bus/procedures/hand.ts";
import type { Mail } from "../contract/mail.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Receipt } from "../contract/receipt.ts";
import type { Engine } from "../engines/engine.ts";
import type { Calling, Given } from "./handed.ts";
import { countdown, ended, wait } from "./wait.ts";

type Answer = OutputOf<"mailbox.receive">;

interface Taking {
  agent: string;
  ack: "auto" | "manual";
  visibilitySeconds: number;
}

export const receive = (engine: Engine, input: ParsedOf<"mailbox.receive">, call: Calling) =>
  take(engine, input, input, { timeoutSeconds: input.timeoutSeconds, call });

export const check = (engine: Engine, input: ParsedOf<"mailbox.check">, call: Calling) =>
  take(engine, input, input, { timeoutSeconds: 0, call });

export const waitMail = (engine: Engine, input: ParsedOf<"mailbox.wait">, call: Calling) =>
  take(engine, input, input, {
    timeoutSeconds: input.timeoutSeconds,
    windowSeconds: input.batchWindow,
    call,
  });

interface Patience {
  timeoutSeconds?: number;
  /** After the first message: how long to let others come. */
  windowSeconds?: number;
  call: Calling;
}

async function take(
  engine: Engine,
  wanted: Wanted,
  taking: Taking,
  { timeoutSeconds, windowSeconds = 0, call: { signal, handOver } }: Patience,
): Promise<Given<Answer>> {
  const left = countdown(timeoutSeconds);
  const mail = { mailOf: wanted.agent };
  const look = (enough: number) => async () => {
    const looked = await engine.read((tx) => ready(tx, { ...wanted, max: enough }));
    if (looked.burials) await engine.write((tx) => buryIn(tx, wanted.agent));
    return { found: looked.enough || undefined, againInMs: looked.againInMs };
  };
  for (;;) {
    const came = await wait(engine, mail, look(1), { timeoutMs: left(), signal, agent: wanted.agent });
    if (came && windowSeconds > 0 && timeoutSeconds !== 0)
      await wait(engine, mail, look(wanted.max), { timeoutMs: windowSeconds * 1000, signal });
    const over = ended(signal) || left() === 0;
    // Even with nothing to give: what is hidden counts, and says that "empty" is not all.
    const given = await engine.write((tx) => hand(tx, wanted, handOver));
    // Another reader of the same inbox was faster: wait on, unless the time is over.
    if (!given.messages.length && !over) continue;
    const { messages, hidden, nextEventId } = given;
    const value = { woke: messages.length > 0, nextEventId, messages, total: messages.length, hidden };
    return { value, receipt: receiptOf(taking, given) };
  }
}

/** What a hand-over still needs: a word that it arrived, or that it did not. */
export function receiptOf(
  { agent, ack, visibilitySeconds }: Taking,
  { messages, deliveryId }: { messages: readonly Mail[]; deliveryId: string },
): Receipt | undefined {
  if (!messages.length) return undefined;
  const ids = messages.map(({ id }) => id);
  return { of: "mail", agent, id: deliveryId, messages: ids, ...(ack === "manual" && { visibilitySeconds }) };
}
