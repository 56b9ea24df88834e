/** Markdown without its marks, for titles and rows, which have room for one line. */
import type { SearchHit } from "../../src/contract/search.ts";

const emphasis = /(\*\*|\*|`|~~)(\S(?:[\s\S]*?\S)?)\1|__(\S[^_]*\s[^_]*\S)__/g;
/** Marks whose other half is on another line, or was cut off. */
const halves = /(?<=^|\s)(\*\*|~~)(?=\S)|(?<=\S)(\*\*|~~)(?=[\s.,:;!?)]|$)/gm;

/** `__init__` stays: names of that shape are more frequent than emphasis of one word. */
export function plainText(markdown: string): string {
  let text = markdown
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^[ \t]*(#{1,6}|[-*+]|\d+\.|>)[ \t]+/gm, "");
  // Emphasis may be inside other emphasis.
  for (let depth = 0; depth < 3; depth++)
    text = text.replace(emphasis, (_, _mark, inner, underlined) => inner ?? underlined);
  return text.replace(halves, "").trim();
}

/** The first line that says something, or undefined where none does. Long texts are not read to their end. */
export function plainLine(markdown: string): string | undefined {
  const lines = plainText(markdown.slice(0, 600)).split("\n");
  return lines
    .find((line) => line.trim() !== "")
    ?.trim()
    .slice(0, 200);
}

/** A title that somebody else wrote; as it is, where nothing would be left of it. */
export const plainTitle = (title: string) => plainLine(title) ?? title;

type Snippet = SearchHit["snippet"];

/** A piece of text without its marks, and where the words that were looked for are now. */
export function plainSnippet({ text, matches }: Snippet): Snippet {
  const marks = [...text.matchAll(/\*\*|~~|`|^#{1,6}[ \t]+/gm)];
  const moved = (at: number) =>
    marks.reduce(
      (now, { index, 0: mark }) => now - Math.max(0, Math.min(at, index + mark.length) - index),
      at,
    );
  return {
    text: text.replaceAll(/\*\*|~~|`|^#{1,6}[ \t]+/gm, ""),
    matches: matches.map(([from, to]) => [moved(from), moved(to)]),
  };
}
