/** [B1] [B2] Waiting for mail and taking it, for receive, check and wait; they differ in how long they wait. */
import { arrival } from "../bus/hand-over/arrival.ts";
import { buryIn } from "../bus/hand-over/bury.ts";
import { type HandedMail, type Handing, hand } from "../bus/hand-over/hand.ts";
import { lineOf, ready, type Wanted } from "../bus/hand-over/next.ts";
import { type Mail, visibilityDefault } from "../contract/mail.ts";
import type { OutputOf } from "../contract/operations/index.ts";
import type { Receipt } from "../contract/receipt.ts";
import type { EndSignal, Engine } from "../engines/engine.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import type { AnswerWithReceipt, Calling } from "./handed.ts";
import { sendersOf } from "./senders.ts";
import { UnknownNames } from "./unknown-names.ts";
import { countdown, ended, type Looked, wait } from "./wait.ts";

type Answer = OutputOf<"mailbox.receive">;

interface Taking {
  agent: string;
  ack: "auto" | "manual";
  visibilitySeconds?: number;
}

interface Patience {
  timeoutSeconds?: number;
  /** How long to wait for more after the first message. */
  windowSeconds?: number;
  call: Calling;
}

export async function takeMail(
  engine: Engine,
  asked: Wanted,
  taking: Taking,
  { timeoutSeconds, windowSeconds = 0, call }: Patience,
): Promise<AnswerWithReceipt<Answer>> {
  const { signal, handOver, collects } = call;
  const left = countdown(timeoutSeconds);
  const wanted = asked.from === undefined ? asked : await fromSender(engine, asked, asked.from);
  const { agent, from } = wanted;
  const how = collects ? { call: handOver, collects: confirmingOf(taking) } : { call: handOver };
  const senders = from === undefined ? [] : [from];
  const names = new UnknownNames(engine, { agent, from: senders, timeoutSeconds }, call);
  // Whoever waits for more than the first message takes all of it at the end.
  const take = windowSeconds > 0 ? undefined : engine.asCaller((tx) => handIfAny(tx, wanted, how));
  for (;;) {
    // A call that does not wait need not look first: handing over looks itself.
    const came =
      timeoutSeconds === 0
        ? undefined
        : await wait<HandedMail | true>(engine, { mailOf: agent }, () => look(engine, wanted, 1), {
            timeoutMs: left(),
            signal,
            agent,
            names: senders,
            beforeSleep: names.beforeSleep,
            take,
          });
    if (came && windowSeconds > 0) await letMoreCome(engine, wanted, { windowSeconds, signal });
    const over = ended(signal) || left() === 0;
    // Even without mail: the answer has the number of hidden messages, so that "empty" is not misread.
    const given =
      typeof came === "object"
        ? came
        : await engine.write((tx) => hand(tx, wanted, how), { line: lineOf(agent) });
    // Another reader of the same inbox was faster: continue waiting, unless the time is over.
    if (!given.messages.length && !over) continue;
    const { messages, hidden, nextEventId } = given;
    names.join(given.joined);
    const unknown = messages.length ? {} : await names.found();
    const total = messages.length;
    const value = { woke: total > 0, nextEventId, messages, total, hidden, ...unknown };
    return collects ? { value } : { value, receipt: receiptOf(taking, given) };
  }
}

/** Whether there is enough mail; what has become a dead letter is made one. */
async function look(engine: Engine, wanted: Wanted, enough: number): Promise<Looked<true>> {
  const looked = await engine.read((tx) => ready(tx, { ...wanted, max: enough }));
  if (looked.burials) await engine.write((tx) => buryIn(tx, wanted.agent));
  return { found: looked.enough || undefined, againInMs: looked.againInMs };
}

function* handIfAny(tx: Context, wanted: Wanted, how: Handing): Procedure<HandedMail | undefined> {
  const given = yield* hand(tx, wanted, { ...how, onlyIf: (numbers) => numbers.length > 0 });
  return given.messages.length ? given : undefined;
}

async function fromSender(engine: Engine, asked: Wanted, sender: string): Promise<Wanted> {
  const [from] = await sendersOf(engine, [sender]);
  return { ...asked, from };
}

/**
 * [B2] Waits for the rest of the window, which began when the first message arrived. If everything that is expected
 * has arrived, it ends at once.
 */
async function letMoreCome(
  engine: Engine,
  wanted: Wanted,
  { windowSeconds, signal }: { windowSeconds: number; signal?: EndSignal },
): Promise<void> {
  const first = await engine.read((tx) => arrival(tx, wanted));
  const left = windowSeconds * 1000 - first.ageMs;
  if (left <= 0) return;
  const lookForAll = async (): Promise<Looked<true>> => {
    const looked = await look(engine, wanted, wanted.max);
    if (looked.found) return looked;
    const { complete } = await engine.read((tx) => arrival(tx, wanted));
    return complete ? { found: true } : looked;
  };
  await wait(engine, { mailOf: wanted.agent }, lookForAll, { timeoutMs: left, signal });
}

const confirmingOf = ({ ack, visibilitySeconds = visibilityDefault }: Taking) =>
  ack === "manual" ? { visibilitySeconds } : {};

/** The receipt of a hand-over, which still has to be confirmed or released. */
export function receiptOf(
  { agent, ack, visibilitySeconds }: Taking,
  { messages, deliveryId }: { messages: readonly Mail[]; deliveryId: string },
): Receipt | undefined {
  if (!messages.length) return undefined;
  const ids = messages.map(({ id }) => id);
  return {
    of: "mail",
    agent,
    id: deliveryId,
    messages: ids,
    ...confirmingOf({ agent, ack, visibilitySeconds }),
  };
}
