/**
 * The rows with one value in a column, in the order of their numbers, by the index of both. `column = value order by number`
 * has the same rows. But a database server may read them by the primary key, which has the same order: it assumes that
 * the rows with this value are evenly spread, and reads a whole table to find the few that are at its end. So it is asked
 * for a range that has one value, in the order of column and number, which no primary key has (`walkRange`). SQLite
 * would compare every number of a range, and is asked for the value itself (`walkValue`).
 */
import { type Merged, mergedRows } from "./merged.ts";
import type { Context, Procedure } from "./procedure.ts";
import { fragment, joined, nothing, type Sql, type SqlValue, sql, word } from "./sql.ts";

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

/** Only the first column of a range stops a walk, so that is the last one here; those before it are equal. */
export const walkRange: Walk = ({ by, number, after, before }) => {
  const equal = by.slice(0, -1).map(({ column, value }) => sql`${column} = ${value} and`);
  const { column, value } = by.at(-1)!;
  const from =
    after === undefined ? sql`${column} >= ${value}` : sql`(${column}, ${number}) > (${value}, ${after})`;
  const to =
    before === undefined ? sql`${column} <= ${value}` : sql`(${column}, ${number}) < (${value}, ${before})`;
  return sql`${joined(equal, " ")} ${from} and ${to}`;
};

const recipient = fragment`messages.to_agent`;
const messageNumber = fragment`messages.message_id`;

type Walking = Pick<Context, "walk">;

/** The messages to an agent or a channel; follow it with one of the two orders. */
export const messagesTo = (
  { walk }: Walking,
  value: string | Sql,
  range: Pick<Walked, "after" | "before"> = {},
): Sql => walk({ by: [{ column: recipient, value }], number: messageNumber, ...range });
const fromOldest = fragment`messages.to_agent, messages.message_id`;
const fromNewest = fragment`messages.to_agent desc, messages.message_id desc`;
export const oldestMessages = fragment`order by ${fromOldest}`;
export const newestMessages = fragment`order by ${fromNewest}`;

/**
 * The messages of a channel are in two indexes: that of those that wait, and that of the others, which are acked or dead
 * letters. One index of all would be one more page to write for almost every message.
 */
export const isWaiting = fragment`messages.acked_at is null and messages.dead_at is null`;
export const isPast = fragment`(messages.acked_at is not null or messages.dead_at is not null)`;

/** To be selected from where it does not matter which messages of a channel come first: whether there is one, or how many. */
export const eitherMessages = fragment`(
  select * from messages where ${isWaiting} union all select * from messages where ${isPast}) as messages`;

export interface ChannelPage extends Pick<Merged, "columns" | "conditions" | "newest" | "limit"> {
  channel: string;
  range: Pick<Walked, "after" | "before">;
  /** What all messages have to be; most are. */
  every: Sql;
}

/** The messages of a channel in order, whichever index they are in. */
export const messagesOfBoth = <R extends object>(
  tx: Walking,
  { channel, range, every, ...page }: ChannelPage,
): Procedure<R[]> =>
  mergedRows<R>({
    ...page,
    table: fragment`messages`,
    number: messageNumber,
    walks(beyond = page.newest ? range.before : range.after) {
      const rest = page.newest
        ? { after: range.after, before: beyond }
        : { after: beyond, before: range.before };
      const order = page.newest ? fromNewest : fromOldest;
      const where = sql`${messagesTo(tx, channel, rest)} and ${every}`;
      return [isWaiting, isPast].map((part) => ({ where: sql`${part} and ${where}`, order }));
    },
  });

/** The least or the greatest of what is selected by each index; null if neither has any. `rest`: a condition, with order and limit. */
export const ofBoth = (which: "min" | "max", value: Sql, rest: Sql): Sql => {
  const found = (part: Sql) => sql`select (select ${value} from messages where ${part} and ${rest}) as found`;
  return sql`(select ${word(which)}(either.found) from (${found(isWaiting)} union all ${found(isPast)}) as either)`;
};

/** The name of the first channel with messages after a name, or from it on; null if there is none. */
export const nextChannel = (name: Sql, after = fragment`>`): Sql =>
  ofBoth("min", fragment`min(messages.to_agent)`, sql`messages.to_agent ${after} ${name}`);
