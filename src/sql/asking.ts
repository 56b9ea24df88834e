/**
 * One statement as a procedure, without a generator. On a synchronous engine (`atOnce`) the statement calls the engine
 * directly: a value that is yielded passes through every calling procedure, and on SQLite that took longer than most
 * statements.
 */
import type { Procedure, Row } from "./procedure.ts";
import type { Sql } from "./sql.ts";

let answer: ((asked: Sql) => Row[]) | undefined;

/** Runs a procedure to its end on an engine that answers each statement before it returns. */
export function atOnce<T, C>(answering: (asked: Sql) => Row[], procedure: (tx: C) => Procedure<T>, tx: C): T {
  const before = answer;
  answer = answering;
  try {
    const step = procedure(tx).next();
    if (!step.done) throw new Error("a procedure has waited for rows that it was not asked to wait for");
    return step.value;
  } finally {
    answer = before;
  }
}

export const answersAtOnce = () => answer !== undefined;

/** A known value as a procedure. */
export class Known<T> {
  readonly done = true;

  constructor(readonly value: T) {}

  next(): this {
    return this;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

export const known = <T>(value: T) => new Known(value) as unknown as Procedure<T>;

/** A statement, and how its rows become a value. */
class Asking<T> {
  #sent = false;

  constructor(
    readonly query: Sql,
    readonly pick: (rows: Row[]) => T,
  ) {}

  next(rows?: Row[]): IteratorResult<Sql, T> {
    if (this.#sent) return { done: true, value: this.pick(rows!) };
    if (answer) return { done: true, value: this.pick(answer(this.query)) };
    this.#sent = true;
    return { done: false, value: this.query };
  }

  [Symbol.iterator](): this {
    return this;
  }
}

export const asking = <T>(query: Sql, pick: (rows: Row[]) => T) =>
  new Asking(query, pick) as unknown as Procedure<T>;
