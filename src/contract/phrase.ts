/**
 * [C14] Text that refers to operations and fields without spelling them. The code that refuses knows which field is
 * meant; the surface knows how its reader writes it: `--wait`, `"wait": true`, the argument `wait`. References stay
 * data until a surface spells them.
 */

/** Something for the reader to fill in: `NAME`; text that is not in capitals is an example. */
export interface Blank {
  blank: string;
}
export type Value = string | number | boolean | Blank;

export type Reference =
  /** An input field, of the operation that was called unless `of` names another; with a value: the field with that value. */
  | { is: "field"; name: string; of?: string; value?: Value }
  /** The same field, read from a file: only some surfaces can. */
  | { is: "file"; name: string; of?: string }
  /**
   * A call of an operation with this input. `options` are those of the program: which database; false
   * leaves out the one that was typed. `own`: by the agent that
   * has called now, so that its name is part of the call where it was given with this one.
   */
  | { is: "call"; operation: string; input: Readonly<Record<string, Value>>; options: Options; own?: true }
  /** Where the inputs of an operation are described. */
  | { is: "help"; operation?: string }
  /** An option of the program itself, for every command: `db`, `trust`. */
  | { is: "option"; name: string; value?: Value }
  /** A variable of the environment. */
  | { is: "variable"; name: string };

export type Options = Readonly<Record<string, Value>>;
export type Part = string | Reference;
/** Text for a reader, with references to what can be called or given. */
export type Text = string | Phrase;

type Inserted = Text | Reference | number;

/** Its parts are put together when it is read: a command evaluates many phrases, and shows none or one. */
export class Phrase {
  private known?: readonly Part[];

  constructor(private readonly make: () => readonly Part[]) {}

  get parts(): readonly Part[] {
    this.known ??= this.make();
    return this.known;
  }

  /** As a program would write it: the operation's name, the field's name. */
  toString(): string {
    return spelledWhole(this, asInPrograms);
  }

  toJSON(): string {
    return this.toString();
  }
}

/** A template whose references stay references. Other phrases may be part of it. Lines are broken in the source only. */
export const phrase = (strings: TemplateStringsArray, ...inserted: Inserted[]) =>
  new Phrase(() => partsOf(strings, inserted));

function partsOf(strings: readonly string[], inserted: readonly Inserted[]): Part[] {
  const written = strings.map((text) => text.replace(/\n\s*/g, " "));
  const parts: Part[] = [written[0]!];
  inserted.forEach((one, at) => {
    if (one instanceof Phrase) parts.push(...one.parts);
    else parts.push(typeof one === "number" ? String(one) : one);
    parts.push(written[at + 1]!);
  });
  return parts.filter((part) => part !== "");
}

/** `a`, `a and b`, `a, b and c`; or with another word before the last. */
export const listed = (items: readonly (Text | Reference)[], last: "and" | "or" = "and"): Phrase =>
  items
    .slice(1)
    .reduce<Phrase>(
      (all, one, at) => phrase`${all}${at === items.length - 2 ? ` ${last} ` : ", "}${one}`,
      phrase`${items[0] ?? ""}`,
    );

export const blank = (name: string): Blank => ({ blank: name });
export const isBlank = (value: Value): value is Blank => typeof value === "object";
/** Not a word in capitals, which is to be replaced. */
export const isExample = ({ blank }: Blank) => !/^[A-Z|]+$/.test(blank);

export const field = (name: string, value?: Value, of?: string): Reference => ({
  is: "field",
  name,
  ...(of !== undefined && { of }),
  ...(value !== undefined && { value }),
});
export const fileOf = (name: string): Reference => ({ is: "file", name });
export const call = (
  operation: string,
  input: Readonly<Record<string, Value>> = {},
  options: Options = {},
): Reference => ({ is: "call", operation, input, options });
/** A call that the caller of this one makes next. */
export const ownCall = (operation: string, input: Readonly<Record<string, Value>> = {}): Reference => ({
  is: "call",
  operation,
  input,
  options: {},
  own: true,
});
export const help = (operation?: string): Reference => ({
  is: "help",
  ...(operation !== undefined && { operation }),
});
export const option = (name: string, value?: Value): Reference => ({
  is: "option",
  name,
  ...(value !== undefined && { value }),
});
export const variable = (name: string): Reference => ({ is: "variable", name });

