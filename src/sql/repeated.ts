import { asking, known } from "./asking.ts";
import type { Context, Procedure, Row } from "./procedure.ts";
import { named, type Sql } from "./sql.ts";

/** Declared once, not for each call: where the answer is known, two functions would be most of what the call makes. */
interface Repeated<V, T> {
  query(values: V): Sql;
  pick(rows: Row[], values: V, tx: Context): T;
}

/**
 * A read that many callers of one transaction repeat. `name` is its meaning with all of its values: where the answer is
 * known, the statement need not even be made.
 */
export function repeated<V, T>(tx: Context, name: string, how: Repeated<V, T>, values: V): Procedure<T> {
  const rows = tx.answered(name);
  return rows === undefined ? asked(tx, name, how, values) : known(how.pick(rows, values, tx));
}

const asked = <V, T>(tx: Context, name: string, how: Repeated<V, T>, values: V): Procedure<T> =>
  asking(named(name, how.query(values)), (rows) => how.pick(rows, values, tx));
