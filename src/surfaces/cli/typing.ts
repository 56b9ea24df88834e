/** How operations are written for the reader: in a shell, or in the shell of slash commands ([Q13]). */
import type { AnyOperation } from "../../contract/operation.ts";
import type { Spelling } from "../../contract/phrase.ts";
import { inShell } from "../spelling/shell.ts";

const slashes = () => require("./slash.ts") as typeof import("./slash.ts");

/** Our text, with the commands in it as they are typed here. */
export const inTyping = (text: string) => (process.env.INBOX_SHELL ? slashes().inSlashes(text) : text);

/** `agent`: the caller's name, if it was typed. */
export const typing = (op?: AnyOperation, agent?: string): Spelling => {
  const spelling = inShell(op, agent);
  return (reference) => {
    const words = spelling(reference);
    return words && inTyping(words);
  };
};
