/**
 * [X13] What others wrote, as text that can be shown: it steers no terminal, hides nothing, and its lines are where
 * everybody sees them. Names and bodies in JSON stay as they are; this is for whatever is printed or quoted.
 */

/** Whatever some terminal, editor, shell or model takes for the end of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const breaks = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/g;

export const linesOf = (text: string): string[] => text.split(breaks);

/** The first line. A message asks for it with every send, and to split its text took three times as long. */
export function lineOf(text: string): string {
  const end = text.search(breaks);
  return end < 0 ? text : text.slice(0, end);
}

/** Each line after a mark, so that none can be taken for a line of ours. */
export const quoted = (text: string, mark: string): string =>
  linesOf(text)
    .map((line) => mark + line)
    .join("\n");

// biome-ignore lint/suspicious/noControlCharactersInRegex: plain text is that, and nothing else
const plain = /^[\u0009\u000a\u0020-\u007e]*$/;
/** Controls, marks of direction, and what takes no room. Joiners and "as a picture" have a use, see below; Arabic number signs are seen. */
const unseen =
  /(?!\t|\n|\u200c|\u200d|\ufe0f|[\u0600-\u0605]|\u06dd|\u070f|\u08e2)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Joiners inside an emoji, or after a letter of a script that is written with them; and "as a picture" after a symbol. */
const joined =
  /(?<=\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\ufe0f|(?<=(?![\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}])[\p{L}\p{M}])[\u200c\u200d]/gu;
const joiner = /\u200c|\u200d|\ufe0f/g;

/** Replaces every invisible character, and every one that controls something. */
function withoutUnseen(text: string, instead: (letter: string) => string): string {
  const kept = text.search(joiner) < 0 ? [] : [...text.matchAll(joined)].map((match) => match.index);
  const shown = new Set(kept);
  const joiners = text.replace(joiner, (letter, at: number) => (shown.has(at) ? letter : instead(letter)));
  return joiners.replace(unseen, instead);
}

/** Lines end with "\n" alone, and U+FFFD replaces invisible characters. */
export function safe(text: string): string {
  if (plain.test(text)) return text;
  return withoutUnseen(text.replace(breaks, "\n"), () => "\ufffd");
}

const escaped = (letter: string) =>
  letter
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** JSON that is safe to print: the same data, with invisible characters escaped. */
export function safeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return plain.test(text) ? text : withoutUnseen(text, escaped);
}
