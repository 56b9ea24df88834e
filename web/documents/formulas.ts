/** What is a formula, and what only has dollars in it. */
import { asText, type Piece, sourceOf } from "./pieces.ts";

/** "It costs $5, or $10 with tax" is no formula, nor is "$HOME or $PATH"; `$$…$$` that stands alone is one on a line of its own. */
export function formulas() {
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
        siblings[i] = asText(sourceOf(node, source));
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
