/** [M13] [L11] What a wait without an end is told when it begins: it would be in an answer that may never come. */
import type { HeldThread } from "./lease.ts";
import type { Unknown } from "./recipient.ts";

export interface BeginNote {
  unknown?: readonly Unknown[];
  held?: readonly HeldThread[];
}

export type NoteAtBegin = (note: BeginNote) => void;

export const saysAnything = ({ unknown, held }: BeginNote): boolean =>
  Boolean(unknown?.length || held?.length);
