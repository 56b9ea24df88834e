/** The context of a procedure on Postgres. Several procedures may share a transaction: see lockstep.ts. */
import { asking } from "../../sql/asking.ts";
import { timeFormat } from "../../sql/plain.ts";
import { all, type Context, one, type Procedure } from "../../sql/procedure.ts";
import { alike, apart, fragment, literal, nothing, sql, word } from "../../sql/sql.ts";
import { walkRange } from "../../sql/walk.ts";
import type { EngineOptions } from "../engine.ts";
import type { Facts } from "../facts.ts";
import { hashOf } from "./hash.ts";
import { MustWait, type Patience } from "./running.ts";
import { search } from "./search.ts";

/** Statements that a procedure yields and that are not sent as they are; lockstep.ts handles them. */
export const settledEvent = fragment`select settled_event() as last`;
export const clockQuery = fragment`clock`;
export const tryAgain = fragment`try again`;

const forUpdate = fragment`for update`;
// "no key": inserting a row with a foreign key, such as a message of a thread, locks the key of the row that it refers to.
// With "for update" a claim would skip a thread while another agent replies in it.
const forUpdateFree = fragment`for no key update skip locked`;
const forUpdateNext = fragment`for no key update`;
const forUpdateFreeThreads = fragment`for no key update of threads skip locked`;
const forDeleteFree = fragment`for update skip locked`;
/** How many callers can share a transaction. */
export const mostSharers = 64;
/** A row for each of them. */
const each = fragment`generate_series(1, ${literal(mostSharers)}) limit 1`;
const numbers = {
  threads: fragment`select nextval('threads_thread_id_seq') as number from ${each}`,
  messages: fragment`select nextval('messages_message_id_seq') as number from ${each}`,
};
const eventNumbers = fragment`select next_event() as number from ${each}`;
const manyNumbers = (table: "threads" | "messages", count: number) =>
  table === "threads"
    ? sql`select nextval('threads_thread_id_seq') as number from generate_series(1, ${count}::integer)`
    : sql`select nextval('messages_message_id_seq') as number from generate_series(1, ${count}::integer)`;
const joinedTexts = fragment`string_agg`;
/** The number of locks that all names share: a message to ten thousand agents must not fill the server's lock table. */
const lockCount = 2048;
export const lockNumber = (name: string) => hashOf(name) % lockCount;
/** Those of lines have numbers of their own: one is held for seconds while rows are waited for, and no sender must wait for that. */
export const lineNumber = (line: string) => lockCount + lockNumber(line);

/** What takes effect after the transaction of a procedure is committed: topics to wake, and facts to remember. */
export interface Noted {
  topics: Set<string>;
  learnt: Map<string, string>;
}

/** State that the procedures of one transaction share. */
export interface Shared {
  /** By name: the procedure that owns it until it has ended. */
  owners: Map<string, object>;
  /** By name: the procedure that owned it last, even if that has ended. */
  touched: Map<string, object>;
  /** Advisory locks that were requested and not yet sent, and those that were sent. */
  wanted: Set<number>;
  locked: Set<number>;
}

export const newlyShared = (): Shared => ({
  owners: new Map(),
  touched: new Map(),
  wanted: new Set(),
  locked: new Set(),
});

interface ContextOptions extends Pick<EngineOptions, "now"> {
  facts: Facts;
  writes: boolean;
  /** How many procedures share the transaction. */
  sharers?: number;
  final?: boolean;
  patience?: Patience;
}

/** How many other transactions may be taking candidates, plus one per procedure of this transaction. In steps of 16, so that there are few different statements. */
const rivalsOf = (sharers: number) => 16 * Math.ceil((sharers + 8) / 16);

export function contextOf(
  shared: Shared,
  noted: Noted,
  { facts, writes, now, sharers = 1, final = false, patience = "none" }: ContextOptions,
): Context {
  const { owners, touched, wanted, locked } = shared;
  const me = noted;
  const want = (number: number) => void (locked.has(number) || wanted.add(number));
  return {
    *clock(): Procedure<string> {
      if (now) return new Date(now()).toISOString();
      return (yield* one<{ now: string }>(clockQuery))!.now;
    },
    time: () => (now ? new Date(now()).toISOString() : statementTime),
    *number(table): Procedure<number> {
      return (yield* one<{ number: number }>(apart(numbers[table])))!.number;
    },
    *numbers(table, count): Procedure<number[]> {
      const rows = yield* all<{ number: number }>(manyNumbers(table, count));
      return rows.map(({ number }) => number).sort((a, b) => a - b);
    },
    *eventNumber(): Procedure<number> {
      return (yield* one<{ number: number }>(apart(eventNumbers)))!.number;
    },
    inserted: (insertion, column) =>
      asking(alike(sql`${insertion} returning ${word(column)}`), ([row]) => row![column] as number),
    forUpdate: writes ? forUpdate : nothing,
    forUpdateFree: writes ? forUpdateFree : nothing,
    forUpdateNext: !writes ? nothing : patience === "waits" ? forUpdateNext : forUpdateFree,
    skips: writes && patience === "asks",
    // biome-ignore lint/correctness/useYield: it is sent with the next statement
    *enterLine(name): Procedure<void> {
      if (writes && patience === "waits") want(lineNumber(name));
    },
    waitInLine() {
      throw new MustWait("another transaction has locked rows that come first");
    },
    forUpdateFreeThreads: writes ? forUpdateFreeThreads : nothing,
    forDeleteFree: writes ? forDeleteFree : nothing,
    // The server knows how many rows each index would read.
    walking: () => nothing,
    walk: walkRange,
    joinedTexts,
    embedded: false,
    rivals: rivalsOf(sharers),
    // biome-ignore lint/correctness/useYield: it is sent with the next statement
    *lock(...names): Procedure<void> {
      for (const name of names) want(lockNumber(name));
    },
    free: (name) => (owners.get(name) ?? me) === me,
    *own(name): Procedure<void> {
      while ((owners.get(name) ?? me) !== me) yield tryAgain;
      owners.set(name, me);
      touched.set(name, me);
    },
    untouched: (name) => (touched.get(name) ?? me) === me,
    *settled(): Procedure<number> {
      return (yield* one<{ last: number }>(settledEvent))!.last;
    },
    recall: (fact) => noted.learnt.get(fact) ?? facts.recall(fact),
    answered: () => undefined,
    learn: (fact, value) => void noted.learnt.set(fact, value),
    // Autovacuum makes the space reusable.
    // biome-ignore lint/correctness/useYield: there is nothing to ask
    *reclaim(): Procedure<number> {
      return 0;
    },
    verified: false,
    final,
    wake: (topic) => noted.topics.add(topic),
    search,
  };
}

/** Not `clock_timestamp()`: it is volatile, so it could not be compared by an index scan. */
const statementTime = word(`to_char(statement_timestamp() at time zone 'utc', ${timeFormat})`);
const time = `to_char(clock_timestamp() at time zone 'utc', ${timeFormat}) as now`;
export const clockText = {
  read: `select ${time}`,
  write: `select ${time}, pg_current_xact_id()::text as xid`,
};

/** The locks are taken in ascending order, so that two transactions cannot deadlock on them. */
export const lockText = `select pg_advisory_xact_lock($1, number) from unnest($2::integer[]) as number`;
