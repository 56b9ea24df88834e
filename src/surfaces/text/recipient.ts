/** Whom a message has reached: a note where nobody has used the name, and those who got a copy. */
import { idOf } from "../../contract/ids.ts";
import type { Recipient } from "../../contract/recipient.ts";
import type { Paint } from "./paint.ts";
import { safe } from "./safe.ts";

export function recipientText(recipient: Recipient, paint: Paint): string {
  if (recipient.hint) return `\n${paint.yellow("note")} ${safe(recipient.hint)}`;
  if (recipient.known) return "";
  const similar = recipient.similar.length
    ? `; did you mean ${recipient.similar.map(safe).join(" or ")}?`
    : "";
  return `\n${paint.yellow("note")} nobody has used the name "${safe(recipient.name)}" yet${similar}`;
}

/** Each copy is a message with an id of its own. */
export const copiesText = (copies: readonly { id: number; channel: string }[]) =>
  `Sent to ${copies.map(({ id, channel }) => `${safe(channel)} (${idOf("message", id)})`).join(", ")}`;
