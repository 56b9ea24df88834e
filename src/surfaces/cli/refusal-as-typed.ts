/**
 * [C13] [C14] The text of an error as the command's user knows it: only flags that the command has, only arguments
 * that it takes.
 */
import { hinted, InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { type Spelling, spelledWhole } from "../../contract/phrase.ts";
import { inShell } from "../spelling/shell.ts";
import type { Program } from "./commands.ts";
import { exampleFor } from "./example.ts";
import { type Flag, flagsOf, isText, plainWord } from "./flags.ts";
import { usageWords } from "./help.ts";
import { flagsBeforeDashes, type Scanned } from "./scan.ts";
import { flagInTyping } from "./typing.ts";

/** A command as it was typed. */
export interface Typed {
  op: AnyOperation;
  program: Program;
  scanned: Scanned;
}

/** With all references spelled, and a hint if the error has only the one from the table of errors. */
export function asTyped(error: InboxError, typed: Typed): InboxError {
  const { code, said, details, cause } = withHint(error, typed);
  const message = spelledWhole(said.message, inMessages(typed));
  const { hint } = new InboxError(code, message, { hint: said.hint }).shape(inHints(typed));
  return new InboxError(code, message, { hint, details, cause });
}

/** A plain argument has the name from the usage line, unless it was given by its flag. */
function inMessages({ op, scanned }: Typed): Spelling {
  const { agent } = scanned.globals;
  const spelling = inShell(op, { agent });
  return (reference) => {
    const name = spelling(reference);
    if (reference.is !== "field" || reference.value !== undefined || reference.of !== undefined) return name;
    const byFlag = scanned.given.some(({ flag }) => flag === name);
    return op.cli.plain?.includes(reference.name) && !byFlag ? plainWord(op, reference.name) : name;
  };
}

/** What is to be left out is named as it was given; what is to be added, by its flag. */
function inHints(typed: Typed): Spelling {
  const { op, scanned } = typed;
  const [asFlags, asGiven] = [inShell(op, scanned.globals), inMessages(typed)];
  const keys = op.cli.plain ?? [];
  const from = op.cli.lastFirst ? keys.length - scanned.plain.length : 0;
  return (reference) => {
    const isPlain =
      reference.is === "field" && scanned.plain[keys.indexOf(reference.name) - from] !== undefined;
    if (isPlain) return asGiven(reference);
    const words = asFlags(reference);
    const isServed = op.name === "bus.serve" && reference.is === "field" && reference.value !== undefined;
    return isServed && words !== undefined ? flagInTyping(words) : words;
  };
}

function withHint(error: InboxError, typed: Typed): InboxError {
  const { op, program } = typed;
  if (error.code === "invalid_input")
    return hinted(
      error,
      `for example: ${exampleFor(typed, error)}; ${program} ${op.cli.command} --help shows more`,
    );
  if (error.code === "too_large") {
    const isSummary =
      /summary/i.test(error.message) && flagsOf(op).some(({ name }) => name === "--body-file");
    const better = isSummary ? "give it as --body-file PATH (- is standard input)" : elsewhere(op);
    return hinted(error, `shorten it, or ${better}`);
  }
  return error;
}

/** How to pass text that cannot be part of the message. */
export const elsewhere = (op: AnyOperation) =>
  flagsOf(op).some(({ role }) => role === "artifact")
    ? "put it into a file and attach it with --artifact PATH"
    : "put it into a file and send its path";

/** Too many plain arguments: unquoted text is joined in an example, anything else gets the usage line. */
export function surplus(typed: Typed, flags: readonly Flag[]): string {
  const { op, program, scanned } = typed;
  const { plain } = scanned;
  const keys = op.cli.plain ?? [];
  const command = `${program} ${op.cli.command}`;
  const moved = flagsBeforeDashes(scanned, flags);
  if (moved) {
    return `flags come before --, text after it: ${exampleFor({ ...typed, scanned: moved })}`;
  }
  const last = flags.find(({ field }) => field.key === keys.at(-1));
  if (!last || !isText(last) || plain.some((word) => /\s/.test(word)))
    return keys.length ? `usage: ${command} ${usageWords(op)}` : `${command} --help shows its flags`;
  return `quote text that has spaces: ${exampleFor(typed)}`;
}
