/**
 * [U7.9] What Markdown itself leaves out, given back as text: definitions that nothing refers to, cells that a table's head does
 * not have, what stands beside the dollars of a formula.
 */
import { asText, isLive, type Piece, sourceOf } from "./pieces.ts";

/** It is closed, and has nothing beside its dollars. */
const wholeFormula = /^\$\$+[ \t]*[\r\n][\s\S]*[\r\n][ \t>]*\$\$+\s*$/;

/** What is referred to, by kind and name. All tables become as wide as their widest row. */
function referredTo(tree: Piece): Set<string> {
  const used = new Set<string>();
  const look = (node: Piece): void => {
    if (/Reference$/.test(node.type)) used.add(`${node.type[0]} ${node.identifier}`);
    if (node.type === "table") {
      const width = Math.max(...node.children!.map(({ children }) => children!.length));
      while (node.align!.length < width) node.align!.push(null);
    }
    node.children?.forEach(look);
  };
  look(tree);
  return used;
}

/** The parser takes `[x]` for a box also where there is no item. */
function withBox(paragraph: Piece, parent: Piece, source: string): void {
  if (parent.type === "listItem" && typeof parent.checked === "boolean") return;
  const box = /^\[[ x]\](?=\s)/i.exec(sourceOf(paragraph, source))?.[0];
  const first = paragraph.children?.[0];
  if (box && first?.type === "text" && !first.value!.trimStart().startsWith("["))
    first.value = `${box}${first.value}`;
}

export function leftOver() {
  return (tree: unknown, file: { value: unknown }) => {
    const source = String(file.value);
    const used = referredTo(tree as Piece);
    const isLost = (node: Piece): boolean => {
      switch (node.type) {
        case "definition": // `[//]: # (words)` is how Markdown writes a comment
          return (
            node.identifier !== "//" &&
            !used.delete(`l ${node.identifier}`) &&
            !used.delete(`i ${node.identifier}`)
          );
        case "footnoteDefinition":
          return !used.delete(`f ${node.identifier}`);
        case "math":
          return node.position !== undefined && !wholeFormula.test(sourceOf(node, source));
        default:
          return false;
      }
    };
    const settle = (node: Piece): void => {
      if (!node.children) return;
      node.children = node.children.map((child) => {
        settle(child);
        if (child.type === "paragraph") withBox(child, node, source);
        // `Map<K:V>` is no address.
        if (child.type === "link" && !isLive(child.url) && sourceOf(child, source).startsWith("<"))
          return asText(sourceOf(child, source));
        return isLost(child)
          ? { type: "paragraph", children: [asText(sourceOf(child, source))], position: child.position }
          : child;
      });
    };
    settle(tree as Piece);
  };
}
