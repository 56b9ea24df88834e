/**
 * The answers to statements that callers of one transaction have already run. Fifty callers that send to one topic
 * all ask whether it is a pool and whether it is known: reads took half of the statements' time. No other connection
 * can write in between, so an answer stays true until one of the callers writes to a table that the statement names.
 */
import type { Row } from "../../sql/procedure.ts";
import type { Sql, SqlValue } from "../../sql/sql.ts";
import type { Statement } from "./driver.ts";

/** A statement that SQLite has parsed. */
export interface Prepared {
  statement: Statement;
  /** `change`: any write but a plain insert. */
  does: "read" | "insert" | "change";
  /** The table that it inserts into. */
  into: string;
  /** Every word of a read, and so the name of every table that it reads. */
  words: ReadonlySet<string>;
}

export function preparedOf(text: string, statement: Statement): Prepared {
  const words = new Set(text.toLowerCase().match(/\w+/g));
  if (/^\s*select/i.test(text)) return { statement, does: "read", into: "", words };
  const into = words.has("conflict") ? undefined : /^\s*insert into (\w+)/i.exec(text)?.[1];
  return { statement, does: into === undefined ? "change" : "insert", into: into ?? "", words: noWords };
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
    const answers = this.#answersTo(form);
    const alike = answers.byFirst.get(values[0]) ?? [];
    for (const kept of alike) if (isSame(kept.values, values)) return kept.rows;
    const rows = form.statement.all(...values) as Row[];
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
  wrote({ does, into }: Prepared, number?: number): void {
    if (does === "change") {
      this.#answers.length = 0;
      this.#named.clear();
      this.#last.clear();
      return;
    }
    if (number === undefined) this.#last.delete(into);
    else this.#last.set(into, number);
    // The last number of a table is read by a name that is a value, not a word.
    for (const answers of this.#answers)
      if (answers.passing && (answers.form.words.has(into) || answers.form.words.has("sqlite_sequence")))
        forgetPassing(answers);
  }

  last(table: string): number | undefined {
    return this.#last.get(table);
  }
}

function isSame(values: readonly SqlValue[], others: readonly SqlValue[]): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== others[i]) return false;
  return true;
}

function forgetPassing(answers: Answers): void {
  for (const [first, alike] of answers.byFirst) {
    for (const kept of alike) kept.stale = !kept.lasting;
    answers.byFirst.set(
      first,
      alike.filter(({ lasting }) => lasting),
    );
  }
  answers.passing = 0;
}
