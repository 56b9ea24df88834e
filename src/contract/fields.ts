/**
 * The building blocks of operation inputs. Each is a function that builds a valibot schema and attaches what surfaces
 * need to know about the field (its type, its help, the name of its value), so that a flag, a JSON property and a
 * line of documentation come from one declaration. Schemas are built only for the operation that is called: building
 * all of them costs milliseconds at start.
 */
import * as v from "valibot";
import { nameProblem } from "./names.ts";
import type { Text } from "./phrase.ts";
import { didYouMean } from "./suggest.ts";

export interface FieldInfo {
  type: "text" | "integer" | "number" | "flag" | "choice" | "list" | "json" | "lines" | "artifacts";
  /** The name of the value in help: `--agent NAME`. */
  value?: string;
  /** A valid value, for examples if the operation's own have none. */
  example?: string;
  help: Text;
  choices?: readonly string[];
  /** A path, relative to the working directory of the command. */
  path?: boolean;
  /** A list of `{path}`, which the command line takes as paths with commas between them. */
  paths?: boolean;
  /** Also readable from a file: `--body-file PATH`. */
  file?: boolean;
  minimum?: number;
  maximum?: number;
  /** Other forms of the value that are accepted as well, as JSON Schema says them. */
  also?: readonly Readonly<Record<string, unknown>>[];
  /** Written as text, `none` means the same as leaving it out. */
  none?: boolean;
  /** The name of the flag if it is not the field's name: `ttl` for `ttlSeconds`. */
  flag?: string;
  /** The former name of the flag: still accepted, and shown nowhere. */
  formerFlag?: string;
  /** Programs on the caller's machine take it from this variable if it was not given. */
  env?: string;
  /** That variable belongs to another field's: if the other one was given a different value, it is ignored. */
  along?: string;
  /** Programs on the caller's machine fill it with the working directory. */
  here?: boolean;
}

/** The text of a refusal for size, if the schema cannot say it. */
export const tooLarge = "is more than 1 MiB as JSON";
const depthLimit = 64;

/** The maximum size of a body, or of any other text or data of a message. */
export const contentLimit = 1024 * 1024;

const wellFormed = (text: string) => !text.includes("\u0000") && text.isWellFormed();
const malformed = "must be valid Unicode text without U+0000";
/**
 * Attaches what surfaces need to a schema that was just built, without changing what it accepts. As a plain property:
 * valibot's own metadata would be two more objects and a pipe per field, and half the time in which a command line is
 * parsed.
 */
export const described = <S extends v.GenericSchema>(schema: S, info: FieldInfo): S & { field: FieldInfo } =>
  Object.assign(schema, { field: info });

export const infoOf = (schema: unknown) => (schema as { field?: FieldInfo }).field;

