/** [U12] A snoozed entry comes back before its time. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { bringBack } from "../bring-back.ts";

export function* entriesUnsnooze(
  tx: Context,
  input: ParsedOf<"entries.unsnooze">,
): Procedure<OutputOf<"entries.unsnooze">> {
  return yield* bringBack(tx, input, "entry.unsnoozed");
}
