/** [Y1] The limits of retention: looking at them, and changing them. Without a row a kind is kept for ever. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { type RetentionRule, retentionKinds } from "../../contract/retention.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { columnsOf, insert, type RowOf } from "../../sql/table.ts";
import { retention } from "../../sql/tables.ts";
import { retentionTopic } from "../../sql/topics.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";

const retentionColumns = columnsOf(retention);
const daySeconds = 86_400;

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

export function* retentionShow(): Procedure<OutputOf<"retention.show">> {
  return { rules: yield* retentionRules() };
}

export function* retentionSet(
  tx: Context,
  { kind, agent, days, count }: ParsedOf<"retention.set">,
): Procedure<OutputOf<"retention.set">> {
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  const limits = {
    max_age_seconds: days === undefined ? null : Math.round(days * daySeconds),
    max_count: count ?? null,
  };
  for (const one of kind === "all" ? retentionKinds : [kind])
    yield* run(sql`
      ${insert(retention, { kind: one, ...limits })}
      on conflict (kind) do update set max_age_seconds = excluded.max_age_seconds, max_count = excluded.max_count`);
  const rules = yield* retentionRules();
  const changed = rules.filter((rule) => kind === "all" || rule.kind === kind);
  yield* append(tx, {
    type: "retention.set",
    source: agent,
    payload: { rules: changed },
    now,
  });
  tx.wake(retentionTopic);
  return { rules };
}
