/** Runs one procedure on a connection from start to end, without a pause. */
import { asking, atOnce, known } from "../../sql/asking.ts";
import { type Context, nothingToAsk, type Procedure, type Refused, type Row } from "../../sql/procedure.ts";
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

/** Callers of one transaction mostly ask within the same millisecond. */
let lastTime = { ms: Number.NaN, text: "" };

function textOf(ms: number): string {
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() };
  return lastTime.text;
}

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
    if (noted) noted.made = made;
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
  /** The number of the row that the last statement has inserted. */
  made?: number;
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
  function last<T>(table: string, from: (last: number) => T): Procedure<T> {
    const there = noted.asked?.last(table);
    if (there !== undefined) return known(from(there));
    return asking(lastNumber(table), ([row]) => from((row?.last as number | undefined) ?? 0));
  }
  return {
    clock: () => known(textOf(now())),
    time: () => textOf(now()),
    number: (table) => last(table, (last) => last + 1),
    numbers: (table, count) => last(table, (last) => Array.from({ length: count }, (_, i) => last + 1 + i)),
    eventNumber: () => known(undefined),
    inserted(insertion): Procedure<number> {
      insertion.blind = true;
      return asking(insertion, () => noted.made!);
    },
    forUpdate: nothing,
    forUpdateFree: nothing,
    forUpdateFreeThreads: nothing,
    forDeleteFree: nothing,
    walking: (index) => word(`indexed by ${index}`),
    walk: walkValue,
    joinedTexts,
    embedded: true,
    rivals: 1,
    // The file has one lock, and the transaction holds it.
    lock: () => nothingToAsk,
    own: () => nothingToAsk,
    free: () => true,
    untouched: () => true,
    recall: (fact) => noted.learnt.get(fact) ?? facts.recall(fact),
    learn: (fact, value) => void noted.learnt.set(fact, value),
    settled: () => asking(newestEvent, ([row]) => (row?.last as number | null | undefined) ?? 0),
    reclaim,
    verified: false,
    wake: (topic) => noted.topics.add(topic),
    search,
  };
}
