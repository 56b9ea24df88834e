/**
 * The plain case of a write: one statement that does all of it, for any number of callers, and that commits by itself. A
 * database server gets it instead of the procedure's steps, which take several round trips. It is never required: for a
 * caller whose case is not plain it returns no row and writes nothing, and the procedure runs.
 *
 * It is written for a server whose `with` can hold writes. All its parts see the database as it was before the statement;
 * what they tell each other is what they return.
 */
import type { Row, Work } from "./procedure.ts";
import { fragment, joined, Sql, type SqlValue, word } from "./sql.ts";
import type { Table } from "./table.ts";

export interface PlainQuery {
  /** Columns of `caller`, which has a row for each caller; besides these `n_of_caller`, `started`, and `fixed` (see `instant`). */
  readonly columns: Readonly<Record<string, "text" | "bigint" | "integer">>;
  /**
   * Whether each caller needs a lock (`Plain.lock`). It is never waited for: `caller` has only those whose lock was free,
   * and it is held once `caller` was read.
   */
  readonly locks: boolean;
  /**
   * The parts of a `with` that follow `caller`, and the select that returns rows with `n_of_caller`. If there is only one caller,
   * `many` is false, and what puts callers in order is left out: starting it takes the server longer than running it.
   */
  parts(many: boolean): Sql;
}

/** The order of several callers. */
export const inOrder = (many: boolean, number: Sql): Sql =>
  many ? fragment`order by ${number}` : fragment``;

/** One caller of such a statement. */
export interface Plain<T> {
  readonly query: PlainQuery;
  readonly values: readonly SqlValue[];
  /** As for `Context.lock`. */
  readonly lock?: string;
  /** What it changes: of callers with the same name only one is in the statement. */
  readonly own?: string;
  /** If there was no row for a caller with this name, the next ones are not tried for a moment. */
  readonly kind?: string;
  answer(row: Row): PlainAnswer<T>;
  /** The write, if it is not known whether it was done: finds the answer of the first one, or does it. */
  readonly again: Work<T>;
}

/** Undefined if the case is not plain by what is known so far (`Context.recall`). */
export type PlainCase<T> = (recall: (fact: string) => string | undefined) => Plain<T> | undefined;

/**
 * The fact that a process has learnt nothing yet and makes few calls: it takes names for known. The statement itself asks whether
 * they are, so a case that is not plain costs a round trip, and one that is saves about ten.
 */
export const presumes = "presumes";

/** The same case for a write that is called in another way: what is done `again` is called so, too. */
export const calledBy = <T>(
  plain: PlainCase<T> | undefined,
  changed: (work: Work<T>) => Work<T>,
): PlainCase<T> | undefined =>
  plain &&
  ((recall) => {
    const offered = plain(recall);
    return offered && { ...offered, again: changed(offered.again) };
  });

export interface PlainAnswer<T> {
  value: T;
  topics: Iterable<string>;
  learnt: Iterable<[fact: string, value: string]>;
}

/** Times are text with milliseconds. */
export const timeFormat = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
export const asText = (time: Sql) => fragment`to_char((${time}) at time zone 'utc', ${word(timeFormat)})`;

/** The engine's time, now, in a part that reads rows with the column `fixed`: a clock that tests have set. */
export const instant = fragment`coalesce(fixed, clock_timestamp())`;

/** The number of a row that is inserted next; in a part that is in order, and whose callers have their locks. */
export const nextNumber = (table: "threads" | "messages") =>
  word(`nextval('${table}_${table.slice(0, -1)}_id_seq')`);
export const nextEvent = word("next_event()");

/** The columns that an insert must give. */
type Required<T extends Table> = {
  [N in keyof T["columns"]]: T["columns"][N]["given"] extends "required" ? N : never;
}[keyof T["columns"]];

/** A row for each of those that `from` has, in its order; its columns are expressions, or the same in all rows. */
export function insertFrom<T extends Table>(
  table: T,
  row: { [N in Required<T>]: SqlValue | Sql } & { [N in keyof T["columns"]]?: SqlValue | Sql },
  from: Sql,
): Sql {
  const given = row as Readonly<Record<string, SqlValue | Sql | undefined>>;
  // A column that is left out is null.
  const names = table.names.filter((name) => (given[name] ?? null) !== null);
  const values = names.map((name) => expression(given[name]!));
  return fragment`insert into ${word(table.name)} (${word(names.join(", "))}) select ${joined(values)} ${from}`;
}

function expression(value: SqlValue | Sql): Sql {
  if (value instanceof Sql) return value;
  return word(typeof value === "string" ? quoted(value) : String(value));
}

/** An object as JSON, as `JSON.stringify` would write it; a value that only the database knows is an expression. */
export function jsonOf(object: Readonly<Record<string, SqlValue | Sql>>): Sql {
  const fields = Object.entries(object).map(([name, value], i) => {
    const before = word(`'${i ? "," : "{"}${JSON.stringify(name)}:'`);
    return fragment`${before} || ${value instanceof Sql ? value : word(quoted(JSON.stringify(value)))}`;
  });
  return fragment`${joined(fields, " || ")} || '}'`;
}

/** A text of the database as JSON. */
export const jsonText = (text: Sql) => fragment`to_json(${text})::text`;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
