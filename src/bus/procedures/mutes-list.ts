/** [U12] What is muted. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { allMutes } from "../entry-folder.ts";

export function* mutesList(_tx: Context, _input: ParsedOf<"mutes.list">): Procedure<OutputOf<"mutes.list">> {
  return { mutes: yield* allMutes() };
}
