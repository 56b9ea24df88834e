/**
 * A procedure is a bus rule: a generator that yields SQL and gets rows back. It does no I/O, so the same
 * code runs synchronously on one engine and asynchronously on another. Its rules:
 *   - it returns a value, or `refused(error)`: both commit. A throw rolls everything back.
 *   - an engine never throws into it; use `on conflict do nothing returning` to ask "did it change?".
 *   - an engine may run it again from the start, so it keeps no state outside.
 */
import type { InboxError } from "../contract/errors.ts";
import type { Surface } from "../contract/question.ts";
import { answersAtOnce, asking, known } from "./asking.ts";
import type { Sql } from "./sql.ts";
import type { Walk } from "./walk.ts";

export type Row = Record<string, string | number | null>;
/** It yields a statement, answered with its rows, or several at once, answered with the rows of each. */
export type Procedure<T> = Generator<Sql | Several, T, Row[]>;

/** What an engine runs in a transaction. */
export type Work<T> = (tx: Context) => Procedure<T | Refused>;

/** Statements that do not depend on each other: a remote engine gets all of them in one round trip. */
export class Several {
  /** `last`: no statement follows, whatever these return, so the commit may be sent together with them. */
  constructor(
    readonly statements: readonly Sql[],
    readonly last = false,
  ) {}
}

/** What an engine provides to a procedure for one transaction. */
export interface Context {
  /** The engine's time, ISO 8601 UTC with milliseconds. Read it after the locks are taken. */
  clock(): Procedure<string>;
  /** The same as an SQL expression, if its value is not needed outside of the statement. It may be earlier than the locks that the statement waits for. */
  time(): Sql | string;
  /** The number for a row that is inserted next, so that rows that refer to it can be written in the same step. Call it after `lock`. */
  number(table: "threads" | "messages"): Procedure<number>;
  /** The same for several rows, in order. */
  numbers(table: "threads" | "messages", count: number): Procedure<number[]>;
  /**
   * The number of an event that is written in a later step, for an answer that contains it: then the last step needs no
   * answer, and goes with the commit. Undefined on engines where the number costs nothing once the event is written.
   */
  eventNumber(): Procedure<number | undefined>;
  /**
   * Inserts one row and answers with the number that it got in this column. SQLite knows it without `returning`, with
   * which the insert of an event took 5.4 µs instead of 2.6.
   */
  inserted(insertion: Sql, column: string): Procedure<number>;
  /** Appended to a select that must lock what it reads, on engines that need it. */
  readonly forUpdate: Sql;
  /** The same, but skips rows that another transaction has locked; not rows that are only referred to, as a thread by a new message. */
  readonly forUpdateFree: Sql;
  /** The same, in an order that must be kept: if `skips`, see `waitInLine`; else locked rows are waited for, or there are none. */
  readonly forUpdateNext: Sql;
  readonly skips: boolean;
  /** Where rows are waited for in an order: one transaction of a line at a time, as others may wait in another order. Else nothing. */
  enterLine(name: string): Procedure<void>;
  /** Called before any write if a row was skipped that comes before others: the procedure is run again, in its line (`WriteOptions`). */
  waitInLine(): never;
  /** The same as `forUpdateFree`, for a select that also reads other tables than threads. */
  readonly forUpdateFreeThreads: Sql;
  /** The same before deleting: it also skips rows that an uncommitted row of another transaction refers to. */
  readonly forDeleteFree: Sql;
  /**
   * Follows a table that is read in the order of an index, a page at a time. An engine without statistics may choose
   * another index, which reads and sorts all rows for every page.
   */
  walking(index: string): Sql;
  /** Rows with one value, in the order of an index (walk.ts). */
  readonly walk: Walk;
  /** The function that joins the texts of several rows with a separator. */
  readonly joinedTexts: Sql;
  /** The database is in this process: two short statements are better than one for all cases. */
  readonly embedded: boolean;
  /** How many candidates to read, because other transactions may be taking the best ones. */
  readonly rivals: number;
  /**
   * Another transaction that locks one of these names waits until this one ends, on engines with concurrent transactions.
   * Rows that get their number under such a lock become visible in the order of their numbers ([G2]).
   */
  lock(...names: string[]): Procedure<void>;
  /**
   * Locks do not separate procedures that share a transaction. So a procedure names what it needs exclusively until it
   * has ended, and waits while another procedure of the transaction owns that name.
   */
  own(name: string): Procedure<void>;
  /** Whether no other procedure of this transaction owns it. */
  free(name: string): boolean;
  /** Whether no other procedure of this transaction has owned it so far: then what was read of it before `own` is still true. */
  untouched(name: string): boolean;
  /** A fact that an earlier, committed transaction of this process has learnt. */
  recall(fact: string): string | undefined;
  /** For facts that stay true: they are remembered once this transaction is committed. */
  learn(fact: string, value: string): void;
  /**
   * The rows of a statement of this name (`named`), if a caller of this transaction got them and nothing has changed them
   * since. Undefined on engines that do not keep them.
   */
  answered(name: string): Row[] | undefined;
  /** The newest event before which no uncommitted event can appear any more ([G2]). In a read, call it before any statement. */
  settled(): Procedure<number>;
  /** If the answer is lost with the connection, it can be found again after the commit: so the commit may be sent with the last statements. */
  readonly final?: boolean;
  /** Whether a token proves which agent acts ([X2]); otherwise the name is only what the caller claims. */
  readonly verified: boolean;
  /** [A7] The surface through which the call came; undefined for a program that embeds the bus. */
  surface?: Surface;
  /** [A5.8] A model calls, which is never the person. */
  byModel?: boolean;
  /** [X10] The agent that gets the answer, if it may not read everything (bus/visible.ts). */
  readonly viewer?: string;
  /** [G3] Reports a message whose pointer is to be carried; undefined without a carrier. */
  carry?(pointer: { id: number; agent: string; expiresInMs: number | null }): void;
  /** [G3] Reports messages that were handed over: their pointers are no longer needed. */
  taken?(ids: readonly number[]): void;
  /**
   * Returns a part of the unused space of the database file to the file system, and returns the number of bytes: 0 if
   * there is little, or if a server manages its own files.
   */
  reclaim(): Procedure<number>;
  /** Names what changed; waits that subscribe to it are woken after the commit. */
  wake(topic: string): void;
  /** The search index of this engine. */
  readonly search: Searching;
}

