/** [X13] Text by an agent must not control a person's terminal, nor look like a line of ours. */
import { safe } from "../../contract/safe-text.ts";

export { quoted, safe, safeJson } from "../../contract/safe-text.ts";

/** Keeps the text as it is, except for line breaks. */
export const inLine = (text: string) => safe(text).replaceAll("\n", " ");

/** On one line, with each run of spaces as one space. */
export const oneLine = (text: string) => safe(text).replace(/\s+/g, " ");

/** One line of at most `most` characters. */
export const cut = (text: string, most: number) => {
  const line = oneLine(text);
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
};

/** Indents further lines by the length of the first line's label. */
export const setIn = (text: string, columns: number) =>
  safe(text)
    .trimEnd()
    .replaceAll("\n", `\n${" ".repeat(columns)}`);
