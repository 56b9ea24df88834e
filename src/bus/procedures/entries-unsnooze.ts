/** [U12] A snoozed entry comes back before its time. */
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { Context } from "../../sql/procedure.ts";
import { bringBack } from "../bring-back.ts";

export const entriesUnsnooze = (tx: Context, input: ParsedOf<"entries.unsnooze">) =>
  bringBack(tx, input, "entry.unsnoozed");
