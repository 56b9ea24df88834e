/** Runs one procedure on a connection, start to end, in one go. */
import type { Database } from "bun:sqlite";
import { type Context, one, type Procedure, type Refused, type Row, Several } from "../../sql/procedure.ts";
import { forgottenStatements, fragment, nothing, type Sql } from "../../sql/sql.ts";
import type { Work } from "../engine.ts";
import type { Facts } from "../facts.ts";
import { search } from "./search.ts";
import { reclaim } from "./space.ts";

const placeholder = () => "?";
const newestEvent = fragment`select max(events.event_id) as last from events`;

export function drive<T>(db: Database, work: Work<T>, tx: Context): T | Refused {
  forgottenStatements(); // whatever a procedure left that was thrown out of is not this one's
  const procedure = work(tx);
  const answer = (statement: Sql) => {
    const { text, values } = statement.flatten(placeholder);
    return db.query(text).all(...values) as Row[];
  };
  let step = procedure.next();
  while (!step.done) {
    const asked = step.value;
    const rows = asked instanceof Several ? asked.statements.map(answer) : answer(asked);
    step = procedure.next(rows as Row[]);
  }
  const [forgotten] = forgottenStatements();
  if (forgotten) throw new Error(`a statement was made but never run (a forgotten yield*?): ${forgotten}`);
  return step.value;
}

/** What a procedure leaves behind once it is committed. */
export interface Noted {
  topics: Set<string>;
  learnt: Map<string, string>;
}

export const nothingNoted = (): Noted => ({ topics: new Set(), learnt: new Map() });

/** Topics are collected during the transaction and woken after it. SQLite locks the whole file: no row locks. */
export function contextOf(now: () => number, facts: Facts, noted: Noted): Context {
  return {
    // biome-ignore lint/correctness/useYield: other engines ask their server
    *clock(): Procedure<string> {
      return new Date(now()).toISOString();
    },
    time: () => new Date(now()).toISOString(),
    forUpdate: nothing,
    forUpdateFree: nothing,
    forUpdateFreeThreads: nothing,
    rivals: 1,
    // The file has one lock, and the transaction holds it.
    *lock(): Procedure<void> {},
    *own(): Procedure<void> {},
    free: () => true,
    untouched: () => true,
    recall: (fact) => noted.learnt.get(fact) ?? facts.recall(fact),
    learn: (fact, value) => void noted.learnt.set(fact, value),
    *settled(): Procedure<number> {
      const row = yield* one<{ last: number | null }>(newestEvent);
      return row?.last ?? 0;
    },
    reclaim,
    verified: false,
    wake: (topic) => noted.topics.add(topic),
    search,
  };
}
