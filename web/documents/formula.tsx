/** Mathematics, as MathML: the browser draws it, without fonts or styles of its own. */
import katex from "katex";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { FormulaProps } from "./lazy.tsx";

export function Formula({ text, display }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // Builds nodes, not HTML; nothing in a formula may set links, classes or styles.
    katex.render(text, place.current!, {
      displayMode: display,
      output: "mathml",
      throwOnError: false,
      trust: false,
      strict: "ignore",
      maxExpand: 200,
      maxSize: 20,
    });
  }, [text, display]);
  return <span class="formula" data-display={display} ref={place} />;
}
