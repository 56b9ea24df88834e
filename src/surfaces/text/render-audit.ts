/** [A7] The audit trail: a JSON object a line, for people and for programs. */
import { safeJson } from "../../contract/safe-text.ts";
import type { NounRenders } from "./noun-renders.ts";
import { snakeCase } from "./recase.ts";

export const auditRenders: NounRenders<"audit"> = {
  "audit.list": ({ records }) => records.map((record) => safeJson(snakeCase(record))).join("\n"),
};
