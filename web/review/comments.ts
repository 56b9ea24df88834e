/** What the person writes beside lines of a change. It is kept as a draft until it is sent, all of it as one message. */
import { draftOf, keepDraft } from "../data/drafts.ts";

/** A line of a file, as it was or as it is. */
export interface Spot {
  path: string;
  side: "before" | "after";
  line: number;
}

export interface Comment extends Spot {
  text: string;
  /** The line itself: the file may have changed by the time it is read. */
  quote?: string;
}

export const keyOf = ({ path, side, line }: Spot) => `${path}:${side === "before" ? "-" : "+"}${line}`;

const draftName = (task: string) => `comments on ${task}`;

export function commentsOn(task: string): readonly Comment[] {
  try {
    return JSON.parse(draftOf(draftName(task)) || "[]");
  } catch {
    return [];
  }
}

/** Empty text removes it. */
export function keepComment(task: string, comment: Comment): void {
  const others = commentsOn(task).filter((one) => keyOf(one) !== keyOf(comment));
  const next = comment.text.trim() === "" ? others : [...others, comment];
  keepDraft(draftName(task), next.length ? JSON.stringify(next) : "");
}

export const dropComments = (task: string) => keepDraft(draftName(task), "");

/** All of it as the agent reads it: in the order of the patch. */
export function messageOf(words: string, comments: readonly Comment[], paths: readonly string[]): string {
  const inOrder = comments.toSorted(
    (a, b) =>
      paths.indexOf(a.path) - paths.indexOf(b.path) || a.line - b.line || (a.side === "before" ? -1 : 1),
  );
  const parts = inOrder.map(({ path, side, line, quote, text }) => {
    const where = `${path}:${line}${side === "before" ? " (as it was before)" : ""}`;
    return [where, ...(quote === undefined ? [] : [`> ${quote}`]), text.trim()].join("\n");
  });
  const all = [...(words.trim() ? [words.trim()] : []), ...parts];
  return `Your changes were reviewed and are sent back. Change what is asked for here, then finish again.\n\n${all.join("\n\n")}`;
}
