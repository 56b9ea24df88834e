/** Splits a typed line into words as a shell does: quotes keep text together, `\` escapes the next character. */
import { InboxError } from "../../contract/errors.ts";

const isLetter = (one: string | undefined) => one !== undefined && /\p{L}/u.test(one);

/** An apostrophe between letters is part of the word. Text after a `#` at the beginning of a word is a comment. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const letter = line[i]!;
    if (quote !== undefined) {
      if (letter === quote) quote = undefined;
      else if (letter === "\\" && quote === '"' && /["\\]/.test(line[i + 1] ?? "")) word += line[++i]!;
      else word += letter;
    } else if (letter === "'" && isLetter(line[i - 1]) && isLetter(line[i + 1]))
      word = `${word ?? ""}${letter}`;
    else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= "";
    } else if (letter === "\\" && i + 1 < line.length) word = (word ?? "") + line[++i]!;
    else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (letter === "#" && word === undefined) break;
    else word = (word ?? "") + letter;
  }
  if (quote !== undefined)
    throw new InboxError("invalid_input", `the quote ${quote} is not closed`, {
      hint: "put text with spaces in quotes",
    });
  if (word !== undefined) words.push(word);
  return words;
}
