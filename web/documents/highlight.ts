/** Source as a tree of colours, and line by line. */
import { common, createLowlight } from "lowlight";

export const highlighter = createLowlight(common);

/** A piece of a line and the class of its colour. */
export interface Piece {
  text: string;
  class?: string;
}

interface Node {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: readonly Node[];
}

/** Each line of a text, in colours; undefined where the language is unknown. */
export function highlightLines(text: string, language: string): Piece[][] | undefined {
  if (!highlighter.registered(language)) return undefined;
  const lines: Piece[][] = [[]];
  const walk = (node: Node, look: string | undefined) => {
    if (node.type === "text") {
      const [first = "", ...rest] = (node.value ?? "").split("\n");
      if (first) lines.at(-1)!.push({ text: first, class: look });
      for (const line of rest) lines.push(line ? [{ text: line, class: look }] : []);
      return;
    }
    const own = node.properties?.className;
    const next = Array.isArray(own) ? own.join(" ") : look;
    for (const child of node.children ?? []) walk(child, next);
  };
  walk(highlighter.highlight(language, text) as Node, undefined);
  return lines;
}
