/**
 * SQL as a value. A template holds text and parameters, and may hold other templates: engines flatten it
 * into their own placeholders. Flattened text is the key of the statement cache, not the template.
 */
export type SqlValue = string | number | null;

export class Sql {
  /** Its rows are not used: an engine may continue before they arrive. */
  blind = false;
  /** How an engine may combine it with the same statement of other callers. */
  sharing: Sharing = "none";
  /** For a read: its meaning with its values, by which an engine may find the answer that another caller got. */
  name: string | undefined = undefined;

  constructor(
    readonly strings: readonly string[],
    readonly values: readonly (SqlValue | Sql)[],
  ) {}

  flatten(placeholder: (index: number) => string): { text: string; values: SqlValue[] } {
    const values: SqlValue[] = [];
    return { text: this.append("", values, placeholder), values };
  }

  /** Its values, if it holds no other templates. */
  plainValues(): readonly SqlValue[] | undefined {
    for (const part of this.values) if (part instanceof Sql) return undefined;
    tracked?.delete(this);
    return this.values as readonly SqlValue[];
  }

  /** Its values in order, and by `enter` the templates that it holds; false if one of them was made for this statement only. */
  walk(
    values: SqlValue[],
    enter: (strings: readonly string[], place: number) => boolean,
    at = { place: 0 },
  ): boolean {
    tracked?.delete(this);
    for (const part of this.values) {
      at.place++;
      if (!(part instanceof Sql)) values.push(part);
      else if (!enter(part.strings, at.place) || !part.walk(values, enter, at)) return false;
    }
    return true;
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
 *   alike   statements that differ only in their values may be combined into one. No two of them concern the same row at
 *           the same time: a procedure owns what its statement concerns.
 *   apart   of equal statements each gets a different row: the first caller the first row, and so on.
 *   there   a read that checks whether something exists: an answer with rows stays true whatever is inserted.
 */
type Sharing = "none" | "alike" | "apart" | "there";

export function alike(statement: Sql): Sql {
  statement.sharing = "alike";
  return statement;
}

export function apart(statement: Sql): Sql {
  statement.sharing = "apart";
  return statement;
}

export function there(statement: Sql): Sql {
  statement.sharing = "there";
  return statement;
}

export function named(name: string, statement: Sql): Sql {
  statement.name = name;
  return statement;
}

export const sql = (strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]) =>
  statement(strings, values);

/** The same for text that was composed by the program. */
export function statement(strings: readonly string[], values: readonly (SqlValue | Sql)[]): Sql {
  const missing = values.indexOf(undefined as never);
  if (missing >= 0) throw new Error(`undefined bound in SQL after: ${strings[missing]}`);
  const made = new Sql(strings, values);
  tracked?.add(made);
  return made;
}

/** A part that is made once and embedded in many statements; it is never run alone. */
export const fragment = (strings: TemplateStringsArray, ...values: (SqlValue | Sql)[]) =>
  new Sql(strings, values);

export const nothing = fragment``;

/** A fragment without values as one text: the parts of a template are looked up one by one in every statement that holds them. */
export function flat(made: Sql): Sql {
  const { text, values } = made.flatten(() => "?");
  if (values.length) throw new Error(`a fragment with values: ${text}`);
  return new Sql(kept([text]), []);
}

/** What a template literal has by itself: the same text is the same array every time. */
const lasting = new WeakSet<readonly string[]>();
const lasts = (strings: readonly string[]) => "raw" in strings || lasting.has(strings);

/** Text that the program composes once and uses many times. */
export function kept(strings: readonly string[]): readonly string[] {
  lasting.add(strings);
  return strings;
}

const words = new Map<string, Sql>();

/** A word of the text, such as a number or the name of a column. */
export function word(text: string): Sql {
  const known = words.get(text);
  if (known) return known;
  if (words.size >= 1000) return new Sql([text], []);
  const made = new Sql(kept([text]), []);
  words.set(text, made);
  return made;
}

/** A whole number written into the text. SQLite prepares a statement anew on every run whose limit is a parameter. */
export function literal(number: number): Sql {
  if (!Number.isSafeInteger(number)) throw new Error(`not a whole number: ${number}`);
  return word(String(number));
}

/** `a, b, c`: for `in (...)`; also joins with another separator. */
export function joined(values: readonly (SqlValue | Sql)[], separator = ", "): Sql {
  return values.length ? new Sql(separators(values.length, separator), values) : nothing;
}

const separated = new Map<string, (readonly string[])[]>();
const longest = 100;

function separators(count: number, separator: string): readonly string[] {
  const known = separated.get(separator) ?? [];
  const made = known[count] ?? ["", ...Array<string>(count - 1).fill(separator), ""];
  if (count > longest || separated.size > longest) return made;
  known[count] = kept(made);
  separated.set(separator, known);
  return made;
}

/** A template that has been seen, and those that followed it within a statement. */
interface Seen<Form> {
  form?: Form;
  next: { strings: readonly string[]; place: number; seen: Seen<Form> }[];
}

/**
 * What an engine makes of statements, found by the templates they are made of: putting a text together and looking for it
 * costs as much as running a short statement.
 */
export class Forms<Form> {
  readonly #first = new Map<readonly string[], Seen<Form>>();

  constructor(
    private readonly placeholder: (index: number) => string,
    private readonly make: (text: string) => Form,
  ) {}

  of(statement: Sql): { form: Form; values: readonly SqlValue[] } {
    const { strings } = statement;
    let first = this.#first.get(strings);
    if (!first) {
      if (!lasts(strings)) return this.#once(statement);
      first = { next: [] };
      this.#first.set(strings, first);
    }
    // Most statements hold no others, and their values are there already.
    const plain = statement.plainValues();
    if (plain) {
      first.form ??= this.make(statement.flatten(this.placeholder).text);
      return { form: first.form, values: plain };
    }
    return this.#nested(statement, first);
  }

  #nested(statement: Sql, first: Seen<Form>): { form: Form; values: SqlValue[] } {
    const values: SqlValue[] = [];
    let seen = first;
    const enter = (strings: readonly string[], place: number): boolean => {
      const before = seen.next.find((one) => one.strings === strings && one.place === place);
      if (before) seen = before.seen;
      else {
        if (!lasts(strings) || seen.next.length > longest) return false;
        const fresh: Seen<Form> = { next: [] };
        seen.next.push({ strings, place, seen: fresh });
        seen = fresh;
      }
      return true;
    };
    if (!statement.walk(values, enter)) return this.#once(statement);
    seen.form ??= this.make(statement.flatten(this.placeholder).text);
    return { form: seen.form, values };
  }

  #once(statement: Sql): { form: Form; values: SqlValue[] } {
    const { text, values } = statement.flatten(this.placeholder);
    return { form: this.make(text), values };
  }
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
