/**
 * [U7.9] Messages are not declared to be Markdown, and often are not: a traceback, a type, a path. So what is Markdown in them is
 * formatted, and everything else is shown as it was typed: HTML, entities, escapes, indentation, stars and underscores in words.
 */
import { isEmphasis } from "./emphasis.ts";
import { asText, isLive, type Piece, sourceOf } from "./pieces.ts";

/** Of CommonMark, what takes characters away from texts that are none: `<stdin>`, `&lt;`, a `\` at the end of a line, `===`. */
const notRead = ["htmlFlow", "htmlText", "characterReference", "hardBreakEscape", "setextUnderline"];

interface Token {
  type: string;
  end: { offset: number };
}

/** The state of mdast-util-from-markdown, as far as it is used here. */
interface Compiler {
  stack: Piece[];
  tokenStack: [Token, unknown][];
  /** Behind the label of a link: its address. */
  data: { inReference?: boolean };
  sliceSerialize(token: Token): string;
}

const cell = /^table(Data|Header)$/;
/** What text is in, of which a line's indentation is kept. */
const holdsLines = ["paragraph", "emphasis", "strong", "delete", "link"];

const asTyped = {
  exit: {
    /** `C:\dir\.git` keeps its backslashes; in an address, and before the `|` of a table, it is an escape. */
    characterEscapeValue(this: Compiler, token: Token) {
      const text = this.stack.pop()!;
      const value = this.sliceSerialize(token);
      const inTable = this.tokenStack.some(([{ type }]) => cell.test(type));
      const inAddress = this.data.inReference || this.stack.some(({ type }) => type === "definition");
      const escapes = inAddress || (inTable && value === "|");
      text.value += escapes ? value : `\\${value}`;
      text.position!.end = { ...token.end } as never;
    },
    linePrefix(this: Compiler, token: Token) {
      const inside = this.stack.at(-1)!;
      const last = inside.children?.at(-1);
      if (last?.type === "text" && holdsLines.includes(inside.type)) last.value += this.sliceSerialize(token);
    },
  },
};

/** For `unified().use(…)`, before the parser is made. */
export function messageSyntax(this: { data(): Record<string, unknown> }): void {
  const data = this.data() as Record<string, unknown[] | undefined>;
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { disable: { null: notRead } }];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), asTyped];
}

/** Its marks as text, around what is between them. */
function opened(node: Piece, source: string): Piece[] {
  const children = node.children ?? [];
  const { start, end } = node.position!;
  const [first, last] = [children[0]?.position, children.at(-1)?.position];
  if (!first || !last) return [asText(sourceOf(node, source))];
  return [
    asText(source.slice(start.offset, first.start.offset)),
    ...children,
    asText(source.slice(last.end.offset, end.offset)),
  ];
}

