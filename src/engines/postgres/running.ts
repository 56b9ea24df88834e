/** What shares a transaction, and how it ends. */
import type { Procedure, Row } from "../../sql/procedure.ts";
import type { Work } from "../engine.ts";
import type { Asked } from "./combine.ts";
import type { Noted } from "./context.ts";
import type { Trace } from "./fate.ts";

export type Outcome = { value: unknown } | { error: unknown };

export interface Ended extends Noted {
  /** Undefined where its last statements went with the commit, and nobody knows what they found. */
  outcome?: Outcome;
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

export interface Running extends Noted {
  procedure: Procedure<unknown>;
  /** What it is answered with: the rows of a statement, or of each of several. */
  rows: Row[] | Row[][];
  wrote: boolean;
  /** It waits for what its last statements find. */
  last: boolean;
  outcome?: Outcome;
}

/** `final`: its answer can be found again. */
export interface Job {
  work: Work<unknown>;
  final: boolean;
}

/** What the procedures of one step want to know. */
export interface Step {
  /** Of each procedure, in its order. */
  statements: Asked[][];
  clocks: Answer[];
  horizons: Answer[];
}

export type Answer = (rows: Row[]) => void;

/** One statement of a step: whose it is, and who gets its rows. */
export interface Emitting {
  running: Running;
  step: Step;
  asked: Asked[];
  answer: Answer;
}
