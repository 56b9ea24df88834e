/** Runs one procedure on a connection, start to end, in one go. */
import { type Context, one, type Procedure, type Refused, type Row, Several } from "../../sql/procedure.ts";
import { Forms, forgottenStatements, fragment, nothing, type Sql, sql } from "../../sql/sql.ts";
import type { Work } from "../engine.ts";
import type { Facts } from "../facts.ts";
import type { Database, Statement } from "./driver.ts";
import { search } from "./search.ts";
import { reclaim } from "./space.ts";

const placeholder = () => "?";
const lastNumber = (table: string) =>
  sql`select sqlite_sequence.seq as last from sqlite_sequence where sqlite_sequence.name = ${table}`;
const joinedTexts = fragment`group_concat`;
const newestEvent = fragment`select max(events.event_id) as last from events`;

/** A statement that SQLite has read. */
interface Prepared {
  statement: Statement;
  writes: boolean;
}

const prepared = new WeakMap<Database, Forms<Prepared>>();

function formsOf(db: Database): Forms<Prepared> {
  const known = prepared.get(db);
  if (known) return known;
  const made = new Forms<Prepared>(placeholder, (text) => ({
    statement: db.query(text),
    writes: !/^\s*select/i.test(text),
  }));
  prepared.set(db, made);
  return made;
}

const noRows: Row[] = [];

export function drive<T>(db: Database, work: Work<T>, tx: Context, noted?: Noted): T | Refused {
  forgottenStatements(); // whatever a procedure left that was thrown out of is not this one's
  const forms = formsOf(db);
  const procedure = work(tx);
  const answer = (asked: Sql): Row[] => {
    const { form, values } = forms.of(asked);
    if (noted && form.writes) noted.wrote = true;
    if (!asked.blind) return form.statement.all(...values) as Row[];
    form.statement.run(...values);
    return noRows;
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
  /** Whether it has written anything: then it cannot be undone by itself. */
  wrote: boolean;
}

export const nothingNoted = (): Noted => ({ topics: new Set(), learnt: new Map(), wrote: false });

/** Topics are collected during the transaction and woken after it. SQLite locks the whole file: no row locks. */
export function contextOf(now: () => number, facts: Facts, noted: Noted): Context {
  return {
    // biome-ignore lint/correctness/useYield: other engines ask their server
    *clock(): Procedure<string> {
      return new Date(now()).toISOString();
    },
    time: () => new Date(now()).toISOString(),
    *number(table): Procedure<number> {
      const row = yield* one<{ last: number }>(lastNumber(table));
      return (row?.last ?? 0) + 1;
    },
    *numbers(table, count): Procedure<number[]> {
      const row = yield* one<{ last: number }>(lastNumber(table));
      return Array.from({ length: count }, (_, i) => (row?.last ?? 0) + 1 + i);
    },
    forUpdate: nothing,
    forUpdateFree: nothing,
    forUpdateFreeThreads: nothing,
    joinedTexts,
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
