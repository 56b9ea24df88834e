/** [T12] Joining and leaving a pool. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one, run } from "../../sql/procedure.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";

type Input = ParsedOf<"pools.join">;
type Output = OutputOf<"pools.join">;

export function* poolJoin(tx: Context, input: Input): Procedure<Output> {
  const now = yield* tx.clock();
  yield* run(sql`
    insert into pools (pool, created_at) values (${input.pool}, ${now}) on conflict do nothing`);
  return yield* change(
    tx,
    input,
    "pool.joined",
    now,
    sql`
    insert into pool_members (agent_id, pool, joined_at) values (${input.agent}, ${input.pool}, ${now})
    on conflict do nothing returning agent_id`,
  );
}

export function* poolLeave(tx: Context, input: Input): Procedure<Output> {
  const now = yield* tx.clock();
  return yield* change(
    tx,
    input,
    "pool.left",
    now,
    sql`
    delete from pool_members where agent_id = ${input.agent} and pool = ${input.pool} returning agent_id`,
  );
}

function* change(
  tx: Context,
  { agent, pool }: Input,
  type: "pool.joined" | "pool.left",
  now: string,
  statement: Sql,
): Procedure<Output> {
  const changed = (yield* one(statement)) !== undefined;
  yield* seen(tx, agent, now);
  if (changed) yield* append(tx, { type, source: agent, payload: { pool }, now });
  const members = yield* all<{ agent_id: string }>(sql`
    select pool_members.agent_id from pool_members where pool_members.pool = ${pool} order by pool_members.agent_id`);
  return { pool, members: members.map((row) => row.agent_id), changed };
}
