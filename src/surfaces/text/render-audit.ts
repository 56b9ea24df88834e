/** [A7] The audit trail: one JSON object per line, for people and for programs. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Text } from "../../contract/phrase.ts";
import type { Recipient } from "../../contract/recipient.ts";
import { safe, safeJson } from "../../contract/safe-text.ts";
import type { Apart, NounRenders } from "./noun-renders.ts";
import type { Paint } from "./paint.ts";
import { snakeCase } from "./recase.ts";
import { recipientText } from "./recipient.ts";

const noneText = (of: Recipient | undefined, last: number | undefined, said: string) => {
  const whose = of ? ` of "${safe(of.name)}"` : "";
  if (last !== undefined) return `nothing newer: the last record${whose} is number ${last}`;
  return of
    ? `"${safe(of.name)}" has neither asked nor answered anything${said}`
    : "nothing has been asked or answered yet";
};

/** A program that reads the lines gets nothing but records. */
const nothing = (
  { of, last }: OutputOf<"audit.list">,
  paint: Paint,
  spell: (text: Text) => string,
): Apart => ({ text: "", aside: noneText(of, last, of ? recipientText(of, paint, spell) : "") });

export const auditRenders: NounRenders<"audit"> = {
  "audit.list": (output, paint, spell) =>
    output.records.length
      ? output.records.map((record) => safeJson(snakeCase(record))).join("\n")
      : nothing(output, paint, spell),
};
