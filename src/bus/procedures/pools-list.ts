/** [T12] Which pools there are. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, sql } from "../../sql/sql.ts";
import { pendingFor } from "../pool.ts";

export function* poolsList(): Procedure<OutputOf<"pools.list">> {
  const rows = yield* all<{ pool: string; created_at: string; pending: number }>(sql`
    select pools.pool, pools.created_at, ${pendingFor(fragment`pools.pool`)} as pending from pools order by pools.pool`);
  const members = yield* all<{ pool: string; agent_id: string }>(sql`
    select pool_members.pool, pool_members.agent_id from pool_members order by pool_members.pool, pool_members.agent_id`);
  const ofPool = Map.groupBy(members, (row) => row.pool);
  return {
    pools: rows.map(({ pool, created_at, pending }) => ({
      pool,
      members: (ofPool.get(pool) ?? []).map((row) => row.agent_id),
      pending,
      createdAt: created_at,
    })),
  };
}
