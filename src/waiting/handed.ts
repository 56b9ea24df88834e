/** An answer on its way to its reader, and how it is confirmed or released. */

import { confirmHandOver, releaseHandOver } from "../bus/hand-over/settle.ts" with { load: "when-called" };
import type { Settled } from "../bus/hand-over/settle.ts";
import type { Keyed } from "../bus/idempotency.ts";
import type { NoteAtBegin } from "../contract/begin-note.ts";
import { type Receipt, type Releasing, releasing } from "../contract/receipt.ts";
import type { EndSignal, Engine } from "../engines/engine.ts";

/** How a call is made, in addition to its input. */
export interface Calling {
  /** Ends a wait whose answer is no longer wanted. */
  signal?: EndSignal;
  keyed?: Keyed;
  /** [M13] [L11] Told when a wait without an end begins. */
  noteAtBegin?: NoteAtBegin;
  /** The caller's id for this call, by which it can release what it never received. */
  handOver?: string;
  /** The caller is in this process, and has the answer once it is committed: its content is collected in the same transaction. */
  collects?: boolean;
}

/** An answer that collects nothing has no receipt. */
export interface AnswerWithReceipt<T> {
  value: T;
  receipt?: Receipt;
}

export interface Handed<T> extends AnswerWithReceipt<T> {
  /** The answer was shown: its content is collected now. Refused if another reader has it meanwhile. */
  confirm?(): Promise<void>;
  /** The answer could not be shown: undone as far as possible, as if the call had not been made. */
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
