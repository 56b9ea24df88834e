/** A note where nobody has used the name that something was sent to. */
import type { Recipient } from "../../contract/recipient.ts";
import type { Paint } from "./paint.ts";
import { safe } from "./safe.ts";

export function recipientText(recipient: Recipient, paint: Paint): string {
  if (recipient.known) return "";
  const similar = recipient.similar.length
    ? `; did you mean ${recipient.similar.map(safe).join(" or ")}?`
    : "";
  return `\n${paint.yellow("note")} nobody has used the name "${safe(recipient.name)}" yet${similar}`;
}
