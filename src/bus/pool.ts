/** [T12] Pools: their members, what waits for them, and adding or removing a member. */
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one } from "../sql/procedure.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { seen } from "./agent.ts";
import { append } from "./event.ts";

export type MembershipInput = ParsedOf<"pools.join">;

export type MembershipOutput = OutputOf<"pools.join">;

interface Change {
  type: "pool.joined" | "pool.left";
  now: string;
  /** Answers with a row if it changed anything. */
  statement: Sql;
}

export function* changeMembership(
  tx: Context,
  { agent, pool }: MembershipInput,
  { type, now, statement }: Change,
): Procedure<MembershipOutput> {
  const changed = (yield* one(statement)) !== undefined;
  yield* seen(tx, agent, now);
  if (changed) yield* append(tx, { type, source: agent, payload: { pool }, now });
  return { pool, members: yield* membersOf(pool), changed };
}

export function* membersOf(pool: string): Procedure<string[]> {
  const rows = yield* all<{ agent_id: string }>(sql`
    select pool_members.agent_id from pool_members where pool_members.pool = ${pool} order by pool_members.agent_id`);
  return rows.map((row) => row.agent_id);
}

export const pendingFor = (pool: Sql | string) =>
  sql`(select count(*) from threads where threads.assigned_to = ${pool} and threads.status = 'pending')`;
