/** What a reader sees of a tree of the page: text, with the numbers of items, ticks and breaks that a browser adds. */
import type { Element, Nodes } from "hast";

const number = ({ properties }: Element, at: number, start: unknown) =>
  Number(properties.value ?? Number(start ?? 1) + at);

/** `all`: also what is there for whoever points at it: addresses, titles, names of images. */
export function visibleIn(node: Nodes, all = false): string {
  if (node.type === "text") return node.value;
  if (!("children" in node)) return "";
  if (node.type !== "element") return inside(node, all);
  const { tagName, properties } = node;
  const more = all
    ? ["href", "src", "alt", "title"].map((name) => ` ${properties[name] ?? ""}`).join("") +
      (properties.className ?? "")
    : "";
  if (tagName === "br") return "\n";
  if (tagName === "input") return properties.checked ? "[x]" : "[ ]";
  if (tagName !== "ol" && tagName !== "ul") return inside(node, all) + more;
  const items = node.children.filter((child): child is Element => child.type === "element");
  return items
    .map((item, at) => {
      const mark = tagName === "ul" ? "•" : `${number(item, at, properties.start)}.`;
      return `${mark} ${visibleIn(item, all).trim()}`;
    })
    .join("\n");
}

const inside = (node: { children: readonly unknown[] }, all: boolean) =>
  node.children.map((child) => visibleIn(child as Nodes, all)).join("");
