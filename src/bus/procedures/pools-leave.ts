/** [T12] An agent leaves a pool. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { changeMembership, type MembershipInput, type MembershipOutput } from "../pool.ts";

export function* poolsLeave(tx: Context, input: MembershipInput): Procedure<MembershipOutput> {
  const now = yield* tx.clock();
  return yield* changeMembership(tx, input, {
    type: "pool.left",
    now,
    statement: sql`
    delete from pool_members where agent_id = ${input.agent} and pool = ${input.pool} returning agent_id`,
  });
}
