/** The procedures that share a transaction, and how each ends. */
import type { Procedure, Row } from "../../sql/procedure.ts";
import type { Work } from "../engine.ts";
import type { Asked } from "./combine.ts";
import type { Noted } from "./context.ts";
import type { Trace } from "./fate.ts";

export type Outcome = { value: unknown } | { error: unknown };

export interface Ended extends Noted {
  /** Undefined if its last statements were sent together with the commit, and their answers were lost. */
  outcome?: Outcome;
}

/** One of several procedures cannot be undone alone: all are rolled back, and run one by one. */
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

export interface Running extends Noted {
  procedure: Procedure<unknown>;
  /** The next answer: the rows of a statement, or of each of several. */
  rows: Row[] | Row[][];
  wrote: boolean;
  /** It waits for the rows of its last statements. */
  last: boolean;
  outcome?: Outcome;
}

/** Ends a procedure that must have rows which another transaction has locked. */
export class MustWait extends Error {}

/**
 * Of a procedure that locks rows in an order. `asks`: it skips those that others have locked, and says so (`waitInLine`). `waits`: it
 * waits for them. `none`: it goes on without them.
 */
export type Patience = "asks" | "waits" | "none";

/** `final`: its answer can be found again after a lost connection. */
export interface Job {
  work: Work<unknown>;
  final: boolean;
  patience: Patience;
  /** If it waits, until when, by the clock of this process. */
  waitsUntil: number;
}

/** The lock timeout of a shared transaction is short, because it holds the locks of many callers. */
const togetherWaitMs = 250;

/** How long a transaction may wait for a lock, if not as long as any. Those who wait have only locks of what they wait for. */
export function waitOf(jobs: readonly Job[]): number | undefined {
  const waiting = jobs.filter(({ patience }) => patience === "waits");
  if (jobs.length > 1 && waiting.length < jobs.length) return togetherWaitMs;
  if (!waiting.length) return undefined;
  const until = Math.min(...waiting.map(({ waitsUntil }) => waitsUntil));
  return Math.max(1, Math.ceil(until - performance.now()));
}

/** What the procedures ask for in one step. */
export interface Step {
  /** By procedure, in the order in which it asked. */
  statements: Asked[][];
  clocks: Answer[];
  horizons: Answer[];
}

export type Answer = (rows: Row[]) => void;

/** One statement of a step: the procedure that asks it, and what gets its rows. */
export interface Emitting {
  running: Running;
  step: Step;
  asked: Asked[];
  answer: Answer;
}
