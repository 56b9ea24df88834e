/**
 * [C17] Inputs that exclude or need each other. An operation declares them, and every surface refuses what breaks them.
 * The hint is what makes the refusal go away ([C13]).
 */
import { InboxError } from "./errors.ts";
import { blank, field, isBlank, listed, phrase, type Value } from "./phrase.ts";

export type Combination<F extends string = string> =
  /** The first field cannot be given together with any of the others. */
  | { excludes: readonly [F, ...F[]] }
  /**
   * A field that has no effect without another (`or` one of these); or, with a value that is no blank, unless the other has
   * that value.
   */
  | { given: F; needs: F; or: readonly F[]; value?: Value }
  /** Fields that are required where another is not given, with a value to show; `what` is what the input then asks for. */
  | { unless: F; shown?: Value; requires: Readonly<Partial<Record<F, Value>>>; what: string };

export const excludes = <const F extends string>(first: F, ...others: F[]): Combination<F> => ({
  excludes: [first, ...others],
});

export const needs = <const F extends string>(
  given: F,
  missing: F,
  value?: Value,
  ...or: F[]
): Combination<F> => ({ given, needs: missing, or, value });

export const requires = <const F extends string, const R extends string>(
  what: string,
  { unless, shown, fields }: { unless: F; shown?: Value; fields: Readonly<Record<R, Value>> },
): Combination<F | R> => ({
  unless,
  shown,
  requires: fields as Readonly<Partial<Record<F | R, Value>>>,
  what,
});

/** The fields that are missing because another one is not given. */
export const missingOf = (combinations: readonly Combination[], input: Readonly<Record<string, unknown>>) =>
  combinations.flatMap((one) =>
    "unless" in one && input[one.unless] === undefined
      ? Object.keys(one.requires).filter((key) => input[key] === undefined)
      : [],
  );

/** An input after parsing, and the defaults of its fields. */
interface Parsed {
  input: Readonly<Record<string, unknown>>;
  defaults: Readonly<Record<string, unknown>>;
}

/** A client sends the input as it was parsed, with the defaults: a field that has its default counts as left out. */
const has = ({ input, defaults }: Parsed, key: string) =>
  input[key] !== undefined &&
  input[key] !== false &&
  input[key] !== defaults[key] &&
  !isEmptyList(input[key]);

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

type Entries = Record<string, { default?: unknown }>;
const noEntries: Entries = {};
const defaults = new WeakMap<Entries, Readonly<Record<string, unknown>>>();

/** By field, of the fields that have one. */
export function defaultsOf(op: { input: () => object }): Readonly<Record<string, unknown>> {
  const { entries = noEntries } = op.input() as { entries?: Entries };
  const made =
    defaults.get(entries) ??
    Object.fromEntries(Object.entries(entries).map(([key, one]) => [key, one.default]));
  defaults.set(entries, made);
  return made;
}

/** Refuses the first combination that does not hold. */
export function checkCombinations(combinations: readonly Combination[], parsed: Parsed): void {
  for (const one of combinations) {
    if ("excludes" in one) {
      const [first, ...others] = one.excludes;
      const second = has(parsed, first) ? others.find((key) => has(parsed, key)) : undefined;
      if (second !== undefined) throw onlyOneOf(first, second);
    } else if ("unless" in one) {
      const missing = missingOf([one], parsed.input);
      if (missing.length) throw incomplete(one, missing);
    } else if (has(parsed, one.given) && !isMet(one, parsed)) throw needsAnother(one);
  }
}

const isMet = ({ needs, or, value }: Needed, parsed: Parsed) =>
  or.some((key) => has(parsed, key)) ||
  (value === undefined || isBlank(value) ? has(parsed, needs) : parsed.input[needs] === value);

/** Whether a field cannot be given, because of another one that was: then it gets no default from the environment. */
export const isExcluded = (combinations: readonly Combination[], key: string, parsed: Parsed) =>
  combinations.some(
    (one) =>
      "excludes" in one &&
      one.excludes.includes(key) &&
      (one.excludes[0] === key ? one.excludes.slice(1) : [one.excludes[0]]).some((each) => has(parsed, each)),
  );

type Needed = Extract<Combination, { given: string }>;

const onlyOneOf = (first: string, second: string) =>
  new InboxError("invalid_input", phrase`give only one of ${field(first)} and ${field(second)}`, {
    hint: phrase`leave out ${field(first)}, or leave out ${field(second)}`,
  });

const incomplete = (
  {
    what,
    unless,
    shown = blank(unless.toUpperCase()),
    requires: values,
  }: Extract<Combination, { unless: string }>,
  missing: readonly string[],
) =>
  new InboxError("invalid_input", phrase`${what} requires ${listed(missing.map((key) => field(key)))}`, {
    hint: phrase`add ${listed(missing.map((key) => field(key, values[key])))}, or ${field(unless, shown)}`,
  });

const needsAnother = ({ given, needs, or, value }: Needed) => {
  const exact = value === undefined || isBlank(value) ? undefined : value;
  const any = listed([field(needs, exact), ...or.map((key) => field(key))], "or");
  return new InboxError("invalid_input", phrase`${field(given)} requires ${any}`, {
    hint: phrase`add ${field(needs, value)}, or leave out ${field(given)}`,
  });
};
