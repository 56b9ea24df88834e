/** [Y1] The current limits of retention. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Procedure } from "../../sql/procedure.ts";
import { retentionRules } from "../retention/rules.ts";

export function* retentionShow(): Procedure<OutputOf<"retention.show">> {
  return { rules: yield* retentionRules() };
}
