import { asking, known } from "./asking.ts";
import type { Context, Procedure, Row } from "./procedure.ts";
import { named, type Sql } from "./sql.ts";

/**
 * A read that many callers of one transaction repeat. `name` is its meaning with all of its values: where the answer is
 * known, the statement need not even be made.
 */
export function repeated<T>(
  tx: Context,
  name: string,
  how: { query: () => Sql; pick: (rows: Row[]) => T },
): Procedure<T> {
  const rows = tx.answered(name);
  return rows === undefined ? asking(named(name, how.query()), how.pick) : known(how.pick(rows));
}
