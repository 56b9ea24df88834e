/**
 * The answers to statements that callers of one transaction have already run. Fifty callers that send to one topic
 * all ask whether it is a pool and whether it is known: reads took half of the statements' time. No other connection
 * can write in between, so an answer stays true until one of the callers writes to a table that the statement names. (There are no
 * triggers, and no foreign key changes a row of another table.)
 */
import type { Row } from "../../sql/procedure.ts";
import type { Sql, SqlValue } from "../../sql/sql.ts";
import type { Statement } from "./driver.ts";

/** A statement that SQLite has parsed. */
export interface Prepared {
  statement: Statement;
  /** `change`: any write that is no insert. */
  does: "read" | "insert" | "upsert" | "change";
  /** The table that it writes to; empty if that is not known. */
  table: string;
  /** Every word of a read, and so the name of every table that it reads. */
  words: ReadonlySet<string>;
}

export function preparedOf(text: string, statement: Statement): Prepared {
  const words = new Set(text.toLowerCase().match(/\w+/g));
  if (/^\s*select/i.test(text)) return { statement, does: "read", table: "", words };
  // A virtual table also writes to tables of its own.
  const [, how, table = ""] = /^\s*(insert into|update|delete from) (?!search_)(\w+)/i.exec(text) ?? [];
  const inserts = words.has("conflict") ? "upsert" : "insert";
  return { statement, does: how === "insert into" ? inserts : "change", table, words: noWords };
}

const noWords: ReadonlySet<string> = new Set();

interface Kept {
  values: readonly SqlValue[];
  rows: Row[];
  lasting: boolean;
  /** What it answers may have changed since. */
  stale: boolean;
}

/** The answers to one statement. */
interface Answers {
  form: Prepared;
  /** By the first value: making a text of all values took as long as a short statement. */
  byFirst: Map<SqlValue | undefined, Kept[]>;
  /** Those that an insert may change. */
  passing: number;
}

export class Asked {
  readonly #answers: Answers[] = [];
  /** By the names that callers gave them. */
  readonly #named = new Map<string, Kept>();
  /** The last number of a table's rows. */
  readonly #last = new Map<string, number>();

  /** The answer to a statement by its name (`Sql.name`), if it is known. */
  recall(name: string): Row[] | undefined {
    const kept = this.#named.get(name);
    return kept === undefined || kept.stale ? undefined : kept.rows;
  }

  read(form: Prepared, values: readonly SqlValue[], { sharing, name }: Sql): Row[] {
    // It concerns a row of its own caller, which no other asks for; or the caller changes the row that it finds.
    if ((sharing === "alike" || sharing === "apart") && name === undefined)
      return form.statement.all(values) as Row[];
    const answers = this.#answersTo(form);
    const alike = answers.byFirst.get(values[0]) ?? [];
    for (const kept of alike) if (isSame(kept.values, values)) return kept.rows;
    const rows = form.statement.all(values) as Row[];
    const lasting = sharing === "there" && rows.length > 0;
    const kept = { values, rows, lasting, stale: false };
    alike.push(kept);
    answers.byFirst.set(values[0], alike);
    if (!lasting) answers.passing++;
    if (name !== undefined) this.#named.set(name, kept);
    return rows;
  }

  #answersTo(form: Prepared): Answers {
    for (const answers of this.#answers) if (answers.form === form) return answers;
    const made = { form, byFirst: new Map<SqlValue | undefined, Kept[]>(), passing: 0 };
    this.#answers.push(made);
    return made;
  }

  /** To be called for every write. `number`: that of the inserted row, if it is known. */
  wrote({ does, table }: Prepared, number?: number): void {
    if (table === "") {
      this.#answers.length = 0;
      this.#named.clear();
      this.#last.clear();
      return;
    }
    if (does === "insert" && number !== undefined) this.#last.set(table, number);
    else if (does !== "change") this.#last.delete(table);
    // The last number of a table is read by a name that is a value, not a word.
    for (const answers of this.#answers)
      if (answers.form.words.has(table) || (does !== "change" && answers.form.words.has("sqlite_sequence")))
        forget(answers, does);
  }

  last(table: string): number | undefined {
    return this.#last.get(table);
  }
}

function isSame(values: readonly SqlValue[], others: readonly SqlValue[]): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== others[i]) return false;
  return true;
}

/** An insert leaves those that are lasting. */
function forget(answers: Answers, does: Prepared["does"]): void {
  const leaves = does === "insert";
  if (leaves && !answers.passing) return;
  for (const [first, alike] of answers.byFirst) {
    for (const kept of alike) kept.stale = !(leaves && kept.lasting);
    answers.byFirst.set(
      first,
      alike.filter(({ stale }) => !stale),
    );
  }
  answers.passing = 0;
}
