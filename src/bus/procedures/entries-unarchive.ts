/** [U12] An archived entry comes back. */
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { Context } from "../../sql/procedure.ts";
import { bringBack } from "../bring-back.ts";

export const entriesUnarchive = (tx: Context, input: ParsedOf<"entries.unarchive">) =>
  bringBack(tx, input, "entry.unarchived");
