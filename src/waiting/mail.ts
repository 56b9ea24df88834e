/** [B1] [B2] Waiting for mail and taking it: one way for receive, check and wait; they differ in how long. */
import {
  buryIn,
  confirm,
  giveBack,
  type HandedMail,
  hand,
  ready,
  type Wanted,
} from "../bus/procedures/hand.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Engine } from "../engines/engine.ts";
import type { Handed } from "./handed.ts";
import { countdown, ended, wait } from "./wait.ts";

type Answer = OutputOf<"mailbox.receive">;

interface Taking {
  agent: string;
  ack: "auto" | "manual";
  visibilitySeconds: number;
}

export const receive = (engine: Engine, input: ParsedOf<"mailbox.receive">, signal?: AbortSignal) =>
  take(engine, input, input, { timeoutSeconds: input.timeoutSeconds, signal });

export const check = (engine: Engine, input: ParsedOf<"mailbox.check">, signal?: AbortSignal) =>
  take(engine, input, input, { timeoutSeconds: 0, signal });

export const waitMail = (engine: Engine, input: ParsedOf<"mailbox.wait">, signal?: AbortSignal) =>
  take(engine, input, input, {
    timeoutSeconds: input.timeoutSeconds,
    windowSeconds: input.batchWindow,
    signal,
  });

interface Patience {
  timeoutSeconds?: number;
  /** After the first message: how long to let others come. */
  windowSeconds?: number;
  signal?: AbortSignal;
}

async function take(
  engine: Engine,
  wanted: Wanted,
  taking: Taking,
  { timeoutSeconds, windowSeconds = 0, signal }: Patience,
): Promise<Handed<Answer>> {
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
    const given = await engine.write((tx) => hand(tx, wanted));
    // Another reader of the same inbox was faster: wait on, unless the time is over.
    if (!given.messages.length && !over) continue;
    return handedMail(engine, taking, given);
  }
}

function handedMail(engine: Engine, taking: Taking, given: HandedMail): Handed<Answer> {
  const { messages, hidden, nextEventId } = given;
  const value = { woke: messages.length > 0, nextEventId, messages, total: messages.length, hidden };
  return { value, ...settling(engine, taking, given.deliveryId, messages.length) };
}

/** What a hand-over still needs: a word that it arrived, or that it did not. */
export function settling(
  engine: Engine,
  { agent, ack, visibilitySeconds }: Taking,
  deliveryId: string,
  count: number,
) {
  if (!count) return {};
  const manual = ack === "manual" ? { visibilitySeconds } : {};
  return {
    hidden: true,
    confirm: () => engine.write((tx) => confirm(tx, { agent, deliveryId, ...manual })),
    giveBack: () => engine.write((tx) => giveBack(tx, { agent, deliveryId })),
  };
}
