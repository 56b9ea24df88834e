/**
 * A procedure is a bus rule: a generator that yields SQL and gets rows back. It does no I/O, so the same
 * text runs synchronously on one engine and asynchronously on another. Its laws:
 *   - it returns a value, or `refused(error)`: both commit. A throw rolls everything back.
 *   - an engine never throws into it; use `on conflict do nothing returning` to ask "did it change?".
 *   - an engine may run it again from the start, so it keeps no state outside.
 */
import type { InboxError } from "../contract/errors.ts";
import type { Surface } from "../contract/question.ts";
import { answersAtOnce, asking } from "./asking.ts";
import type { Sql } from "./sql.ts";

export type Row = Record<string, string | number | null>;
/** What it yields is a statement, answered with its rows, or several at once, answered with the rows of each. */
export type Procedure<T> = Generator<Sql | Several, T, Row[]>;

/** Statements that need nothing of each other: an engine that is far away is asked for all of them in one round trip. */
export class Several {
  /** `last`: nothing follows, whatever they find, and the transaction may be committed with them. */
  constructor(
    readonly statements: readonly Sql[],
    readonly last = false,
  ) {}
}

/** What an engine lends a procedure for one transaction. */
export interface Context {
  /** The engine's time, ISO 8601 UTC with milliseconds. Ask after the locks are taken. */
  clock(): Procedure<string>;
  /** The same within a statement, where it need not be known outside: it may be older than the locks that the statement waits for. */
  time(): Sql | string;
  /** The number of a row that is inserted with it: what refers to the row can be written in the same step. Ask after `lock`. */
  number(table: "threads" | "messages"): Procedure<number>;
  /** The same for several rows, in order. */
  numbers(table: "threads" | "messages", count: number): Procedure<number[]>;
  /** Appended to a select that must lock what it reads, on engines that need it. */
  readonly forUpdate: Sql;
  /** The same, but passes over what somebody else has locked; not over what others only refer to, as a new message to its thread. */
  readonly forUpdateFree: Sql;
  /** The same, of a select that reads other tables beside the threads. */
  readonly forUpdateFreeThreads: Sql;
  /** The same before deleting: passes also over what others refer to at this moment. */
  readonly forDeleteFree: Sql;
  /** The function that joins the texts of several rows with a separator. */
  readonly joinedTexts: Sql;
  /** How many candidates are worth looking at when others may be taking the best at this moment. */
  readonly rivals: number;
  /**
   * Whoever asks for one of these names waits until the end of this transaction, on engines where two can run at once.
   * Rows that get their number under such a lock become visible in the order of their numbers ([G2]).
   */
  lock(...names: string[]): Procedure<void>;
  /**
   * Procedures that share a transaction do not stop at each other's locks: what one must have for itself until it has
   * ended it says by name, and waits where another has it.
   */
  own(name: string): Procedure<void>;
  /** Whether nobody else in this transaction has it. */
  free(name: string): boolean;
  /** Whether nobody else in this transaction has had it so far: what was read of it before it became one's own is still true. */
  untouched(name: string): boolean;
  /** What was learnt from an earlier, committed transaction of this process. */
  recall(fact: string): string | undefined;
  /** For facts that stay true: they are remembered once this transaction is committed. */
  learn(fact: string, value: string): void;
  /** The newest event that no other, still uncommitted, can precede ([G2]). In a read it comes before everything else. */
  settled(): Procedure<number>;
  /** An answer that is lost with the connection can be found again once it is committed: the last statements may go with the commit. */
  readonly final?: boolean;
  /** Whether a token vouches for who acts ([X2]); else it is only what the caller says of itself. */
  readonly verified: boolean;
  /** [A7] Through what whoever acts has called; undefined for a program that has the bus in itself. */
  readonly surface?: Surface;
  /** [X10] Whom an answer is for, where that agent may not read everything (bus/visible.ts). */
  readonly viewer?: string;
  /** [G3] Tells of a message whose pointer is to be carried; undefined where nobody carries. */
  carry?(pointer: { id: number; agent: string; expiresInMs: number | null }): void;
  /** [G3] Tells of messages that have been handed to somebody: their pointers are of no use any more. */
  taken?(ids: readonly number[]): void;
  /**
   * Gives a part of what is unused in the database's file back to the system, and answers how many bytes that was: 0 where
   * there is little, or where a server looks after its files itself.
   */
  reclaim(): Procedure<number>;
  /** Names what changed; whoever waits on it is woken after the commit. */
  wake(topic: string): void;
  /** How this engine finds text by its words. */
  readonly search: Searching;
}

/** Words that were found in a title and a body; the same word in the title counts for more. */
export interface Indexed {
  ref: number;
  title: readonly string[];
  body: readonly string[];
}

/** One letter begins too many words to look through them all; it is a word of its own. */
export const isBeginning = (word: string) => [...word].length > 1;

/** An index of words, which engines have each in their own way. What is found is named by two numbers: what it is, and which. */
export interface Searching {
  /** What is there already stays as it is: texts do not change. */
  put(kind: number, texts: readonly Indexed[]): Procedure<void>;
  drop(kind: number, refs: readonly number[]): Sql;
  clear(): Procedure<void>;
  /** Looks through a part of the index, small enough for others to wait for: the newest, or the one that is named. */
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
  /** Texts that have, for each word, it or one that begins with it. Scores of different parts can be compared. */
  found: Match[];
  /** The part that is older, if any is. */
  next: number | undefined;
}

export interface Match {
  ref: number;
  /** How many of the words it has as they were asked for, and not only as the beginning of another. */
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
const noRow = () => {};

export const all = <T>(query: Sql): Procedure<T[]> => asking(query, everyRow as (rows: Row[]) => T[]);

export const one = <T>(query: Sql): Procedure<T | undefined> =>
  asking(query, firstRow as (rows: Row[]) => T | undefined);

export function run(statement: Sql): Procedure<void> {
  statement.blind = true;
  return asking(statement, noRow);
}

type Results<P extends readonly Procedure<unknown>[]> = {
  -readonly [I in keyof P]: P[I] extends Procedure<infer T> ? T : never;
};

/**
 * Several procedures step by step: what all of them wait for is asked at once. Each sees what those before it wrote in the
 * same step; none may need to know what another has found. What one must own is asked for before.
 */
export function together<const P extends readonly Procedure<unknown>[]>(
  ...procedures: P
): Procedure<Results<P>> {
  return inStep(procedures, false);
}

/** The same for the last step of a write: after it a procedure only puts its answer together. */
export function ending<const P extends readonly Procedure<unknown>[]>(
  tx: Context,
  ...procedures: P
): Procedure<Results<P>> {
  return inStep(procedures, tx.final === true);
}

function* inStep<P extends readonly Procedure<unknown>[]>(
  procedures: P,
  last: boolean,
): Procedure<Results<P>> {
  if (answersAtOnce()) return procedures.map((procedure) => procedure.next([]).value) as Results<P>;
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

/** Until it waits for rows, which come at a place among those that are asked for (`count` < 0: of one statement), or ends. */
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
