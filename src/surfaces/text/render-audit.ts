/** [A7] The audit trail: one JSON object per line, for people and for programs. */
import type { Text } from "../../contract/phrase.ts";
import type { Recipient } from "../../contract/recipient.ts";
import { safe, safeJson } from "../../contract/safe-text.ts";
import type { Apart, NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { snakeCase } from "./recase.ts";
import { recipientText } from "./recipient.ts";

/** A program that reads the lines gets nothing but records. */
const nothing = (of: Recipient | undefined, paint: Paint, spell: (text: Text) => string): Apart => ({
  text: "",
  aside: of
    ? `"${safe(of.name)}" has neither asked nor answered anything${recipientText(of, paint, spell)}`
    : "nothing has been asked or answered yet",
});

export const auditRenders: NounRenders<"audit"> = {
  "audit.list": ({ records, of }, paint, spell) =>
    records.length
      ? records.map((record) => safeJson(snakeCase(record))).join("\n")
      : nothing(of, paint, spell),
};
