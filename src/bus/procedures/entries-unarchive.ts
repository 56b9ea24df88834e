/** [U12] An archived entry comes back. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { bringBack } from "../bring-back.ts";

export function* entriesUnarchive(
  tx: Context,
  input: ParsedOf<"entries.unarchive">,
): Procedure<OutputOf<"entries.unarchive">> {
  return yield* bringBack(tx, input, "entry.unarchived");
}
