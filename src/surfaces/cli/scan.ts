/** Sorts the arguments as typed into global flags, flags and plain words. Does not know what operations mean. */
import { InboxError } from "../../contract/errors.ts";
import { withoutPassword } from "../../contract/secret.ts";
import { shellWord } from "../../contract/shell-word.ts";
import { closestField, meant, wordsOf } from "../../contract/suggest.ts";
import type { Program } from "./commands.ts";
import { type Flag, globalFlags } from "./flags.ts";

export interface Globals {
  db?: string;
  agent?: string;
  token?: string;
  delivery?: string;
  trust?: string;
  json: boolean;
  help: boolean;
  version: boolean;
}

export interface GivenFlag {
  flag: string;
  value?: string;
}

export interface Scanned {
  globals: Globals;
  given: GivenFlag[];
  /** Flags that were typed without the value they need. */
  valueless: string[];
  /** The first of them that is followed by a flag, and how that flag is given as its value. */
  asValue?: string;
  /** [C15.7] `--help` or `--version` after a plain word, as it was typed: it may be meant as text. */
  maybeText?: { token: string; after: number };
  plain: string[];
  /** How many plain words came before `--`; undefined without one. */
  beforeDashes?: number;
  warnings: string[];
}

const invalid = (message: string, hint?: string) => new InboxError("invalid_input", message, { hint });

/** The first three plain words, after global flags, and their positions: some or all of them name the command. */
export function leadingWords(argv: readonly string[]): { words: string[]; at: number } {
  let at = 0;
  while (argv[at]?.startsWith("-")) {
    const global = globalFlags.find(({ name, short }) => argv[at] === name || argv[at] === short);
    at += global?.value === undefined ? 1 : 2;
  }
  const words = argv.slice(at, at + 3);
  const end = words.findIndex((word) => word.startsWith("-"));
  return { words: end < 0 ? words : words.slice(0, end), at };
}

/**
 * Sorts a command's arguments by its flags; if `assigns` is set, `from=a` means `--from a`. An unknown flag is
 * reported with the closest known one. If `collects` is set, flags without their value are collected, to be reported
 * together with what else is missing.
 */
export function scanArguments(
  argv: readonly string[],
  flags: readonly Flag[],
  command: string,
  { assigns = false, program = "inbox" as Program, collects = false } = {},
): Scanned {
  const scanned: Scanned = {
    globals: { json: false, help: false, version: false },
    given: [],
    valueless: [],
    plain: [],
    warnings: [],
  };
  const takesValue = new Map<string, boolean>();
  for (const flag of globalFlags) takesValue.set(flag.name, flag.value !== undefined);
  for (const flag of flags) takesValue.set(flag.name, flag.value !== undefined);
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i]!;
    if (token === "--") {
      scanned.beforeDashes = scanned.plain.length;
      scanned.plain.push(...argv.slice(i + 1));
      break;
    }
    if (!token.startsWith("-") || token === "-") {
      const [key, value] = assigns ? token.split(/=(.*)/s, 2) : [];
      if (value !== undefined && takesValue.get(`--${key}`)) take(scanned, `--${key}`, value);
      else {
        if (value !== undefined && program === "orch") {
          const where = `${program} ${command}`;
          if (!scanned.plain.length) refuseTypo(key!, token, [...takesValue.keys()], where);
          if (/^[a-z][a-z_-]*$/.test(key!) && !/\s/.test(token))
            scanned.warnings.push(`${where} has no option ${key}: ${token} is a part of the prompt`);
        }
        scanned.plain.push(token);
      }
      continue;
    }
    const equals = token.startsWith("--") ? token.indexOf("=") : -1;
    const typed = equals < 0 ? token : token.slice(0, equals);
    const name = globalFlags.find(({ short }) => short === typed)?.name ?? typed;
    const wanted = takesValue.get(name);
    if (wanted === undefined)
      throw unknownFlag(name, [...globalFlags, ...flags], `${program} ${command}`.trim());
    if (!wanted) {
      if (equals >= 0) throw invalid(`${name} takes no value`, `give it alone: ${name}`);
      if ((name === "--help" || name === "--version") && scanned.plain.length)
        scanned.maybeText ??= { token, after: scanned.plain.length };
      take(scanned, name);
      continue;
    }
    const next = argv[i + 1];
    const missing = equals < 0 && (next === undefined || takesValue.has(next.split("=", 1)[0]!));
    if (missing) {
      const asValue = next === undefined ? undefined : `${name}=${shellWord(next)}`;
      if (!collects)
        throw invalid(`${name} needs a value`, alsoAsValue(asValue, `${program} --help lists the flags`));
      scanned.asValue ??= asValue;
      scanned.valueless.push(name);
      continue;
    }
    take(scanned, name, equals < 0 ? next! : token.slice(equals + 1));
    if (equals < 0) i++;
  }
  return scanned;
}

