/** Who a message has reached: a note if nobody has used the name, and the receivers of copies. */
import { idOf } from "../../contract/ids.ts";
import { blank, call, phrase, type Text } from "../../contract/phrase.ts";
import type { Recipient, Unknown } from "../../contract/recipient.ts";
import type { Paint } from "./paint.ts";
import { safe } from "./safe.ts";

export function recipientText(recipient: Recipient, paint: Paint, spell: (text: Text) => string): string {
  const { resumable, hint } = recipient;
  const resume = resumable
    ? `; ${spell(phrase`${call("tasks.send", { name: resumable, message: blank("…") })} resumes it`)}`
    : "";
  if (hint) return `\n${paint.yellow("note")} ${safe(hint)}${resume}`;
  if (recipient.known) return "";
  return `\n${unusedLine(recipient, paint)}`;
}

function unusedLine({ name, similar }: Unknown, paint: Paint): string {
  const meant = similar.length ? `; did you mean ${similar.map(safe).join(" or ")}?` : "";
  return `${paint.yellow("note")} nobody has used the name "${safe(name)}" yet${meant}`;
}

/** [M13] The names of a call that look misspelled. */
export const unknownLines = (unknown: readonly Unknown[] | undefined, paint: Paint): string[] =>
  (unknown ?? []).map((one) => unusedLine(one, paint));

/** Each copy is a message with an id of its own. */
export const copiesText = (copies: readonly { id: number; channel: string }[]) =>
  `Sent to ${copies.map(({ id, channel }) => `${safe(channel)} (${idOf("message", id)})`).join(", ")}`;
