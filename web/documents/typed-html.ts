/**
 * [U7.9] HTML inside Markdown documents is sanitised to a closed list. A tag that the sanitiser would remove is turned into text
 * before, so that it is shown as it was typed: `Vec<String>`, `<stdin>`, `<input>`, or a `<b>` that nothing closes.
 */
import { defaultSchema } from "rehype-sanitize";
import type { Piece } from "./pieces.ts";

/** Variants of the one image inside it: they say nothing themselves. */
const silent = new Set(["picture", "source"]);
const empty = new Set(["br", "hr", "img", "input"]);
/** HTML itself closes these. */
const closedByItself = new Set([
  "p",
  "li",
  "dt",
  "dd",
  "tr",
  "td",
  "th",
  "tbody",
  "thead",
  "tfoot",
  "rp",
  "rt",
]);
const known = new Set(defaultSchema.tagNames);
const ancestors: Record<string, readonly string[]> = {
  ...defaultSchema.ancestors,
  li: ["ul", "ol"],
} as Record<string, string[]>;

interface Tag {
  /** Which of the tree's pieces of HTML it is in, and where. */
  piece: number;
  from: number;
  text: string;
  name: string;
  closing: boolean;
  typed: boolean;
  /** The tag that it is in. */
  inside: Tag | undefined;
}

/** Comments, then tags with their attributes, then whatever else begins like one. Never looks far for an end that is not there. */
const htmlPart =
  /<!--(?:(?!<!--)[\s\S])*?-->|<(\/?)([a-z][a-z0-9-]*)(?:[^"'<>]*(?:"[^"]*"|'[^']*')){0,60}[^"'<>]*>|<(?=[a-z/!?])/gi;

const needs: Record<string, RegExp> = { input: /\btype\s*=\s*["']?checkbox\b/i, img: /\bsrc\s*=/i };

function tagsIn(pieces: readonly Piece[]): Tag[] {
  return pieces.flatMap(({ value = "" }, piece) =>
    [...value.matchAll(htmlPart)]
      .filter(({ 0: text }) => !text.startsWith("<!--") || text.length < 7)
      .map(({ 0: text, 1: slash, 2: found, index }) => {
        const name = found?.toLowerCase() ?? "";
        const says = silent.has(name) && (name === "picture" || / /.test(text));
        const typed = !known.has(name) || (silent.has(name) && !says) || needs[name]?.test(text) === false;
        return { piece, from: index, text, name, closing: slash === "/", typed, inside: undefined };
      }),
  );
}

/** What nothing closes, and what closes nothing, is no tag. */
function pairUp(tags: readonly Tag[]): void {
  const open: Tag[] = [];
  const leave = (some: readonly Tag[]) => {
    for (const tag of some) if (!closedByItself.has(tag.name)) tag.typed = true;
  };
  for (const tag of tags) {
    if (tag.typed || empty.has(tag.name) || tag.name === "source") continue;
    if (!tag.closing) {
      tag.inside = open.at(-1);
      open.push(tag);
      continue;
    }
    const at = open.findLastIndex(({ name }) => name === tag.name);
    if (at < 0) tag.typed = true;
    else {
      tag.inside = open[at]!.inside;
      leave(open.splice(at).slice(1));
    }
  }
  leave(open);
  // A cell outside of a table would be dropped.
  for (const tag of tags) {
    const places = ancestors[tag.name];
    if (places && !isIn(tag, places)) tag.typed = true;
  }
}

function isIn(tag: Tag, places: readonly string[]): boolean {
  for (let one = tag.inside; one; one = one.inside) if (!one.typed && places.includes(one.name)) return true;
  return false;
}

/** Also what is inside of it: `<a <b>` would be a tag otherwise. */
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Only ever makes text of HTML, never HTML of text: what is left is sanitised as before. */
export function typedHtml(): (tree: unknown) => void {
  return (tree) => {
    const pieces: Piece[] = [];
    const look = (node: Piece): void => {
      if (node.type === "html") pieces.push(node);
      node.children?.forEach(look);
    };
    look(tree as Piece);
    if (!pieces.length) return;
    const tags = tagsIn(pieces);
    pairUp(tags);
    for (const [n, some] of Map.groupBy(tags, ({ piece }) => piece)) {
      const value = pieces[n]!.value!;
      let made = "";
      let at = 0;
      for (const { from, text, typed } of some) {
        made += value.slice(at, from) + (typed ? escaped(text) : text);
        at = from + text.length;
      }
      pieces[n]!.value = made + value.slice(at);
    }
  };
}
