/** [Y5] The quotas there are. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Procedure } from "../../sql/procedure.ts";
import { allQuotas } from "../quota.ts";

export function* quotasList(): Procedure<OutputOf<"quotas.list">> {
  return { quotas: yield* allQuotas() };
}
