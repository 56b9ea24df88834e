/** How operations are written for the reader: in a shell, or in the shell of slash commands ([Q13]). */
import type { AnyOperation } from "../../contract/operation.ts";
import type { Spelling } from "../../contract/phrase.ts";
import { inShell, type TypedOptions } from "../spelling/shell.ts";

const slashes = () => require("./slash.ts") as typeof import("./slash.ts");

/** Our text, with the commands in it as they are typed here. */
export const inTyping = (text: string) => (process.env.INBOX_SHELL ? slashes().inSlashes(text) : text);

export const typing = (op?: AnyOperation, typed?: TypedOptions): Spelling => {
  const spelling = inShell(op, typed);
  return (reference) => {
    const words = spelling(reference);
    return words && inTyping(words);
  };
};
