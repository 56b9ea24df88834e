/** Runs one procedure on a connection, start to end, in one go. */
import type { Database } from "bun:sqlite";
import type { Context, Procedure, Refused, Row } from "../../sql/procedure.ts";
import { forgottenStatements, nothing } from "../../sql/sql.ts";
import type { Work } from "../engine.ts";

const placeholder = () => "?";

export function drive<T>(db: Database, work: Work<T>, tx: Context): T | Refused {
  forgottenStatements(); // whatever a procedure left that was thrown out of is not this one's
  const procedure = work(tx);
  let step = procedure.next();
  while (!step.done) {
    const { text, values } = step.value.flatten(placeholder);
    step = procedure.next(db.query(text).all(...values) as Row[]);
  }
  const [forgotten] = forgottenStatements();
  if (forgotten) throw new Error(`a statement was made but never run (a forgotten yield*?): ${forgotten}`);
  return step.value;
}

/** Topics are collected during the transaction and woken after it. SQLite locks the whole file: no row locks. */
export function contextOf(now: () => number, topics: Set<string>): Context {
  return {
    // biome-ignore lint/correctness/useYield: other engines ask their server
    *clock(): Procedure<string> {
      return new Date(now()).toISOString();
    },
    forUpdate: nothing,
    verified: false,
    wake: (topic) => topics.add(topic),
  };
}
