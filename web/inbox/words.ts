/** What an entry says, in a line. */
import type { Entry } from "../data/entries.ts";

export const nameOf = (path: string) => path.replace(/^.*[/\\]/, "");

/** Markdown without its marks: enough for a line in a list. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?(```|$)/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^[ \t]*(#{1,6}|[-*+]|\d+\.|>)[ \t]+/gm, "")
    .replace(/(\*\*|__|\*|`|~~)(\S(?:.*?\S)?)\1/g, "$2")
    .trim();
}

export function headline(entry: Entry): string {
  const line = plainText(entry.comments.slice(0, 600))
    .split("\n")
    .find((text) => text.trim() !== "");
  return (
    line?.trim().slice(0, 200) || entry.docs.map(({ path }) => nameOf(path)).join(", ") || "Nothing was said"
  );
}

export const whoOf = (entry: Entry) => entry.workspaceLabel ?? entry.sender ?? "Somebody";