/** [C15] A flag behind a flag may be meant as its value. */
export const alsoAsValue = (asValue: string | undefined, hint: string) =>
  asValue === undefined ? hint : `if the next word is its value, write ${asValue}; ${hint}`;

/** [C15.7] The call was not made: what may have been meant as text was read as a flag. */
export function readAsFlag(
  { maybeText, plain, given, globals: { agent, db } }: Scanned,
  words: string,
  places: number,
): InboxError | undefined {
  if (!maybeText || maybeText.after >= places) return undefined;
  const { token, after } = maybeText;
  const flags = [
    ...given.flatMap(({ flag, value }) =>
      value === undefined ? [flag] : value.startsWith("--") ? [`${flag}=${value}`] : [flag, value],
    ),
    ...(agent === undefined ? [] : ["--agent", agent]),
    ...(db === undefined ? [] : ["--db", withoutPassword(db)]),
  ];
  const call = [...plain.slice(0, after), ...flags, "--", token, ...plain.slice(after)].map(shellWord);
  return invalid(
    `nothing was done, because ${token} was read as a flag`,
    `if it is text, put -- before it: ${words} ${call.join(" ")}`,
  );
}

/** [C13.1] The same arguments with the flags that were typed after `--` before it; undefined if there are none. */
export function flagsBeforeDashes(scanned: Scanned, flags: readonly Flag[]): Scanned | undefined {
  const { plain, beforeDashes, given, globals } = scanned;
  if (beforeDashes === undefined) return undefined;
  const [moved, texts]: [string[], string[]] = [[], []];
  const words = plain.slice(beforeDashes);
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const flag = [...globalFlags, ...flags].find(({ name }) => name === word.split("=", 1)[0]);
    const hasValue = flag?.value !== undefined && !word.includes("=");
    if (!flag || (hasValue && words[i + 1] === undefined)) texts.push(word);
    else moved.push(...words.slice(i, hasValue ? ++i + 1 : i + 1));
  }
  if (!moved.length) return undefined;
  const found = scanArguments(moved, flags, "", { collects: true });
  return {
    ...scanned,
    given: [...given, ...found.given],
    globals: { ...globals, agent: found.globals.agent ?? globals.agent, db: found.globals.db ?? globals.db },
    plain: [...plain.slice(0, beforeDashes), ...texts],
  };
}

/** If the rest is a prompt, a mistyped option would silently become part of it. */
function refuseTypo(key: string, token: string, known: readonly string[], where: string): void {
  if (/\s/.test(token)) return;
  const [close] = closestField(
    key,
    known.map((name) => name.slice(2)),
    1,
  );
  if (close)
    throw invalid(
      `${where} has no option ${key}=; did you mean ${close}=?`,
      "put -- before a prompt that looks like an option",
    );
}

function take({ globals, given }: Scanned, flag: string, value?: string): void {
  if (flag === "--db") globals.db = value;
  else if (flag === "--agent") globals.agent = value;
  else if (flag === "--token") globals.token = value;
  else if (flag === "--delivery") globals.delivery = value;
  else if (flag === "--trust") globals.trust = value;
  else if (flag === "--json") globals.json = true;
  else if (flag === "--help") globals.help = true;
  else if (flag === "--version") globals.version = true;
  else given.push({ flag, value });
}

/** Former names of flags are compared too, and the flag that help shows is suggested. */
function unknownFlag(
  name: string,
  flags: readonly (Pick<Flag, "name" | "shownAs"> & Partial<Pick<Flag, "field" | "role">>)[],
  where: string,
): InboxError {
  const shown = new Map(flags.map((flag) => [flag.name, flag.shownAs ?? flag.name]));
  // [C15.8] What the field is called elsewhere.
  for (const { field, role, name: flag, shownAs = flag } of flags)
    if (field && role === "value" && wordsOf(field.key) === wordsOf(name)) shown.set(name, shownAs);
  const guess = shown.has(name)
    ? meant([shown.get(name)!])
    : meant(closestField(name, shown.keys()).map((close) => shown.get(close)!));
  return invalid(
    `${where} has no flag ${name}${guess ? `; ${guess}` : ""}`,
    `${where} --help lists its flags; put -- before a text that begins with -`,
  );
}
