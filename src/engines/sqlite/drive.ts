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

const noRows: Row[] = [];

/** Callers of one transaction mostly ask within the same millisecond. */
let lastTime = { ms: Number.NaN, text: "" };

function textOf(ms: number): string {
  if (ms !== lastTime.ms) lastTime = { ms, text: new Date(ms).toISOString() };
  return lastTime.text;
}

/**
 * Runs procedures on a connection. All get the same context: each runs to its end before the next, and making the
 * functions anew took a twentieth of the time of a send.
 */
export function driver(db: Database, now: () => number, facts: Facts) {
  const forms = new Forms<Prepared>(placeholder, (text) => preparedOf(text, db.query(text)));
  const running = { noted: nothingNoted() };
  const tx = contextOf(now, facts, running);
  const { wake } = tx;

  function answer(asked: Sql): Row[] {
    const { noted } = running;
    const { form, values } = forms.of(asked);
    const { statement, does } = form;
    if (does === "read") return noted.asked?.read(form, values, asked) ?? (statement.all(values) as Row[]);
    noted.wrote = true;
    if (!asked.blind) {
      const rows = statement.all(values) as Row[];
      noted.asked?.wrote(form);
      return rows;
    }
    noted.made = Number(statement.run(values).lastInsertRowid);
    noted.asked?.wrote(form, noted.made);
    return noRows;
  }

  return function drive<T>(work: Work<T>, noted: Noted): T | Refused {
    forgottenStatements(); // discards what a procedure that has thrown left there
    running.noted = noted;
    // Those that a caller may have changed.
    tx.wake = wake;
    tx.surface = undefined;
    const result = atOnce(answer, work, tx);
    const [forgotten] = forgottenStatements();
    if (forgotten) throw new Error(`a statement was made but never run (a forgotten yield*?): ${forgotten}`);
    return result;
  };
}

export type Drive = ReturnType<typeof driver>;

/** What a procedure leaves behind once it is committed. */
export interface Noted {
  topics: string[];
  /** Undefined as long as there is nothing: most procedures learn nothing. */
  learnt?: Map<string, string>;
  /** Whether it has written anything: then it cannot be undone separately. */
  wrote: boolean;
  /** The number of the row that the last statement has inserted. */
  made?: number;
  /** The answers that the callers of this transaction share. */
  asked?: Asked;
}

export const nothingNoted = (asked?: Asked): Noted => ({
  topics: [],
  learnt: undefined,
  wrote: false,
  made: undefined,
  asked,
});

/**
 * Topics are collected during the transaction and woken after it. SQLite locks the whole file: there are no row locks.
 * `running` has the notes of the procedure that runs.
 */
export function contextOf(now: () => number, facts: Facts, running: { noted: Noted }): Context {
  function last<T>(table: string, from: (last: number) => T): Procedure<T> {
    const there = running.noted.asked?.last(table);
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
      return asking(insertion, () => running.noted.made!);
    },
    forUpdate: nothing,
    forUpdateFree: nothing,
    forUpdateNext: nothing,
    skips: false,
    enterLine: () => nothingToAsk,
    waitInLine() {
      throw new Error("there are no locked rows that could be skipped");
    },
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
    recall: (fact) => running.noted.learnt?.get(fact) ?? facts.recall(fact),
    answered: (name) => running.noted.asked?.recall(name),
    learn(fact, value) {
      running.noted.learnt ??= new Map();
      running.noted.learnt.set(fact, value);
    },
    settled: () => asking(newestEvent, ([row]) => (row?.last as number | null | undefined) ?? 0),
    reclaim,
    verified: false,
    surface: undefined,
    wake: (topic) => void running.noted.topics.push(topic),
    search,
  };
}
