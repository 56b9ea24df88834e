/** [C15] An example of a command that would be accepted: what was typed, with wrong or missing parts replaced. */
import * as v from "valibot";
import { fromText } from "../../contract/coerce.ts";
import { isExcluded } from "../../contract/combinations.ts";
import type { InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { shellWord } from "../../contract/shell-word.ts";
import { closest } from "../../contract/suggest.ts";
import { examplesIn } from "./commands.ts";
import { acceptedFlagsOf, type Flag, flagsOf, isText } from "./flags.ts";
import type { Typed } from "./refusal-as-typed.ts";
import { type GivenFlag, scanArguments } from "./scan.ts";
import { wordsOf } from "./words.ts";

/** Longer values would hide what the example is about. */
const longest = 60;

/** `error`: without one, nothing of it is wrong but the places. */
export function exampleFor({ op, program, scanned }: Typed, error?: InboxError): string {
  const { agent } = scanned.globals;
  if (!scanned.plain.length && !scanned.given.length && (error || agent === undefined))
    return examplesIn(program, op)[0]!;
  const flags = flagsOf(op);
  const wrong = error ? wrongKeys(error, flags) : new Set<string>();
  const accepted = acceptedFlagsOf(op);
  const valueFlag = (key: string) => accepted.find(({ field, role }) => field.key === key && role !== "file");
  const isRight = (key: string, text: string | undefined) => {
    const flag = valueFlag(key);
    return !wrong.has(key) && flag !== undefined && (text === undefined || fits(op, flag, text));
  };
  const keys = op.cli.plain ?? [];
  const plain = inOne(scanned.plain, keys.length);
  const from = op.cli.lastFirst ? keys.length - plain.length : 0;
  const plainOf = (key: string) => plain[keys.indexOf(key) - from];
  const byFlag = new Map<string, GivenFlag>();
  if (agent !== undefined && !wrong.has("agent"))
    byFlag.set("agent", { flag: "--agent", value: isCaller(op, agent) ? agent : "NAME" });
  for (const given of scanned.given) {
    const flag = accepted.find(({ name }) => name === given.flag);
    if (flag && (flag.role === "file" ? !wrong.has(flag.field.key) : isRight(flag.field.key, given.value)))
      byFlag.set(flag.field.key, { flag: flag.shownAs ?? flag.name, value: given.value });
  }
  // If nothing of it can be kept: without the rest, what remains may do something else, or nothing.
  const isKept = (key: string) => plainOf(key) !== undefined && isRight(key, plainOf(key));
  const own = byFlag.size || keys.some(isKept) ? undefined : ownWith(scanned.given, examplesIn(program, op));
  if (own !== undefined) return own;
  const needed = (key: string) =>
    key !== op.cli.identity && (wrong.has(key) || valueFlag(key)?.field.required === true);
  const isOut = excludedBy(op, byFlag);
  const isPlain = (key: string) =>
    !byFlag.has(key) && !isOut(key) && (plainOf(key) !== undefined || needed(key));
  const inPlace = keys.filter((key, at) => isPlain(key) && keys.slice(0, at).every(isPlain));
  const words = inPlace.map((key) => {
    const text = plainOf(key);
    return text !== undefined && isRight(key, text) ? asArgument(text) : sample(op, valueFlag(key)!, text);
  });
  const typedFor = ({ name }: Flag) => scanned.given.find(({ flag }) => flag === name)?.value;
  const rest = flags
    .filter(({ field, role }) => role === "value" && needed(field.key))
    .filter(({ field: { key } }) => !inPlace.includes(key) && !byFlag.has(key) && !isOut(key))
    .map((flag) =>
      flag.value === undefined ? flag.name : `${flag.name} ${sample(op, flag, typedFor(flag))}`,
    );
  const given = [...byFlag.values()].map(({ flag, value }) =>
    value === undefined ? flag : `${flag}${value.startsWith("--") ? "=" : " "}${asArgument(value)}`,
  );
  // As with `done THREAD TEXT`: what is no thread, where another flag names the thread, is the text about it.
  const strayed = keys
    .filter((key) => isOut(key) && !isRight(key, plainOf(key)))
    .flatMap((key) => plainOf(key) ?? []);
  const asText = valueFlag("summary") && !byFlag.has("summary") ? strayed.slice(0, 1) : [];
  const texts = asText.map((text) => `--summary ${asArgument(text)}`);
  return [program, op.cli.command, ...inPlaces(words, [...given, ...texts, ...rest])].join(" ");
}

/** Plain words come first; a word that would be read as a flag, and those behind it, come last, after `--`. */
function inPlaces(words: readonly string[], flags: readonly string[] = []): string[] {
  const at = words.findIndex((word) => /^['"]?-./.test(word));
  return at < 0 ? [...words, ...flags] : [...words.slice(0, at), ...flags, "--", ...words.slice(at)];
}

/** Whether a field cannot be given together with these. */
function excludedBy(op: AnyOperation, byFlag: ReadonlyMap<string, unknown>): (key: string) => boolean {
  const input = Object.fromEntries([...byFlag.keys()].map((key) => [key, true]));
  return (key) => isExcluded(op.combinations ?? [], key, { input, defaults: {} });
}

/** The command's first example that has all of these flags. */
const ownWith = (given: readonly GivenFlag[], examples: readonly string[]) =>
  examples.find((example) => given.every(({ flag }) => example.includes(`${flag} `)));

/** Text at the end may be given without quotes. */
const inOne = (words: readonly string[], most: number) =>
  words.length > most ? [...words.slice(0, most - 1), words.slice(most - 1).join(" ")] : words;

/** The fields that the error names; an error of the command line itself begins with the flag. */
function wrongKeys({ said: { message } }: InboxError, flags: readonly Flag[]): Set<string> {
  if (typeof message === "string")
    return new Set(flags.flatMap(({ name, field }) => (message.startsWith(`${name} `) ? [field.key] : [])));
  return new Set(
    message.parts.flatMap((part) => (typeof part === "object" && part.is === "field" ? [part.name] : [])),
  );
}

function fits(op: AnyOperation, { field }: Flag, text: string): boolean {
  if (field.path || field.paths || field.type === "artifacts" || field.type === "lines") return true;
  try {
    return v.safeParse(op.input().entries[field.key], fromText(field, text)).success;
  } catch {
    return false;
  }
}

function isCaller(op: AnyOperation, agent: string): boolean {
  const { identity } = op.cli;
  return identity === undefined || v.safeParse(op.input().entries[identity], agent).success;
}

const asArgument = (text: string) => (text.length > longest || /[\r\n]/.test(text) ? '"…"' : shellWord(text));

/** A value that the field accepts: "…" for text, the choice that is like what was typed, one of the command's own examples, else a word in capitals to be replaced. */
function sample(op: AnyOperation, flag: Flag, typed = ""): string {
  const { field, value } = flag;
  if (isText(flag)) return '"…"';
  const [meant] = closest(typed, field.choices ?? []);
  if (meant !== undefined) return shellWord(meant);
  return (
    fromExamples(op, flag) ?? field.choices?.[0] ?? (field.example ? shellWord(field.example) : (value ?? ""))
  );
}

function fromExamples(op: AnyOperation, { name, field }: Flag): string | undefined {
  for (const example of op.examples) {
    const words = wordsOf(example).slice(1 + op.cli.command.split(" ").length);
    const { given, plain } = scanArguments(words, flagsOf(op), op.cli.command, { assigns: true });
    const found =
      given.find(({ flag }) => flag === name)?.value ?? plain[op.cli.plain?.indexOf(field.key) ?? -1];
    if (found !== undefined) return shellWord(found);
  }
  return field.type === "integer" || field.type === "number"
    ? String(Math.max(field.minimum ?? 1, 1))
    : undefined;
}
