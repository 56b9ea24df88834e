/** [A11] What tasks have cost, by day. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { costsNow } from "../daily-limit.ts";

export function* costsShow(tx: Context, { days }: ParsedOf<"costs.show">): Procedure<OutputOf<"costs.show">> {
  return yield* costsNow(yield* tx.clock(), days);
}