/** A value in an error, cut if it is long. */
export const quotedValue = (value: unknown) => {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** The name of an agent, a channel, a pool, a run or a task. */
export const name = (help: Text, value = "NAME", flag?: string, formerFlag?: string) =>
  described(
    v.pipe(
      v.string("must be text"),
      v.check(
        (text) => nameProblem(text) === undefined,
        (issue) => nameProblem(issue.input)!,
      ),
    ),
    { type: "text", value, help, flag, formerFlag },
  );

/** A name, or `*` for all known agents. */
export const address = (help: Text, value: string) =>
  described(
    v.pipe(
      v.string("must be text"),
      v.check(
        (text) => text === "*" || nameProblem(text) === undefined,
        (issue) => nameProblem(issue.input)!,
      ),
    ),
    { type: "text", value, help },
  );

/** Text of at most `limit` bytes. Longer text is refused as too_large, never cut. */
export const text = (
  help: Text,
  options: {
    limit?: number;
    file?: boolean;
    value?: string;
    empty?: boolean;
    /** The error for a value that is not text, if "must be text" is not enough. */
    must?: string;
    flag?: string;
    formerFlag?: string;
  } = {},
) => {
  const limit = options.limit ?? contentLimit;
  return described(
    v.pipe(
      v.string(options.must ?? "must be text"),
      v.minLength(options.empty ? 0 : 1, "must not be empty"),
      v.maxBytes(limit, (issue) => `is ${issue.received} bytes, at most ${limit} are allowed`),
      v.check(wellFormed, malformed),
    ),
    {
      type: "text",
      value: options.value ?? "TEXT",
      help,
      file: options.file,
      flag: options.flag,
      formerFlag: options.formerFlag,
    },
  );
};

/** A path in the file system; the command line resolves it against its working directory. */
export const absolutePath = (help: Text) =>
  described(
    v.pipe(
      v.string("must be text"),
      v.maxLength(4096, "is too long for a path"),
      v.check((path) => path.startsWith("/") && wellFormed(path), "must be an absolute path"),
    ),
    { type: "text", value: "PATH", help, path: true },
  );

export const integer = (help: Text, range: { min: number; max: number; value?: string; flag?: string }) =>
  described(
    v.custom<number>(
      (input) =>
        Number.isSafeInteger(input) && (input as number) >= range.min && (input as number) <= range.max,
      (issue) => `must be a whole number from ${range.min} to ${range.max}, got ${quotedValue(issue.input)}`,
    ),
    {
      type: "integer",
      value: range.value ?? "N",
      help,
      minimum: range.min,
      maximum: range.max,
      flag: range.flag,
    },
  );

export const number = (
  help: Text,
  range: { min: number; max: number; unit?: string; flag?: string; formerFlag?: string; none?: boolean },
) =>
  described(
    v.custom<number>(
      (input) =>
        typeof input === "number" && Number.isFinite(input) && input >= range.min && input <= range.max,
      (issue) =>
        `must be a number${range.unit ? ` of ${range.unit}` : ""} from ${range.min} to ${range.max}, got ${quotedValue(issue.input)}`,
    ),
    {
      type: "number",
      value: range.none ? "N|none" : "N",
      help,
      minimum: range.min,
      maximum: range.max,
      flag: range.flag,
      formerFlag: range.formerFlag,
      none: range.none,
    },
  );

export const flag = (help: Text) =>
  v.optional(described(v.boolean("must be true or false"), { type: "flag", help }), false);

const notOneOf = (input: unknown, choices: readonly string[]) => {
  const guess = typeof input === "string" ? didYouMean(input, choices) : "";
  return `must be one of ${choices.join(", ")}; got ${quotedValue(input)}${guess ? `; ${guess}` : ""}`;
};

export const choice = <const T extends readonly string[]>(choices: T, help: Text, value?: string) =>
  described(
    v.picklist(choices, (issue) => notOneOf(issue.input, choices)),
    { type: "choice", value: value ?? choices.join("|"), choices, help },
  );

/** Several names; on the command line separated by `,`. */
export const names = (help: Text, value: string, least: 0 | 1 = 1) =>
  described(
    v.pipe(
      v.array(name(help, value), "must be a list"),
      v.minLength(least, "must contain at least one name"),
    ),
    { type: "list", value, help },
  );

/** Several of a closed set; on the command line separated by `,` or `|`. */
export const choices = <const T extends readonly string[]>(known: T, help: Text, value = "LIST") =>
  described(
    v.pipe(
      v.array(
        v.picklist(known, (issue) => notOneOf(issue.input, known)),
        "must be a list",
      ),
      v.minLength(1, `must contain at least one of ${known.join(", ")}`),
    ),
    { type: "list", value, choices: known, help },
  );

/** A JSON object of the user: stored and returned as it is, never interpreted. */
export const json = (help: Text, { flag, formerFlag }: { flag?: string; formerFlag?: string } = {}) =>
  described(
    v.pipe(
      v.custom<Record<string, unknown>>(
        (input) => isObject(input) && isJson(input),
        ({ input }) =>
          isObject(input)
            ? `must be plain JSON: valid Unicode text without U+0000, finite numbers, at most ${depthLimit} levels deep`
            : 'must be a JSON object, such as {"key": "value"}',
      ),
      v.check((object) => new TextEncoder().encode(JSON.stringify(object)).length <= contentLimit, tooLarge),
    ),
    { type: "json", value: "JSON", example: '{"question": "which?"}', help, flag, formerFlag },
  );

const isObject = (input: unknown) => typeof input === "object" && input !== null && !Array.isArray(input);

/** What JSON can represent without a change: no dates, no functions, no infinite numbers. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return value === null || typeof value === "boolean";
  if (depth > depthLimit) return false; // too deep, or circular
  if (Array.isArray(value)) return value.every((inner) => isJson(inner, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.entries(value).every(([key, inner]) => wellFormed(key) && isJson(inner, depth + 1));
}

export interface Field extends FieldInfo {
  key: string;
  required: boolean;
  fallback?: unknown;
}

type AnySchema = v.GenericSchema & {
  entries?: Record<string, AnySchema>;
  wrapped?: AnySchema;
  default?: unknown;
};

/** The fields of an input schema with their metadata, from which a surface derives its own form. */
export function fieldsOf(schema: v.GenericSchema): Field[] {
  const entries = (schema as AnySchema).entries ?? {};
  return Object.entries(entries).map(([key, entry]) => {
    const optional = entry.type === "optional";
    const inner = optional ? entry.wrapped! : entry;
    const info = infoOf(inner);
    if (!info) throw new Error(`field ${key} is not described; build it with src/contract/fields.ts`);
    return { key, required: !optional, fallback: optional ? entry.default : undefined, ...info };
  });
}
