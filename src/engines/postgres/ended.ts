/** How procedures that share a transaction come to their end. */
import type { Noted } from "./context.ts";
import type { Trace } from "./fate.ts";

export type Outcome = { value: unknown } | { error: unknown };

export interface Ended extends Noted {
  outcome: Outcome;
}

/** One of several cannot be undone alone: all are undone, and run one by one. */
export class Entangled extends Error {}

/** The commit was sent and its answer never came. */
export class Unsettled extends Error {
  constructor(
    readonly ended: Ended[],
    readonly trace: Trace,
    cause: unknown,
  ) {
    super("the connection broke while committing", { cause });
  }
}
