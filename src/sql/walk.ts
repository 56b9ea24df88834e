/**
 * The rows with one value in a column, in the order of their numbers, by the index of both. `column = value order by number`
 * has the same rows. But a database server may read them by the primary key, which has the same order: it assumes that
 * the rows with this value are evenly spread, and reads a whole table to find the few that are at its end. So it is asked
 * for a range that has one value, in the order of column and number, which no primary key has (`walkRange`). SQLite
 * would compare every number of a range, and is asked for the value itself (`walkValue`).
 */
import type { Context } from "./procedure.ts";
import { fragment, nothing, type Sql, type SqlValue, sql } from "./sql.ts";

export interface Walked {
  column: Sql;
  number: Sql;
  value: SqlValue | Sql;
  /** Only numbers above or below this one. */
  after?: number;
  before?: number;
}

/** A condition. The rows are ordered by column and number. */
export type Walk = (walked: Walked) => Sql;

export const walkValue: Walk = ({ column, number, value, after, before }) => {
  const from = after === undefined ? nothing : sql`and ${number} > ${after}`;
  const to = before === undefined ? nothing : sql`and ${number} < ${before}`;
  return sql`${column} = ${value} ${from} ${to}`;
};

export const walkRange: Walk = ({ column, number, value, after, before }) => {
  const from =
    after === undefined ? sql`${column} >= ${value}` : sql`(${column}, ${number}) > (${value}, ${after})`;
  const to =
    before === undefined ? sql`${column} <= ${value}` : sql`(${column}, ${number}) < (${value}, ${before})`;
  return sql`${from} and ${to}`;
};

const messages = { column: fragment`messages.to_agent`, number: fragment`messages.message_id` };

/** The messages to an agent or a channel; follow it with one of the two orders. */
export const messagesTo = (
  { walk }: Pick<Context, "walk">,
  value: string | Sql,
  range: Pick<Walked, "after" | "before"> = {},
): Sql => walk({ ...messages, value, ...range });
export const oldestMessages = fragment`order by messages.to_agent, messages.message_id`;
export const newestMessages = fragment`order by messages.to_agent desc, messages.message_id desc`;
