/**
 * [C14] Operations and fields as they are typed in a shell. What another surface cannot express is also written this
 * way, except for models.
 */
import { type Field, fieldsOf } from "../../contract/fields.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import {
  isBlank,
  isExample,
  type Options,
  type Reference,
  type Spelling,
  type Value,
} from "../../contract/phrase.ts";
import { withoutPassword } from "../../contract/secret.ts";
import { shellWord } from "../../contract/shell-word.ts";
import { namedIn } from "./named.ts";

const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The flag of an input field. User data is JSON text here, so the name says so. */
export const flagName = (field: Pick<Field, "key" | "type" | "flag">) =>
  `--${field.flag ?? `${kebab(field.key)}${field.type === "json" ? "-json" : ""}`}`;

/** [C9] The caller is --agent with every command, whatever its field is called. */
const flagOf = (op: AnyOperation | undefined, key: string) => {
  if (op && key === op.cli.identity) return "--agent";
  const field = op && fieldsOf(op.input()).find((one) => one.key === key);
  return flagName(field ?? { key, type: "text" });
};

const word = (value: Value) => {
  if (!isBlank(value)) return shellWord(String(value));
  return isExample(value) ? `"${value.blank}"` : value.blank;
};

const given = (flag: string, value: Value | undefined) =>
  value === undefined || value === true ? flag : `${flag} ${word(value)}`;

const optionWords = (options: Options) =>
  Object.entries(options).flatMap(([name, value]) =>
    value === false ? [] : [given(`--${kebab(name)}`, value)],
  );

/** The command that calls an operation, with its plain arguments. */
export function commandOf(
  op: AnyOperation,
  input: Readonly<Record<string, Value>> = {},
  options: Options = {},
) {
  const plain = (op.cli.plain ?? []).filter((key) => key in input);
  // If an earlier plain argument is left out, the later one is written as a flag.
  const inPlace = plain.filter((key, at) => op.cli.lastFirst || op.cli.plain![at] === key);
  const flags = Object.entries(input).filter(([key, value]) => !inPlace.includes(key) && value !== false);
  return [
    op.cli.program === "orch" ? "orch" : "inbox",
    op.cli.command,
    ...inPlace.map((key) => word(input[key]!)),
    ...flags.map(([key, value]) => given(flagOf(op, key), value)),
    ...optionWords(options),
  ].join(" ");
}

const withHubs = new Set(["bus.mcp", "bus.setup", "bus.top"]);

/** Most operations on the database itself refuse the address of a hub: they are run where the database is. */
const takes = ({ kind, name }: AnyOperation, db: string) =>
  kind !== "local" || withHubs.has(name) || !/^https?:/i.test(db);

/** What the caller has typed, and the calls that it makes next need as well. */
export interface TypedOptions {
  agent?: string;
  db?: string;
}

/** `op` is the operation that was called: fields are its own unless a reference says otherwise. */
export const inShell =
  (op?: AnyOperation, { agent, db }: TypedOptions = {}): Spelling =>
  (reference: Reference) => {
    switch (reference.is) {
      case "field":
        return given(flagOf(namedIn(reference.of, op), reference.name), reference.value);
      case "file":
        return `${flagOf(namedIn(reference.of, op), reference.name)}-file PATH`;
      case "call": {
        const called = namedIn(reference.operation)!;
        const { identity } = called.cli;
        const by = reference.own && agent !== undefined && identity !== undefined && { [identity]: agent };
        // On the same bus, unless the reference names another. A password is not repeated.
        const place = db !== undefined && takes(called, db) && { db: withoutPassword(db) };
        return commandOf(called, { ...reference.input, ...by }, { ...place, ...reference.options });
      }
      case "help": {
        const about = namedIn(reference.operation, op);
        return `${about ? commandOf(about) : "inbox"} --help`;
      }
      case "option":
        return given(`--${kebab(reference.name)}`, reference.value);
      case "variable":
        return reference.name;
    }
  };
