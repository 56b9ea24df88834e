/**
 * [X3] Markdown as a tree of elements. What an agent wrote is hostile: HTML in it is parsed and sanitised to a closed list, and
 * nothing is ever given to the browser as HTML.
 */
import type { Root } from "hast";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { formulas } from "./formulas.ts";
import { leftOver } from "./left-over.ts";
import { keepTyped, messageSyntax } from "./message-text.ts";
import type { Piece } from "./pieces.ts";
import { typedHtml } from "./typed-html.ts";

const schema = {
  ...defaultSchema,
  tagNames: defaultSchema.tagNames!.filter((name) => !["picture", "source"].includes(name)),
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-./, "math-inline", "math-display"]],
  },
  protocols: { ...defaultSchema.protocols, src: ["http", "https", "data"] },
} as typeof defaultSchema;

/** Documents, and what is said of them: Markdown with HTML in it. */
const documents = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkMath)
  .use(formulas)
  .use(leftOver)
  .use(typedHtml)
  .freeze();

/** A `$` is a shell's in most messages. */
const messages = unified()
  .use(messageSyntax as () => void)
  .use(remarkParse)
  .use(remarkGfm, { singleTilde: false })
  .use(remarkMath, { singleDollarTextMath: false })
  .use(keepTyped)
  .use(formulas)
  .use(leftOver)
  .freeze();

const holdsHtml = (node: Piece): boolean => node.type === "html" || (node.children ?? []).some(holdsHtml);

/** Each line is as long as it was written, and begins where it did; a break is one break. */
const asWritten = {
  text: (_state: unknown, node: Piece) => ({ type: "text" as const, value: node.value ?? "" }),
};
const handlers = {
  break: () => ({ type: "element" as const, tagName: "br", properties: {}, children: [] }),
};

type RawParser = typeof import("rehype-raw").default;

export interface TreeOptions {
  /** Before the ids of its elements. */
  prefix: string;
  /** Whether it was not declared to be Markdown: then HTML in it is text. */
  message: boolean;
  /** What reads HTML inside Markdown. It is large and seldom needed. */
  raw?: RawParser;
}

/** Sanitised whatever it was made from. `lacks`: there is HTML in it, and nothing to read it with. */
export function treeOf(
  written: string,
  { prefix, message, raw }: TreeOptions,
): { tree: Root; lacks: boolean } {
  const text = written.replace(/^\uFEFF/, "");
  const reader = message ? messages : documents;
  const read = reader.runSync(reader.parse(text), text);
  const html = holdsHtml(read as Piece);
  const writer = unified().use(remarkRehype, {
    allowDangerousHtml: raw !== undefined,
    clobberPrefix: "",
    handlers: message ? { ...handlers, ...asWritten } : handlers,
  });
  if (html && raw) writer.use(raw);
  writer.use(rehypeSanitize, { ...schema, clobberPrefix: prefix });
  const tree = writer.runSync(read as never) as Root;
  // Each block is written in the direction of its own first letter; what is inside follows it.
  for (const block of tree.children)
    if (block.type === "element" && block.tagName !== "pre") block.properties.dir ??= "auto";
  return { tree, lacks: html && !raw };
}