/** Words that were found in a title and a body; the same word in the title counts for more. */
export interface Indexed {
  ref: number;
  title: readonly string[];
  body: readonly string[];
}

/** Too many words begin with a given letter to compare them all; a single letter matches only as a whole word. */
export const isBeginning = (word: string) => [...word].length > 1;

/** An index of words; each engine has its own. A text is identified by two numbers: its kind, and its number. */
export interface Searching {
  /** Texts that are already in the index are left as they are: texts do not change. */
  put(kind: number, texts: readonly Indexed[]): Procedure<void>;
  drop(kind: number, refs: readonly number[]): Sql;
  clear(): Procedure<void>;
  /** Searches one part of the index, small enough not to block others for long: the newest, or the given one. */
  match(kind: number, words: readonly string[], wanted: Wanted): Procedure<Matches>;
}

export interface Wanted {
  /** The maximum number of texts to compare: the newest, if a part has more. */
  among: number;
  /** The maximum number of matches to return, the best ones. */
  best: number;
  part: number | undefined;
}

export interface Matches {
  /** Texts that contain, for each word, that word or one that begins with it. Scores of different parts can be compared. */
  found: Match[];
  /** The next older part, if there is one. */
  next: number | undefined;
}

export interface Match {
  ref: number;
  /** How many of the words it contains exactly, not only as the beginning of another word. */
  exact: number;
  score: number;
}

/** A refusal that commits: what was written before it stays. */
export class Refused {
  constructor(readonly error: InboxError) {}
}

export const refused = (error: InboxError) => new Refused(error);

/** An exclusive lock by name, in this process and in all others. */
export function* alone(tx: Context, name: string): Procedure<void> {
  yield* tx.lock(name);
  yield* tx.own(name);
}

const everyRow = (rows: Row[]) => rows;
const firstRow = (rows: Row[]) => rows[0];
const anyRow = (rows: Row[]) => rows.length > 0;
const noRow = () => {};
const noRows: Row[] = [];

