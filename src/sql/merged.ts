/**
 * Rows that several walks find together, in the order of their numbers. Conditions that are no part of a walk are asked of
 * growing pages of all walks together: a walk in which few rows meet them would be read to its end before another one
 * is looked at.
 */
import type { Procedure, Row } from "./procedure.ts";
import { all } from "./procedure.ts";
import { fragment, joined, literal, type Sql, sql } from "./sql.ts";

export interface Merged {
  columns: Sql;
  table: Sql;
  number: Sql;
  /** What each walk finds beyond a number, in its order: a condition and what to order by. */
  walks(beyond: number | undefined): readonly { where: Sql; order: Sql }[];
  conditions: readonly Sql[];
  newest: boolean;
  limit: number;
}

const largest = 10_000;

export function* mergedRows<R extends object = Row>(merged: Merged): Procedure<R[]> {
  const { columns, table, number, conditions, newest, limit } = merged;
  const order = newest ? fragment`desc` : fragment`asc`;
  if (!conditions.length)
    return yield* all<R>(sql`
      select ${columns} from (${pageOf(merged, limit)}) as page join ${table} on ${number} = page.n
      order by page.n ${order}`);
  const numbers = yield* numbersOf(merged);
  if (!numbers.length) return [];
  return yield* all<R>(
    sql`select ${columns} from ${table} where ${number} in (${joined(numbers)}) order by ${number} ${order}`,
  );
}

/** Those that meet the conditions. */
function* numbersOf(merged: Merged): Procedure<number[]> {
  const { table, number, conditions, newest, limit } = merged;
  const found: number[] = [];
  let beyond: number | undefined;
  for (let size = 2 * limit; ; size = Math.min(2 * size, largest)) {
    const rows = yield* all<{ n: number; meets: number }>(sql`
      select page.n, case when ${joined(conditions, " and ")} then 1 else 0 end as meets
      from (${pageOf(merged, size, beyond)}) as page join ${table} on ${number} = page.n
      order by page.n ${newest ? fragment`desc` : fragment`asc`}`);
    for (const { n, meets } of rows) if (meets === 1 && found.length < limit) found.push(n);
    const last = rows.at(-1);
    if (found.length === limit || rows.length < size || !last) return found;
    beyond = last.n;
  }
}

function pageOf({ table, number, walks, newest }: Merged, size: number, beyond?: number): Sql {
  const limit = literal(size);
  const parts = walks(beyond).map(
    ({ where, order }) => sql`select * from (
      select ${number} as n from ${table} where ${where} order by ${order} limit ${limit}) as part`,
  );
  return sql`${joined(parts, " union ")} order by n ${newest ? fragment`desc` : fragment`asc`} limit ${limit}`;
}
