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
}

export class Asked {
  /** By statement and first value: making a text of all values took as long as a short statement. */
  readonly #answers = new Map<Prepared, Map<SqlValue | undefined, Kept[]>>();
  /** The last number of a table's rows. */
  readonly #last = new Map<string, number>();

  read(form: Prepared, values: readonly SqlValue[], { sharing }: Sql): Row[] {
    const known = this.#answers.get(form) ?? new Map<SqlValue | undefined, Kept[]>();
    const alike = known.get(values[0]) ?? [];
    const before = alike.find((kept) => kept.values.every((value, i) => value === values[i]));
    if (before) return before.rows;
    const rows = form.statement.all(...values) as Row[];
    alike.push({ values, rows, lasting: sharing === "there" && rows.length > 0 });
    this.#answers.set(form, known.set(values[0], alike));
    return rows;
  }

  /** To be called for every write. `number`: that of the inserted row, if it is known. */
  wrote({ does, into }: Prepared, number?: number): void {
    if (does === "change") {
      this.#answers.clear();
      this.#last.clear();
      return;
    }
    if (number === undefined) this.#last.delete(into);
    else this.#last.set(into, number);
    // The last number of a table is read by a name that is a value, not a word.
    for (const [form, known] of this.#answers)
      if (form.words.has(into) || form.words.has("sqlite_sequence"))
        for (const [first, alike] of known)
          if (!alike.every(({ lasting }) => lasting))
            known.set(
              first,
              alike.filter(({ lasting }) => lasting),
            );
  }

  last(table: string): number | undefined {
    return this.#last.get(table);
  }
}
