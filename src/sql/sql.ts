/**
 * SQL as a value. A template holds text and parameters, and may hold other templates: engines flatten it
 * into their own placeholders. Flattened text is the key of the statement cache, not the template.
 */
export type SqlValue = string | number | null;

export class Sql {
  /** Nobody looks at its rows: an engine may go on before they are there. */
  blind = false;
  /** What an engine may do where several callers ask the same at the same time. */
  sharing: Sharing = "none";

  constructor(
    readonly strings: readonly string[],
    readonly values: readonly (SqlValue | Sql)[],
  ) {}

  flatten(placeholder: (index: number) => string): { text: string; values: SqlValue[] } {
    const values: SqlValue[] = [];
    return { text: this.append("", values, placeholder), values };
  }

  private append(before: string, values: SqlValue[], placeholder: (index: number) => string): string {
    tracked?.delete(this);
    const { strings, values: parts } = this;
    let text = before + strings[0];
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!;
      text =
        part instanceof Sql ? part.append(text, values, placeholder) : text + placeholder(values.push(part));
      text += strings[i + 1];
    }
    return text;
  }
}

/**
 *   alike   those that differ in their values only may become one statement for all. No two of them concern the same row
 *           at the same time: whoever sends one owns what it concerns.
 *   apart   those that do not differ at all get a row each: the first who asks gets the first, and so on.
 */
type Sharing = "none" | "alike" | "apart";

export function alike(statement: Sql): Sql {
  statement.sharing = "alike";
  return statement;
}

export function apart(statement: Sql): Sql {
  statement.sharing = "apart";
  return statement;
}

export const sql = (strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]) =>
  statement(strings, values);

/** The same for text that a program has put together. */
export function statement(strings: readonly string[], values: readonly (SqlValue | Sql)[]): Sql {
  const missing = values.indexOf(undefined as never);
  if (missing >= 0) throw new Error(`undefined bound in SQL after: ${strings[missing]}`);
  const made = new Sql(strings, values);
  tracked?.add(made);
  return made;
}

/** A part that is made once and embedded in many statements; it is never run by itself. */
export const fragment = (strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]) =>
  new Sql(strings, values);

export const nothing = fragment``;

/** A whole number written into the text. SQLite prepares a statement anew on every run whose limit is a parameter. */
export function literal(number: number): Sql {
  if (!Number.isSafeInteger(number)) throw new Error(`not a whole number: ${number}`);
  return new Sql([String(number)], []);
}

/** `a, b, c`: for `in (...)`; also joins with another separator. */
export function joined(values: readonly (SqlValue | Sql)[], separator = ", "): Sql {
  const strings = ["", ...Array<string>(Math.max(0, values.length - 1)).fill(separator), ""];
  return values.length ? new Sql(strings, values) : nothing;
}

/**
 * A forgotten `yield*` compiles and loses the write silently. Under test every template made is kept
 * here until it is run or embedded; one left over at the end of a procedure is an error.
 */
let tracked: Set<Sql> | undefined;

export function trackStatements(on: boolean): void {
  tracked = on ? new Set() : undefined;
}

export function forgottenStatements(): string[] {
  if (!tracked?.size) return [];
  const left = [...tracked].map((made) => made.strings.join("?").trim());
  tracked.clear();
  return left;
}
