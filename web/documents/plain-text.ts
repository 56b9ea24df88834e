/**
 * [U7.9] Titles and rows have room for one line: what formats a text is left out there, and nothing else. `Vec<String>`, `2*3*4`
 * and `__init__` stay as they were written.
 */
import type { SearchHit } from "../../src/contract/search.ts";
import { isEmphasis } from "./emphasis.ts";

/** From and to, of what is left out. */
type Range = readonly [from: number, to: number];

const code =
  /^[ \t]*(`{3,})[\w+#.-]*[ \t]*\n([\s\S]*?)(?:^[ \t]*\1`*[ \t]*$|$(?![\s\S]))|(?<!`)(`+)(?!`)([^`]|(?!\3(?!`))`)+?(?<!`)\3(?!`)/gm;
const emphasis = /(\*{1,3}|~~|__)(?=[^\s*~])((?:(?!\n\n)[\s\S])*?[^\s*~])\1(?![*~])/g;
const link = /(?<![!\]\w])\[([^[\]\n]+)\]\((?:https?:|mailto:)[^\s()]*(?: "[^"\n]*")?\)/g;
const blockMark = /^[ \t]*(?:(?:#{1,6}|[-*]|>)[ \t]+)/gm;

/** The marks of code; what is inside of it is replaced by letters, so that nothing in it is taken for a mark. */
function codeIn(text: string, marks: Range[]): string {
  return text.replace(code, (all, ...found) => {
    const [fence, block, ticks] = found as [string | undefined, string, string];
    const at: number = found.at(-2);
    if (fence === undefined)
      marks.push([at, at + ticks.length], [at + all.length - ticks.length, at + all.length]);
    else {
      const first = all.indexOf("\n") + 1;
      marks.push([at, at + first], [at + first + block.length, at + all.length]);
    }
    return "x".repeat(all.length);
  });
}

/** Emphasis may be inside other emphasis. */
function emphasisIn(text: string, from: number, to: number, marks: Range[]): void {
  emphasis.lastIndex = from;
  const found: Range[] = [];
  for (let match = emphasis.exec(text); match && match.index < to; match = emphasis.exec(text)) {
    const [all, mark] = match as unknown as [string, string];
    const [start, end] = [match.index, match.index + all.length];
    if (end <= to && isEmphasis(text, start, end)) {
      marks.push([start, start + mark.length], [end - mark.length, end]);
      found.push([start + mark.length, end - mark.length]);
    } else emphasis.lastIndex = start + mark.length;
  }
  for (const inside of found) emphasisIn(text, ...inside, marks);
}

/** `blocks`: also what makes a line a heading, a quotation or an item. */
function marksIn(text: string, blocks: boolean): Range[] {
  const marks: Range[] = [];
  const masked = codeIn(text, marks);
  if (blocks)
    for (const { index, 0: mark } of masked.matchAll(blockMark)) marks.push([index, index + mark.length]);
  for (const { index, 0: all, 1: words } of masked.matchAll(link))
    marks.push([index, index + 1], [index + 1 + words!.length, index + all.length]);
  emphasisIn(masked, 0, masked.length, marks);
  return marks.sort(([a], [b]) => a - b);
}

function without(text: string, marks: readonly Range[]): string {
  let kept = "";
  let at = 0;
  for (const [from, to] of marks) {
    kept += text.slice(at, Math.max(at, from));
    at = Math.max(at, to);
  }
  return kept + text.slice(at);
}

const longest = 200;
const shortened = (line: string) =>
  line.length <= longest ? line : `${line.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}…`;

/** The first line that says something, or undefined where none does. Long texts are not read to their end. */
export function plainLine(markdown: string): string | undefined {
  const begin = markdown.slice(0, 600);
  const line = without(begin, marksIn(begin, true))
    .split("\n")
    .find((one) => one.trim() !== "");
  return line && shortened(line.trim());
}

/** No title is this long: what follows would take long to look through, and is shown as it is. */
const titleLimit = 1000;

/** A title that somebody else wrote, in one line; as it is, where nothing would be left of it. */
export const plainTitle = (title: string) =>
  (title.length > titleLimit ? "" : without(title, marksIn(title, false)).trim()) || title;

type Snippet = SearchHit["snippet"];

/** A piece of text without its marks, and where the words that were looked for are now. */
export function plainSnippet({ text, matches }: Snippet): Snippet {
  const marks = marksIn(text, true);
  const moved = (at: number) =>
    without(
      text.slice(0, at),
      marks.filter(([from]) => from < at).map(([from, to]) => [from, Math.min(to, at)]),
    ).length;
  return {
    text: without(text, marks),
    matches: matches.map(([from, to]) => [moved(from), moved(to)]),
  };
}
