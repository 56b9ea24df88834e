/** [Y1] Changing a limit of retention. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { retentionKinds } from "../../contract/retention.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert, overwriting } from "../../sql/table.ts";
import { retention } from "../../sql/tables.ts";
import { retentionTopic } from "../../sql/topics.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { daySeconds, retentionRules } from "../retention/rules.ts";

export function* retentionSet(
  tx: Context,
  { kind, agent, days, count }: ParsedOf<"retention.set">,
): Procedure<OutputOf<"retention.set">> {
  const now = yield* tx.clock();
  yield* seen(tx, agent, now);
  const limits = {
    max_age_seconds: days == null ? null : Math.round(days * daySeconds),
    max_count: count ?? null,
  };
  // Without any, both are removed.
  const keeping =
    days === undefined && count === undefined
      ? []
      : [...(days === undefined ? ["max_age_seconds"] : []), ...(count === undefined ? ["max_count"] : [])];
  for (const one of kind === "all" ? retentionKinds : [kind])
    yield* run(sql`${insert(retention, { kind: one, ...limits })} ${overwriting(retention, ...keeping)}`);
  const rules = yield* retentionRules();
  const changed = rules.filter((rule) => kind === "all" || rule.kind === kind);
  yield* append(tx, {
    type: "retention.set",
    source: agent,
    payload: { rules: changed },
    now,
  });
  tx.wake(retentionTopic);
  return { kind, rules };
}
