/**
 * The rows with one value in a column, in the order of their numbers, by the index of both. `column = value order by number`
 * has the same rows. But a database server may read them by the primary key, which has the same order: it assumes that
 * the rows with this value are evenly spread, and reads a whole table to find the few that are at its end. So it is asked
 * for a range that has one value, in the order of column and number, which no primary key has (`walkRange`). SQLite
 * would compare every number of a range, and is asked for the value itself (`walkValue`).
 */
import type { Context } from "./procedure.ts";
import { fragment, joined, nothing, type Sql, type SqlValue, sql } from "./sql.ts";

export interface Walked {
  /** The columns of the index before the number, each with the one value that is asked for. */
  by: readonly { column: Sql; value: SqlValue | Sql }[];
  number: Sql;
  /** Only numbers above or below this one. */
  after?: number | Sql;
  before?: number | Sql;
}

/** A condition. The rows are ordered by columns and number. */
export type Walk = (walked: Walked) => Sql;

export const walkValue: Walk = ({ by, number, after, before }) => {
  const values = by.map(({ column, value }) => sql`${column} = ${value}`);
  const from = after === undefined ? nothing : sql`and ${number} > ${after}`;
  const to = before === undefined ? nothing : sql`and ${number} < ${before}`;
  return sql`${joined(values, " and ")} ${from} ${to}`;
};

export const walkRange: Walk = ({ by, number, after, before }) => {
  const columns = joined(by.map(({ column }) => column));
  const values = joined(by.map(({ value }) => value));
  const from =
    after === undefined
      ? sql`(${columns}) >= (${values})`
      : sql`(${columns}, ${number}) > (${values}, ${after})`;
  const to =
    before === undefined
      ? sql`(${columns}) <= (${values})`
      : sql`(${columns}, ${number}) < (${values}, ${before})`;
  return sql`${from} and ${to}`;
};

const recipient = fragment`messages.to_agent`;
const messageNumber = fragment`messages.message_id`;

/** The messages to an agent or a channel; follow it with one of the two orders. */
export const messagesTo = (
  { walk }: Pick<Context, "walk">,
  value: string | Sql,
  range: Pick<Walked, "after" | "before"> = {},
): Sql => walk({ by: [{ column: recipient, value }], number: messageNumber, ...range });
export const oldestMessages = fragment`order by messages.to_agent, messages.message_id`;
export const newestMessages = fragment`order by messages.to_agent desc, messages.message_id desc`;
