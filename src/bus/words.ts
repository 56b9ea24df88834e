/** Splits text into words to search by, in the same way on every engine: letters and numbers, without case and accents. */

/** Scripts that are written without spaces: there each character is a word. */
const sign = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const word = new RegExp(`[${sign}]|(?:(?![${sign}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const wordLength = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: plain text is that, and nothing else
const plain = /^[\u0000-\u007f]*$/;

const folded = (text: string) =>
  plain.test(text)
    ? text.toLowerCase().slice(0, wordLength)
    : text
        .normalize("NFKD")
        .replace(/[^\p{L}\p{N}]+/gu, "")
        .toLowerCase()
        .slice(0, wordLength)
        .toWellFormed();

interface Found {
  word: string;
  start: number;
  end: number;
}

/** One after another, so that a caller that needs only the first does not pay for the rest. */
const foundIn = (text: string): IteratorObject<Found> =>
  text
    .matchAll(word)
    .map((match) => ({ word: folded(match[0]), start: match.index, end: match.index + match[0].length }))
    .filter((found) => found.word !== "");

/** All words in order. Plain text, which is the usual case, takes a shorter path. */
export function wordsIn(text: string): string[] {
  if (!plain.test(text)) return Array.from(foundIn(text), (found) => found.word);
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((found) => found.slice(0, wordLength));
}

const askedLimit = 16;

/** The words that a person typed; any input is valid. */
export const askedIn = (text: string): string[] => [...new Set(wordsIn(text))].slice(0, askedLimit);

export interface Snippet {
  text: string;
  /** The positions of the words in it: from, to. */
  matches: [number, number][];
}

const snippetLength = 200;
const before = 60;

/** A part of the text with the first of the words in it, as one line. */
export function snippetOf(whole: string, asked: readonly string[]): Snippet {
  const text = whole.replace(/\s+/g, " ").trim();
  const hit = (found: Found) => asked.some((one) => found.word.startsWith(one));
  const first = foundIn(text).find(hit)?.start ?? 0;
  const from = first <= before ? 0 : wordEdge(text, first - before);
  const to = Math.min(text.length, from + snippetLength);
  const cut = `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`.toWellFormed();
  const matches = [...foundIn(cut)].filter(hit).map(({ start, end }): [number, number] => [start, end]);
  return { text: cut, matches };
}

const wordEdge = (text: string, at: number) => {
  const space = text.indexOf(" ", at);
  return space < 0 || space > at + 30 ? at : space + 1;
};
