/** [B5] Scatter-gather: waits until enough of the named senders have answered, then takes the answers together. */

import { hand } from "../bus/hand-over/hand.ts";
import { lineOf } from "../bus/hand-over/next.ts";
import { answers } from "../bus/procedures/mailbox-gather.ts";
import { InboxError } from "../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import { field, phrase } from "../contract/phrase.ts";
import type { Engine } from "../engines/engine.ts";
import type { Context } from "../sql/procedure.ts";
import type { AnswerWithReceipt, Calling } from "./handed.ts";
import { sendersOf } from "./senders.ts";
import { receiptOf } from "./take-mail.ts";
import { UnknownNames } from "./unknown-names.ts";
import { countdown, ended, wait } from "./wait.ts";

type Input = ParsedOf<"mailbox.gather">;

export async function mailboxGather(
  engine: Engine,
  given: Input,
  call: Calling,
): Promise<AnswerWithReceipt<OutputOf<"mailbox.gather">>> {
  const { signal, handOver } = call;
  const senders = [...new Set(await sendersOf(engine, given.from))];
  const input = { ...given, from: senders };
  const need = needed(input.need, senders.length);
  // If nobody else can answer, there is nothing to wait for, however many answers were requested.
  const over = ({ missing, dead }: Silent) =>
    missing.length === 0 || senders.length - missing.length - dead.length >= need;
  const { agent, timeoutSeconds } = input;
  const left = countdown(timeoutSeconds);
  const names = new UnknownNames(engine, { agent, from: senders, timeoutSeconds }, call);
  const { beforeSleep } = names;
  const look = async () => {
    const found = await engine.read((tx) => answers(tx, input));
    return { found: over(found) ? true : undefined, againInMs: found.againInMs };
  };
  for (;;) {
    await wait(engine, { mailOf: agent }, look, {
      timeoutMs: left(),
      signal,
      agent,
      names: senders,
      beforeSleep,
    });
    const late = ended(signal) || left() === 0;
    const enough = late ? () => true : over;
    const handed = await engine.write((tx) => handAnswers(tx, input, { senders, enough, handOver }), {
      line: lineOf(agent),
    });
    // Another reader took some of them in between.
    if (!handed) continue;
    const { messages, missing, dead, nextEventId } = handed;
    const unknown = missing.length ? await names.found(missing) : {};
    const value = { woke: over(handed), nextEventId, messages, missing, dead, ...unknown };
    return { value, receipt: receiptOf(input, handed) };
  }
}

/** The agents that have not answered: not yet, or never. */
type Silent = Pick<OutputOf<"mailbox.gather">, "missing" | "dead">;

interface Wanted {
  senders: readonly string[];
  enough: (silent: Silent) => boolean;
  handOver: string | undefined;
}

/** Hands over the answers, if there are still enough. */
function* handAnswers(tx: Context, input: Input, { senders, enough, handOver }: Wanted) {
  const found = yield* answers(tx, input);
  if (!enough(found)) return undefined;
  const ids = found.messages.map(({ id }) => id);
  if (!ids.length) return { ...found, messages: [], deliveryId: "", nextEventId: yield* tx.settled() };
  const wanted = { agent: input.agent, max: ids.length, ids };
  const silentBut = (numbers: readonly number[]): Silent => {
    const there = new Set([...numbers.map((number) => found.answers.get(number)!), ...found.dead]);
    return { missing: senders.filter((name) => !there.has(name)), dead: found.dead };
  };
  const onlyIf = (numbers: readonly number[]) => enough(silentBut(numbers));
  const { messages, deliveryId, nextEventId } = yield* hand(tx, wanted, { call: handOver, onlyIf });
  const numbers = messages.map(({ id }) => id);
  if (!numbers.length && !onlyIf(numbers)) return undefined;
  return { messages, deliveryId, nextEventId, ...silentBut(numbers) };
}

function needed(need: string, count: number): number {
  if (need === "all") return count;
  if (need === "any") return 1;
  const number = /^\d+$/.test(need) ? Number(need) : 0;
  if (number >= 1 && number <= count) return number;
  throw new InboxError(
    "invalid_input",
    phrase`${field("need")} must be all, any, or a number from 1 to ${count}, the number of agents in ${field("from")}; got "${need}"`,
    { hint: phrase`for example ${field("need", "all")}` },
  );
}
