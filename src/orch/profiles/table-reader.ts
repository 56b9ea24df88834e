/** A table of agents.toml, read key by key. An error names file, table and key, and what was probably meant. */
import { InboxError } from "../../contract/errors.ts";
import { call, phrase } from "../../contract/phrase.ts";
import { didYouMean } from "../../contract/suggest.ts";

export type Table = Record<string, unknown>;

export const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface Reader {
  has(key: string): boolean;
  holdsTable(key: string): boolean;
  text(key: string): string | undefined;
  choice<C extends string>(key: string, choices: readonly C[]): C | undefined;
  /** The words of a command, or flags. */
  words(key: string): string[] | undefined;
  /** A number of at least `least`. */
  number(key: string, least: number, whole: boolean): number | undefined;
  flag(key: string): boolean | undefined;
  texts(key: string): Record<string, string> | undefined;
  table(key: string): Reader | undefined;
  tables(key: string): [name: string, table: Reader][];
  /** Refuses keys that were not read; `why` says where a known key has no effect. */
  takes(keys: readonly string[], why?: (key: string) => string | undefined): void;
  wrong(key: string | null, problem: string, hint?: string): InboxError;
}

/** The documentation comes with the program: a hub serves it ([C16]). */
export const profilesManual = phrase`${call("bus.up")} starts a hub, and its page /docs/orch-profiles has a worked example`;

export function reader(file: string, path: readonly string[], table: Table): Reader {
  const name = path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join(".");

  function wrong(key: string | null, problem: string, hint?: string): InboxError {
    const place = [...(name ? [`[${name}]`] : []), ...(key === null ? [] : [key])].join(" ");
    return new InboxError("invalid_input", `${file}: ${place} ${problem}`, {
      hint: hint ?? profilesManual,
      details: { file, table: name, ...(key !== null && { key }) },
    });
  }

  function get<T>(
    key: string,
    fits: (value: unknown) => value is T,
    must: string,
    hint?: string,
  ): T | undefined {
    const value = Object.hasOwn(table, key) ? table[key] : undefined;
    if (value === undefined) return undefined;
    if (!fits(value)) throw wrong(key, `${must}, got ${quotedValue(value)}`, hint);
    return value;
  }

  const inner = (key: string, value: Table) => reader(file, [...path, key], value);

  return {
    has: (key) => Object.hasOwn(table, key),
    holdsTable: (key) => Object.hasOwn(table, key) && isTable(table[key]),
    text: (key) => get(key, isText, "must be text that is not empty"),
    choice: <C extends string>(key: string, choices: readonly C[]) => {
      const value = get(key, isText, `must be one of ${choices.join(", ")}`);
      if (value !== undefined && !choices.includes(value as C))
        throw wrong(
          key,
          `must be one of ${choices.join(", ")}, got ${quotedValue(value)}`,
          didYouMean(value, choices) || undefined,
        );
      return value as C | undefined;
    },
    words: (key) => {
      const value = get(key, isWords, "must be an array of words", `for example ${key} = ["prog", "--flag"]`);
      if (value?.some((word) => word.includes("\u0000"))) throw wrong(key, "must not contain U+0000");
      return value;
    },
    number: (key, least, whole) =>
      get(
        key,
        (value): value is number =>
          typeof value === "number" && value >= least && value <= 1e9 && (!whole || Number.isInteger(value)),
        `must be a ${whole ? "whole " : ""}number from ${least} up`,
      ),
    flag: (key) => get(key, (value): value is boolean => typeof value === "boolean", "must be true or false"),
    texts: (key) => get(key, isTexts, "must be a table of texts", `for example ${key} = { NAME = "value" }`),
    table: (key) => {
      const value = get(key, isTable, "must be a table");
      return value && inner(key, value);
    },
    tables: (key) => {
      const all = get(key, isTable, "must be a table of tables", `for example [${key}.fast]`) ?? {};
      const each = inner(key, all);
      return Object.entries(all).map(([of, value]) => {
        if (!isTable(value))
          throw each.wrong(of, `must be a table, got ${quotedValue(value)}`, `for example [${key}.${of}]`);
        return [of, reader(file, [...path, key, of], value)];
      });
    },
    takes: (keys, why) => {
      for (const key of Object.keys(table)) {
        if (keys.includes(key)) continue;
        throw wrong(
          key,
          why?.(key) ?? "is not a key of this table",
          didYouMean(key, keys) || `the keys are ${keys.join(", ")}`,
        );
      }
    },
    wrong,
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((word) => typeof word === "string") &&
  value[0] !== "";
const isTexts = (value: unknown): value is Record<string, string> =>
  isTable(value) && Object.values(value).every((text) => typeof text === "string");

function quotedValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
