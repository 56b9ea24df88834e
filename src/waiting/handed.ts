/** An answer on its way to its reader, and what is said of it once that is known. */

import { confirmHandOver, releaseHandOver, type Settled } from "../bus/hand-over/settle.ts";
import type { Keyed } from "../bus/idempotency.ts";
import { type Receipt, type Releasing, releasing } from "../contract/receipt.ts";
import type { Engine } from "../engines/engine.ts";

/** How a call is made, beside what it asks for. */
export interface Calling {
  /** Ends a wait that nobody wants the answer of. */
  signal?: AbortSignal;
  keyed?: Keyed;
  /** What the caller calls this call by: it can give back what it never got. */
  handOver?: string;
  /** The caller is in this process, and has the answer once it is committed: what is in it is collected in the same transaction. */
  collects?: boolean;
}

/** One that collects nothing has no receipt. */
export interface AnswerWithReceipt<T> {
  value: T;
  receipt?: Receipt;
}

export interface Handed<T> extends AnswerWithReceipt<T> {
  /** The answer was shown: what it contains is collected now. Refused where it has become another's meanwhile. */
  confirm?(): Promise<void>;
  /** The answer could not be shown: as if the call had not been made, as far as that is possible. */
  release?(how?: Releasing): Promise<void>;
}

export type Word = "confirm" | "release";

export const settle = (engine: Engine, word: Word, receipt: Receipt): Promise<Settled> =>
  engine.write<Settled>(
    (tx) => (word === "confirm" ? confirmHandOver(tx, receipt) : releaseHandOver(tx, receipt)),
    {
      repeatable: true,
    },
  );

export function handed<T>(engine: Engine, given: AnswerWithReceipt<T>): Handed<T> {
  const { receipt } = given;
  if (!receipt) return given;
  const returns =
    receipt.of === "mail" ||
    (receipt.of === "thread" && (receipt.lease !== undefined || receipt.id !== undefined));
  return {
    ...given,
    confirm: async () => void (await settle(engine, "confirm", receipt)),
    ...(returns && {
      release: async (how) => void (await settle(engine, "release", releasing(receipt, how))),
    }),
  };
}
