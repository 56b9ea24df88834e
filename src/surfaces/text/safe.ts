/** [X13] What an agent wrote must not steer a person's terminal, nor pass for a line of ours. */
import { safe } from "../../contract/safe-text.ts";

export { quoted, safe, safeJson } from "../../contract/safe-text.ts";

/** Without line breaks, and else as it is. */
export const inLine = (text: string) => safe(text).replaceAll("\n", " ");

/** All in one line, as it is read: spaces count once. */
export const oneLine = (text: string) => safe(text).replace(/\s+/g, " ");

/** One line of at most `most` characters. */
export const cut = (text: string, most: number) => {
  const line = oneLine(text);
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
};

/** Lines after the first are set in as far as the first one's label is long. */
export const setIn = (text: string, columns: number) =>
  safe(text)
    .trimEnd()
    .replaceAll("\n", `\n${" ".repeat(columns)}`);