/** What an inline element is shown as. */
function inline(node: Piece, source: string, targets: ReadonlyMap<string, string>): Piece[] {
  switch (node.type) {
    case "emphasis":
    case "strong":
    case "delete":
      return isEmphasis(source, node.position!.start.offset, node.position!.end.offset)
        ? [node]
        : opened(node, source);
    case "link":
      if (!isLive(node.url)) return opened(node, source);
      // An address between angles: `Jane <jane@example.com>`.
      return sourceOf(node, source).startsWith("<") ? [asText("<"), node, asText(">")] : [node];
    case "linkReference":
      return isLive(targets.get(node.identifier!)) ? [node] : opened(node, source);
    case "image": {
      // A picture inside the text itself is shown; nothing is loaded from elsewhere.
      if (/^data:image\//i.test(node.url ?? "")) return [node];
      const text = asText(sourceOf(node, source));
      return isLive(node.url) ? [{ type: "link", url: node.url, children: [text] }] : [text];
    }
    case "imageReference":
      return [asText(sourceOf(node, source))];
    case "inlineMath": // `$$` is a shell's own number
      return /^\$\$[^\s$][^\n]*$/.test(sourceOf(node, source)) ? [node] : [asText(sourceOf(node, source))];
    case "inlineCode":
      return /[\r\n]/.test(sourceOf(node, source)) ? [asText(sourceOf(node, source))] : [node];
    default:
      return [node];
  }
}

const paragraph = (children: Piece[], node: Piece): Piece => ({
  type: "paragraph",
  children,
  position: node.position,
});

/** The number or sign of each item. */
const marksOf = (list: Piece, source: string) =>
  list.children!.map((item) => /^\S+/.exec(sourceOf(item, source))?.[0] ?? "");

const touch = (above: Piece | undefined, below: Piece | undefined) =>
  above !== undefined && below !== undefined && above.position!.end.line + 1 === below.position!.start.line;

/** A diff is no list: `+` is hardly anybody's bullet. Nor are `007.` and `008.`. */
function isDiff(list: Piece | undefined, source: string): boolean {
  return list?.type === "list" && marksOf(list, source).some((mark) => mark === "+" || /^0\d/.test(mark));
}

function listOf(list: Piece, i: number, siblings: Piece[], source: string): Piece[] {
  const [above, below] = [siblings[i - 1], siblings[i + 1]];
  const diff =
    isDiff(list, source) ||
    (touch(above, list) && isDiff(above, source)) ||
    (touch(list, below) && isDiff(below, source));
  if (diff) return [paragraph([asText(sourceOf(list, source))], list)];
  const numbers = marksOf(list, source).map((mark) => Number.parseInt(mark, 10));
  // 5. 3. 1. is what was meant, and so is 1. 1. 1.
  const counted = numbers.every((n, at) => n === numbers[0]! + at);
  for (const [at, item] of list.children!.entries()) {
    item.spread = true; // paragraphs, in which line breaks are shown
    if (list.ordered && !counted) item.data = { hProperties: { value: numbers[at] } };
  }
  return [list];
}

/** A language is told by its colours; what else was written beside a fence is not. */
function codeOf(node: Piece, source: string): Piece[] {
  const text = sourceOf(node, source);
  if (!/^\s*(```|~~~)/.test(text)) {
    if (node.position!.start.column === 1) node.value = text;
    return [node];
  }
  const info = [node.lang, node.meta].filter(Boolean).join(" ");
  return info === "" || /^[\w+#.-]+$/.test(info) ? [node] : [paragraph([asText(info)], node), node];
}

/** What a block is shown as. */
function block(node: Piece, i: number, siblings: Piece[], source: string): Piece[] {
  const text = sourceOf(node, source);
  const typed = () => [paragraph([asText(text)], node)];
  switch (node.type) {
    case "heading": {
      if (!node.children!.length) return typed();
      // A comment in the middle of a script; a heading has a blank line above it, or more signs.
      if (node.depth === 1 && siblings[i - 1]?.type === "paragraph" && touch(siblings[i - 1], node))
        return [paragraph(opened(node, source), node)];
      const end = opened(node, source).at(-1)!;
      if (end.value?.trim()) node.children!.push(end);
      return [node];
    }
    case "blockquote":
      return text.startsWith(">>>") ? typed() : [node];
    case "list":
      return listOf(node, i, siblings, source);
    case "code":
      return codeOf(node, source);
    default:
      return [node];
  }
}

/** Paragraphs that were one until a line of theirs was taken for a heading. */
function joined(blocks: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const one of blocks) {
    const last = all.at(-1);
    if (last?.type === "paragraph" && one.type === "paragraph" && touch(last, one)) {
      last.children!.push(asText("\n"), ...one.children!);
      last.position = { start: last.position!.start, end: one.position!.end };
    } else all.push(one);
  }
  return all;
}

/** The indentation of its first line, which the parser leaves out. */
function indented(node: Piece, source: string): void {
  const { start } = node.position!;
  const before = source.slice(start.offset - start.column + 1, start.offset);
  if (before && before.trim() === "") node.children!.unshift(asText(before));
}

const blocksIn = ["root", "blockquote", "listItem", "footnoteDefinition"];

/** [U7.9] Gives back to the text what is no Markdown. */
export function keepTyped() {
  return (tree: unknown, file: { value: unknown }) => {
    const source = String(file.value);
    const targets = new Map<string, string>();
    const look = (node: Piece): void => {
      if (node.type === "definition" && !targets.has(node.identifier!))
        targets.set(node.identifier!, node.url!);
      node.children?.forEach(look);
    };
    look(tree as Piece);
    const settle = (node: Piece): void => {
      if (!node.children) return;
      node.children.forEach(settle);
      if (blocksIn.includes(node.type)) {
        for (const child of node.children) if (child.type === "paragraph") indented(child, source);
        node.children = joined(node.children.flatMap((child, i, all) => block(child, i, all, source)));
      } else node.children = node.children.flatMap((child) => inline(child, source, targets));
    };
    settle(tree as Piece);
  };
}
