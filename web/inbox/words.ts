/** What an entry says, in a line. */
import type { Entry } from "../data/entries.ts";
import { plainLine } from "../documents/plain-text.ts";

export const nameOf = (path: string) => path.replace(/^.*[/\\]/, "");

export const headline = (entry: Entry): string =>
  plainLine(entry.comments) || entry.docs.map(({ path }) => nameOf(path)).join(", ") || "No text";

export const whoOf = (entry: Entry) => entry.workspaceLabel ?? entry.sender ?? "Unknown sender";
