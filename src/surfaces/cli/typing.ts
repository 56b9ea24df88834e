/**
 * How operations are written for the reader: in a shell, in the shell of slash commands ([Q13]), or where the hub was started
 * by `npm start` ([C13.6]).
 */
import type { AnyOperation } from "../../contract/operation.ts";
import type { Spelling } from "../../contract/phrase.ts";
import { inShell, type TypedOptions } from "../spelling/shell.ts";

const slashes = () => require("./slash.ts") as typeof import("./slash.ts");
const ownWords = () => require("./commands.ts") as typeof import("./commands.ts");

/** `npm start`, where scripts/start.mjs has started this program: it passes on what comes after `--`. */
const script = () => process.env.RESTANTE_STARTED_BY;

/** Our text, with the commands in it as they are typed here. */
export function inTyping(text: string): string {
  if (process.env.INBOX_SHELL) return slashes().inSlashes(text);
  const starts = script();
  return starts === undefined ? text : inClone(text, starts);
}

/** The programs of a clone are not on the path. */
function inClone(text: string, starts: string): string {
  const served = text.replace(/\binbox serve(?= -)/g, `${starts} --`).replace(/\binbox serve\b/g, starts);
  return served.replace(/(?<![\w/-])(inbox|orch) ([a-z]+(?: [a-z]+)?)/g, (typed, program, words) =>
    ownWords().findCommand(words.split(" "), program) ? `dist/${typed}` : typed,
  );
}

/** A flag that a hint offers for the command that was typed. */
export const flagInTyping = (flag: string) => {
  const starts = script();
  return starts === undefined ? flag : `${starts} -- ${flag}`;
};

export const typing = (op?: AnyOperation, typed?: TypedOptions): Spelling => {
  const spelling = inShell(op, typed);
  return (reference) => {
    const words = spelling(reference);
    return words && inTyping(words);
  };
};
