/** Source in colours. The highlighter answers with a tree, which becomes elements. */
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import * as runtime from "preact/jsx-runtime";
import { highlighter } from "./highlight.ts";
import type { CodeProps } from "./lazy.tsx";

/** Beyond this the colours are not worth the wait. */
const limit = 200_000;

export function Code({ text, language }: CodeProps) {
  const content = useMemo(() => {
    if (text.length > limit || !highlighter.registered(language)) return text;
    const tree = highlighter.highlight(language, text);
    return toJsxRuntime(tree, {
      Fragment: runtime.Fragment,
      jsx: runtime.jsx as never,
      jsxs: runtime.jsxs as never,
    }) as unknown as ComponentChildren;
  }, [text, language]);
  return <code class="hljs">{content}</code>;
}
