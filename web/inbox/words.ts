/** What an entry says, in a line. */
import { asSentence } from "../data/api.ts";
import type { Entry } from "../data/entries.ts";
import { plainLine } from "../documents/plain-text.ts";

export const nameOf = (path: string) => path.replace(/^.*[/\\]/, "");

export const headline = (entry: Entry): string =>
  firstWords(entry) || entry.docs.map(({ path }) => nameOf(path)).join(", ") || "No text";

/** Why something has failed is said of it, in the middle of a sentence. */
const firstWords = ({ comments, failure }: Entry) => {
  const line = plainLine(comments);
  return failure && line ? asSentence(line) : line;
};

export const whoOf = (entry: Entry) => entry.workspaceLabel ?? entry.sender ?? "Unknown sender";