export const all = <T>(query: Sql): Procedure<T[]> => asking(query, everyRow as (rows: Row[]) => T[]);

export const one = <T>(query: Sql): Procedure<T | undefined> =>
  asking(query, firstRow as (rows: Row[]) => T | undefined);

/** Whether a query finds anything. */
export const isThere = (query: Sql): Procedure<boolean> => asking(query, anyRow);

export function run(statement: Sql): Procedure<void> {
  statement.blind = true;
  return asking(statement, noRow);
}

/** As a procedure, what is known without asking: a generator for it would take longer than most statements. */
export { known };
export const nothingToAsk = known<void>(undefined);

type Results<P extends readonly Procedure<unknown>[]> = {
  -readonly [I in keyof P]: P[I] extends Procedure<infer T> ? T : never;
};

/**
 * Runs several procedures in lockstep: the statements that they wait for are sent at once. Each sees what those before it
 * wrote in the same step; none may depend on the rows of another. Call `own` for what they need before this.
 */
export function together<const P extends readonly Procedure<unknown>[]>(
  ...procedures: P
): Procedure<Results<P>> {
  return new InStep(procedures, false) as unknown as Procedure<Results<P>>;
}

/** The same for the last step of a write: after it a procedure only composes its answer. */
export function ending<const P extends readonly Procedure<unknown>[]>(
  tx: Context,
  ...procedures: P
): Procedure<Results<P>> {
  return new InStep(procedures, tx.final === true) as unknown as Procedure<Results<P>>;
}

/** Where the engine answers at once, none of them waits: each runs to its end, without a generator around them. */
class InStep<P extends readonly Procedure<unknown>[]> {
  #waiting: Procedure<Results<P>> | undefined;

  constructor(
    readonly procedures: P,
    readonly last: boolean,
  ) {}

  next(rows: Row[]): IteratorResult<Sql | Several, Results<P>> {
    if (!this.#waiting && answersAtOnce()) return { done: true, value: this.#runAll() };
    this.#waiting ??= this.#start();
    return this.#waiting.next(rows);
  }

  #start(): Procedure<Results<P>> {
    return inStep(this.procedures, this.last);
  }

  #runAll(): Results<P> {
    const results: unknown[] = [];
    for (const procedure of this.procedures) results.push(procedure.next(noRows).value);
    return results as Results<P>;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

function* inStep<P extends readonly Procedure<unknown>[]>(
  procedures: P,
  last: boolean,
): Procedure<Results<P>> {
  const results: unknown[] = [];
  let waiting: { procedure: Procedure<unknown>; place: number; rows: Row[] }[] = procedures.map(
    (procedure, place) => ({ procedure, place, rows: [] }),
  );
  for (;;) {
    const asked: Sql[] = [];
    const asking: ((typeof waiting)[number] & { first: number; count: number })[] = [];
    for (const { procedure, place, rows } of waiting) {
      const found = goOn(procedure, rows, asked);
      if ("value" in found) results[place] = found.value;
      else asking.push({ procedure, place, rows: [], ...found });
    }
    if (!asked.length) return results as Results<P>;
    const answers = (yield new Several(asked, last)) as unknown as Row[][];
    for (const each of asking)
      each.rows =
        each.count < 0 ? answers[each.first]! : (answers.slice(each.first, each.first + each.count) as never);
    waiting = asking;
    if (!waiting.length) return results as Results<P>;
  }
}

/** Runs a procedure until it ends, or waits for rows: those of `asked` from `first` on (`count` < 0: of one statement). */
function goOn(
  procedure: Procedure<unknown>,
  rows: Row[],
  asked: Sql[],
): { value: unknown } | { first: number; count: number } {
  for (let step = procedure.next(rows); ; step = procedure.next([])) {
    if (step.done) return { value: step.value };
    if (step.value instanceof Several) {
      const first = asked.length;
      asked.push(...step.value.statements);
      return { first, count: step.value.statements.length };
    }
    asked.push(step.value);
    if (!step.value.blind) return { first: asked.length - 1, count: -1 };
  }
}
