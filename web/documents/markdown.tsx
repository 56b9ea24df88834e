/**
 * [X3] Markdown as a tree of elements. What an agent wrote is hostile: HTML in it is parsed and sanitised to a closed list,
 * nothing is ever given to the browser as HTML, and nothing is loaded from anywhere but the workspace.
 */
import { signal } from "@preact/signals";
import type { Element, Nodes, Root } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo } from "preact/hooks";
import * as runtime from "preact/jsx-runtime";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { Diagram } from "./diagram.tsx";
import { Code, Formula, type MarkdownProps } from "./lazy.tsx";
import { Picture } from "./picture.tsx";

const inlineImage = /^data:image\/(png|jpeg|gif|webp|avif);base64,[a-z0-9+/=\s]+$/i;

const schema = {
  ...defaultSchema,
  tagNames: defaultSchema.tagNames!.filter((name) => !["picture", "source"].includes(name)),
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-./, "math-inline", "math-display"]],
  },
  protocols: { ...defaultSchema.protocols, src: ["http", "https", "data"] },
} as typeof defaultSchema;

interface Piece {
  type: string;
  value?: string;
  children?: Piece[];
  position?: { start: { offset?: number } };
  data?: unknown;
}

/** "It costs $5, or $10 with tax" is no formula, nor is "$HOME or $PATH"; `$$…$$` that stands alone is one on a line of its own. */
function formulas() {
  return (tree: unknown, file: { value: unknown }) => {
    const source = String(file.value);
    const settle = (node: Piece, i: number, siblings: Piece[]): void => {
      const value = node.value ?? "";
      const next = siblings[i + 1];
      const after = next?.type === "text" ? (next.value ?? "") : "";
      // A formula ends in a letter, a digit or a bracket; "$HOME/bin:$PATH" does not. "$n$th" is one.
      const words = /^\d/.test(after) || (/^[\p{L}_{(]/u.test(after) && !/[\w)}\]'|!]$/.test(value));
      const only = node.type === "paragraph" && node.children?.length === 1 ? node.children[0]! : undefined;
      if (node.type === "inlineMath" && (/^\s|\s$/.test(value) || words))
        siblings[i] = { type: "text", value: `$${value}$` };
      else if (only?.type === "inlineMath" && source.startsWith("$$", only.position?.start.offset))
        siblings[i] = displayed(only.value ?? "");
      else node.children?.forEach(settle);
    };
    (tree as Piece).children!.forEach(settle);
  };
}

const displayed = (value: string): Piece => {
  const code = {
    type: "element",
    tagName: "code",
    properties: { className: ["language-math", "math-display"] },
  };
  return {
    type: "math",
    value,
    data: { hName: "pre", hChildren: [{ ...code, children: [{ type: "text", value }] }] },
  };
};

type RawParser = typeof import("rehype-raw").default;
/** Reads HTML inside Markdown. It is large and seldom needed. */
const rawParser = signal<RawParser | undefined>(undefined);
const loadRawParser = async () => {
  rawParser.value = (await import("rehype-raw")).default;
};

const reader = unified().use(remarkParse).use(remarkGfm).use(remarkMath).use(formulas).freeze();

const holdsHtml = (node: Piece): boolean => node.type === "html" || (node.children ?? []).some(holdsHtml);

/** Sanitised whatever it was made from; without the parser for it, HTML is left out. */
function treeOf(text: string, prefix: string, raw: RawParser | undefined): { tree: Root; lacks: boolean } {
  const read = reader.runSync(reader.parse(text), text);
  const html = holdsHtml(read as Piece);
  const writer = unified().use(remarkRehype, { allowDangerousHtml: raw !== undefined, clobberPrefix: "" });
  if (html && raw) writer.use(raw);
  writer.use(rehypeSanitize, { ...schema, clobberPrefix: prefix });
  const tree = writer.runSync(read as never) as Root;
  // Each block is written in the direction of its own first letter; what is inside follows it.
  for (const block of tree.children)
    if (block.type === "element" && block.tagName !== "pre") block.properties.dir ??= "auto";
  return { tree, lacks: html && !raw };
}

const textOf = (node: Nodes): string =>
  node.type === "text"
    ? node.value
    : "children" in node
      ? node.children.map((child) => textOf(child as Nodes)).join("")
      : "";

/** A path in the workspace, from one that a document in a folder of it says. */
function resolved(folder: string, path: string): string {
  const parts = path.startsWith("/") ? [] : folder.split("/").filter(Boolean);
  for (const part of path.replace(/[?#].*$/, "").split("/"))
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  return parts.join("/");
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

interface Given {
  node?: Element;
  children?: ComponentChildren;
  [key: string]: unknown;
}

function components(entry: string | undefined, folder: string, prefix: string) {
  const jump = (event: Event, id: string) => {
    event.preventDefault();
    const target = document.getElementById(prefix + id);
    target?.scrollIntoView({ block: "center" });
    target?.focus();
  };
  return {
    a: ({ node: _, href, children, ...rest }: Given) => {
      const to = typeof href === "string" ? href : "";
      if (to.startsWith("#"))
        return (
          <a
            {...rest}
            href={`#${prefix}${to.slice(1)}`}
            onClick={(event: Event) => jump(event, decoded(to.slice(1)))}
          >
            {children}
          </a>
        );
      if (!/^(https?:|mailto:)/i.test(to))
        return (
          <span class="dead-link" title={to}>
            {children}
          </span>
        );
      return (
        <a {...rest} href={to} target="_blank" rel="noopener noreferrer nofollow">
          {children}
        </a>
      );
    },
    img: ({ src, alt, title }: Given) => {
      const from = String(src ?? "");
      const text = String(alt ?? "");
      if (inlineImage.test(from)) return <img src={from} alt={text} />;
      if (entry === undefined || /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(from))
        return (
          <span class="remote-image" title={from}>
            {text || "An image"} <small>(not loaded: it is not in the workspace)</small>
          </span>
        );
      return (
        <Picture entry={entry} path={resolved(folder, decoded(from))} alt={text || String(title ?? "")} />
      );
    },
    table: ({ node: _, children, ...rest }: Given) => (
      <div class="table-place" tabIndex={0} role="group" aria-label="Table">
        <table {...rest}>{children}</table>
      </div>
    ),
    input: ({ checked }: Given) => (
      <input type="checkbox" disabled checked={checked === true} aria-label={checked ? "done" : "to do"} />
    ),
    pre: ({ node, children }: Given) => {
      const code = node?.children.find(
        (child): child is Element => child.type === "element" && child.tagName === "code",
      );
      if (!code) return <pre tabIndex={0}>{children}</pre>;
      const classes = (code.properties.className ?? []) as string[];
      const text = textOf(code).replace(/\n$/, "");
      if (classes.includes("math-display")) return <Formula text={text} display />;
      const language = classes.find((name) => name.startsWith("language-"))?.slice(9) ?? "";
      if (language === "mermaid") return <Diagram source={text} />;
      if (language === "math") return <Formula text={text} display />;
      return (
        <pre tabIndex={0}>
          <Code text={text} language={language} />
        </pre>
      );
    },
    code: ({ node, children }: Given) => {
      const classes = (node?.properties.className ?? []) as string[];
      if (classes.includes("math-inline") && node) return <Formula text={textOf(node)} display={false} />;
      return <code>{children}</code>;
    },
  };
}

export function Markdown({ text, entry, folder }: MarkdownProps) {
  const prefix = `m${useId().replace(/\W/g, "")}-`;
  const raw = rawParser.value;
  // The same for every version of a text: what is drawn already stays, and is not drawn again.
  const parts = useMemo(() => components(entry, folder, prefix), [entry, folder, prefix]);
  const { content, lacks } = useMemo(() => {
    const { tree, lacks } = treeOf(text, prefix, raw);
    const content = toJsxRuntime(tree, {
      Fragment: runtime.Fragment,
      jsx: runtime.jsx as never,
      jsxs: runtime.jsxs as never,
      components: parts as never,
      passNode: true,
      elementAttributeNameCase: "html",
      stylePropertyNameCase: "css",
    }) as unknown as ComponentChildren;
    return { content, lacks };
  }, [text, prefix, parts, raw]);
  useEffect(() => {
    if (lacks) void loadRawParser().catch(() => {}); // the line is down: shown without
  }, [lacks]);
  return (
    <div class="markdown" aria-busy={lacks}>
      {content}
    </div>
  );
}
