/** Runs one procedure on a connection from start to end, without a pause. */
import { atOnce, known } from "../../sql/asking.ts";
import { type Context, one, type Procedure, type Refused, type Row } from "../../sql/procedure.ts";
import { Forms, forgottenStatements, fragment, nothing, type Sql, sql, word } from "../../sql/sql.ts";
import { walkValue } from "../../sql/walk.ts";
import type { Work } from "../engine.ts";
import type { Facts } from "../facts.ts";
import { type Asked, type Prepared, preparedOf } from "./asked.ts";
import type { Database } from "./driver.ts";
import { search } from "./search.ts";
import { reclaim } from "./space.ts";

const placeholder = () => "?";
const lastNumber = (table: string) =>
  sql`select sqlite_sequence.seq as last from sqlite_sequence where sqlite_sequence.name = ${table}`;
const joinedTexts = fragment`group_concat`;
const newestEvent = fragment`select max(events.event_id) as last from events`;

const prepared = new WeakMap<Database, Forms<Prepared>>();

function formsOf(db: Database): Forms<Prepared> {
  const known = prepared.get(db);
  if (known) return known;
  const made = new Forms<Prepared>(placeholder, (text) => preparedOf(text, db.query(text)));
  prepared.set(db, made);
  return made;
}

const noRows: Row[] = [];
const done = known<void>(undefined);

export function drive<T>(db: Database, work: Work<T>, tx: Context, noted?: Noted): T | Refused {
  forgottenStatements(); // discards what a procedure that has thrown left there
  const forms = formsOf(db);
  const answer = (asked: Sql): Row[] => {
    const { form, values } = forms.of(asked);
    const { statement, does } = form;
    if (does === "read")
      return noted?.asked?.read(form, values, asked) ?? (statement.all(...values) as Row[]);
    if (noted) noted.wrote = true;
    const rows = asked.blind ? noRows : (statement.all(...values) as Row[]);
    const made = asked.blind ? Number(statement.run(...values).lastInsertRowid) : undefined;
    noted?.asked?.wrote(form, made);
    return rows;
  };
  const result = atOnce(answer, () => work(tx));
  const [forgotten] = forgottenStatements();
  if (forgotten) throw new Error(`a statement was made but never run (a forgotten yield*?): ${forgotten}`);
  return result;
}

/** What a procedure leaves behind once it is committed. */
export interface Noted {
  topics: Set<string>;
  learnt: Map<string, string>;
  /** Whether it has written anything: then it cannot be undone separately. */
  wrote: boolean;
  /** The answers that the callers of this transaction share. */
  asked?: Asked;
}

export const nothingNoted = (asked?: Asked): Noted => ({
  topics: new Set(),
  learnt: new Map(),
  wrote: false,
  asked,
});

/** Topics are collected during the transaction and woken after it. SQLite locks the whole file: there are no row locks. */
export function contextOf(now: () => number, facts: Facts, noted: Noted): Context {
  function* last(table: string): Procedure<number> {
    return noted.asked?.last(table) ?? (yield* one<{ last: number }>(lastNumber(table)))?.last ?? 0;
  }
  return {
    clock: () => known(new Date(now()).toISOString()),
    time: () => new Date(now()).toISOString(),
    *number(table): Procedure<number> {
      return (yield* last(table)) + 1;
    },
    // biome-ignore lint/correctness/useYield: there is nothing to ask
    *eventNumber(): Procedure<undefined> {
      return undefined;
    },
    *numbers(table, count): Procedure<number[]> {
      const before = yield* last(table);
      return Array.from({ length: count }, (_, i) => before + 1 + i);
    },
    forUpdate: nothing,
    forUpdateFree: nothing,
    forUpdateFreeThreads: nothing,
    forDeleteFree: nothing,
    walking: (index) => word(`indexed by ${index}`),
    walk: walkValue,
    joinedTexts,
    rivals: 1,
    // The file has one lock, and the transaction holds it.
    lock: () => done,
    own: () => done,
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
