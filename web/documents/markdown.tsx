/** [X3] Markdown as elements of the page: nothing is given to the browser as HTML, or loaded from anywhere but the workspace. */
import { signal } from "@preact/signals";
import type { Element, Nodes } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useMemo } from "preact/hooks";
import * as runtime from "preact/jsx-runtime";
import { Diagram } from "./diagram.tsx";
import { Code, Formula, type MarkdownProps } from "./lazy.tsx";
import { type TreeOptions, treeOf } from "./markdown-tree.ts";
import { Picture } from "./picture.tsx";

const inlineImage = /^data:image\/(png|jpeg|gif|webp|avif);base64,[a-z0-9+/=\s]+$/i;

type RawParser = TreeOptions["raw"];
const rawParser = signal<RawParser>(undefined);
const loadRawParser = async () => {
  rawParser.value = (await import("rehype-raw")).default;
};

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

export function Markdown({ text, entry, folder = "", message }: MarkdownProps) {
  const prefix = `m${useId().replace(/\W/g, "")}-`;
  const raw = rawParser.value;
  // The same for every version of a text: what is drawn already stays, and is not drawn again.
  const parts = useMemo(() => components(entry, folder, prefix), [entry, folder, prefix]);
  const { content, lacks } = useMemo(() => {
    const { tree, lacks } = treeOf(text, { prefix, message: message === true, raw });
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
  }, [text, message, prefix, parts, raw]);
  useEffect(() => {
    if (lacks) void loadRawParser().catch(() => {}); // the line is down: shown as it was typed
  }, [lacks]);
  if (lacks)
    return (
      <div class="markdown plain" aria-busy="true">
        {text}
      </div>
    );
  return (
    <div class="markdown" data-message={message} aria-busy="false">
      {content}
    </div>
  );
}
