/** [C13] What to do next, in the words of the command that refused: only flags that it has, only arguments that it takes. */
import { hinted, type InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { shellWord } from "../../contract/shell-word.ts";
import type { Program } from "./commands.ts";
import { type Flag, flagsOf, isText } from "./flags.ts";
import { plainWords } from "./help.ts";

/** Where whoever refused had nothing better than the table of errors. */
export function withHint(error: InboxError, op: AnyOperation, program: Program): InboxError {
  const command = `${program} ${op.cli.command}`;
  if (error.code === "invalid_input")
    return hinted(error, `for example: ${op.examples[0]}; ${command} --help says more`);
  if (error.code === "too_large") return hinted(error, `shorten it, or ${elsewhere(op)}`);
  return error;
}

/** How text gets across that cannot be a part of the message. */
export const elsewhere = (op: AnyOperation) =>
  flagsOf(op).some(({ role }) => role === "artifact")
    ? "put it into a file and attach it with --artifact PATH"
    : "put it into a file and say where that is";

/** More plain arguments than there are: unquoted text is put together, anything else is shown how. */
export function surplus(
  op: AnyOperation,
  program: Program,
  plain: readonly string[],
  flags: readonly Flag[],
): string {
  const keys = op.cli.plain ?? [];
  const command = `${program} ${op.cli.command}`;
  const last = flags.find(({ field }) => field.key === keys.at(-1));
  if (!last || !isText(last) || plain.some((word) => /\s/.test(word)))
    return keys.length ? `usage: ${command} ${plainWords(op)}` : `${command} --help shows its flags`;
  const [before, text] = [plain.slice(0, keys.length - 1), plain.slice(keys.length - 1).join(" ")];
  return `quote text that has spaces: ${[command, ...before.map(shellWord), shellWord(text)].join(" ")}`;
}
