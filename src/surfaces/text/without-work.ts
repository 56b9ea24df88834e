/** [L11] [M13] What an agent that found nothing to do, or begins to wait for it, may have forgotten or mistyped. */
import type { BeginNote } from "../../contract/begin-note.ts";
import type { HeldThread } from "../../contract/lease.ts";
import { blank, ownCall, phrase, type Text } from "../../contract/phrase.ts";
import type { Paint } from "./paint.ts";
import { unknownLines } from "./recipient.ts";
import { cut } from "./safe.ts";
import { statusText } from "./status.ts";
import { textTable } from "./text-table.ts";
import { relative } from "./time.ts";

export const withoutWorkLines = (
  { held, unknown }: BeginNote,
  paint: Paint,
  spell: (text: Text) => string,
): string[] => [...heldLines(held ?? [], paint, spell), ...unknownLines(unknown, paint)];

/** A second process with the same name may hold them: a claim would take the lease from it. */
function heldLines(held: readonly HeldThread[], paint: Paint, spell: (text: Text) => string): string[] {
  if (!held.length) return [];
  const rows = held.map(({ threadId, status, expiresAt, subject }) => [
    threadId,
    statusText(status, paint),
    relative(expiresAt),
    cut(subject, 50),
  ]);
  const table = textTable(["YOU HOLD", "STATUS", "LEASE EXPIRES", "SUBJECT"], rows, paint.dim);
  const thread = held[0]!.threadId;
  const next = phrase`if no other process of yours works on it, continue with ${ownCall("threads.claim", { thread })}; end it with ${ownCall("threads.done", { thread, summary: blank("RESULT") })}, or give it up with ${ownCall("threads.release", { thread })}`;
  return [table, spell(next)];
}