/** How a surface writes a reference; undefined if its reader has no use for it. */
export type Spelling = (reference: Reference) => string | undefined;

/** A value as JSON has it. A word in capitals is to be replaced, so it stands without quotes. */
export const valueText = (value: Value) =>
  isBlank(value) && !isExample(value) ? value.blank : JSON.stringify(isBlank(value) ? value.blank : value);

const objectText = (input: Readonly<Record<string, Value>>) => {
  const fields = Object.entries(input).map(([key, value]) => `${key}: ${valueText(value)}`);
  return fields.length ? `{ ${fields.join(", ")} }` : "";
};

/** As programs in TypeScript write it, and callers without a surface. */
export const asInPrograms: Spelling = (reference) => {
  switch (reference.is) {
    case "call":
      return `${reference.operation}(${objectText({ ...reference.input, ...reference.options })})`;
    case "help":
      return "the reference";
    case "variable":
      return reference.name;
    case "file":
      return `a file for ${reference.name}`;
    default:
      return reference.value === undefined
        ? reference.name
        : `${reference.name}: ${valueText(reference.value)}`;
  }
};

/** The whole text, as programs write it where the surface has no form of its own. For messages, which state the problem. */
export const spelledWhole = (text: Text, spelling: Spelling): string =>
  typeof text === "string"
    ? text
    : text.parts
        .map((part) => (typeof part === "string" ? part : (spelling(part) ?? asInPrograms(part)!)))
        .join("");

const between = /(; |, or )/;

/** Leaves out alternatives that the surface cannot spell; empty if it can spell none. For hints, which say what to do. */
export function spelled(text: Text, spelling: Spelling): string {
  if (typeof text === "string") return text;
  const kept: string[] = [];
  let separator = "";
  let alternative: string | undefined = "";
  const end = () => {
    if (alternative) kept.push(kept.length ? separator : "", alternative);
  };
  for (const part of text.parts) {
    if (typeof part !== "string") {
      const word = spelling(part);
      alternative = word === undefined || alternative === undefined ? undefined : alternative + word;
      continue;
    }
    for (const piece of part.split(between)) {
      if (!between.test(piece)) {
        if (alternative !== undefined) alternative += piece;
        continue;
      }
      end();
      separator = piece;
      alternative = "";
    }
  }
  end();
  return kept.join("");
}

/** With every text in it changed, including values of references. */
export function changed<T extends Text>(text: T, change: (text: string) => string): T {
  if (typeof text === "string") return change(text) as T;
  const value = (one: Value) => (typeof one === "string" ? change(one) : one);
  const values = (all: Options) =>
    Object.fromEntries(Object.entries(all).map(([key, one]) => [key, value(one)]));
  const parts = text.parts.map((part): Part => {
    if (typeof part === "string") return change(part);
    if (part.is === "call") return { ...part, input: values(part.input), options: values(part.options) };
    return "value" in part && part.value !== undefined ? { ...part, value: value(part.value) } : part;
  });
  return new Phrase(() => parts) as T;
}

/** A value with the phrases in it spelled. */
export function spelledIn(value: unknown, spelling: Spelling): unknown {
  if (value instanceof Phrase) return spelled(value, spelling);
  if (Array.isArray(value)) return value.map((one) => spelledIn(one, spelling));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spelledIn(one, spelling)]));
}

const kinds: readonly string[] = ["field", "file", "call", "help", "option", "variable"];

/** Parts that were received from another process, if they are known ones. */
export function phraseOf(parts: unknown): Phrase | undefined {
  const known = (part: unknown) =>
    typeof part === "string" || kinds.includes((part as Reference | null)?.is ?? "");
  return Array.isArray(parts) && parts.every(known) ? new Phrase(() => parts) : undefined;
}
