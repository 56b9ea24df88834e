/** [Y1] The limits of retention. A kind without a row is kept forever. */
import { type RetentionRule, retentionKinds } from "../../contract/retention.ts";
import type { Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { columnsOf, type RowOf } from "../../sql/table.ts";
import { retention } from "../../sql/tables.ts";

const retentionColumns = columnsOf(retention);
export const daySeconds = 86_400;

export function* retentionRules(): Procedure<RetentionRule[]> {
  const rows = yield* all<RowOf<typeof retention>>(
    sql`select ${retentionColumns} from retention order by retention.kind`,
  );
  return retentionKinds.map((kind) => {
    const row = rows.find((one) => one.kind === kind);
    const seconds = row?.max_age_seconds ?? null;
    return { kind, days: seconds === null ? null : seconds / daySeconds, count: row?.max_count ?? null };
  });
}
