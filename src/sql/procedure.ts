/**
 * A procedure is a bus rule: a generator that yields SQL and gets rows back. It does no I/O, so the same
 * text runs synchronously on one engine and asynchronously on another. Its laws:
 *   - it returns a value, or `refused(error)`: both commit. A throw rolls everything back.
 *   - an engine never throws into it; use `on conflict do nothing returning` to ask "did it change?".
 *   - an engine may run it again from the start, so it keeps no state outside.
 */
import type { InboxError } from "../contract/errors.ts";
import type { Surface } from "../contract/question.ts";
import type { Sql } from "./sql.ts";

export type Row = Record<string, string | number | null>;
export type Procedure<T> = Generator<Sql, T, Row[]>;

/** What an engine lends a procedure for one transaction. */
export interface Context {
  /** The engine's time, ISO 8601 UTC with milliseconds. Ask after the locks are taken. */
  clock(): Procedure<string>;
  /** Appended to a select that must lock what it reads, on engines that need it. */
  readonly forUpdate: Sql;
  /** The same, but passes over what somebody else has locked. */
  readonly forUpdateFree: Sql;
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
  /** What was learnt from an earlier, committed transaction of this process. */
  recall(fact: string): string | undefined;
  /** For facts that stay true: they are remembered once this transaction is committed. */
  learn(fact: string, value: string): void;
  /** The newest event that no other, still uncommitted, can precede ([G2]). In a read it comes before everything else. */
  settled(): Procedure<number>;
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

/** Nobody else does what goes by this name at the same time, here or in another process. */
export function* alone(tx: Context, name: string): Procedure<void> {
  yield* tx.lock(name);
  yield* tx.own(name);
}

export function* all<T>(query: Sql): Procedure<T[]> {
  return (yield query) as T[];
}

export function* one<T>(query: Sql): Procedure<T | undefined> {
  return ((yield query) as T[])[0];
}

export function* run(statement: Sql): Procedure<void> {
  statement.blind = true;
  yield statement;
}
