/** [T12] Pools: joining and leaving, which there are, and removing one. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one, run } from "../../sql/procedure.ts";
import { fragment, type Sql, sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { append } from "../event.ts";
import { admitName, ownerOf } from "../names.ts";

type Input = ParsedOf<"pools.join">;
type Output = OutputOf<"pools.join">;

export function* poolJoin(tx: Context, input: Input): Procedure<Output> {
  const now = yield* tx.clock();
  yield* admitName(input.pool);
  yield* refuseOwned(input.pool);
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

/** [X11] Whoever joins gets what is sent to the pool, so it cannot have the name of somebody. */
function* refuseOwned(pool: string): Procedure<void> {
  const owner = yield* ownerOf(pool);
  const taken = owner || pool === "user" || pool === "main" || (yield* isAgentOnly(pool));
  if (!taken) return;
  const whose = owner
    ? `"${owner.agent_id}" has ${owner.what}`
    : `it is ${pool === "user" ? "the person" : "an agent"}`;
  throw new InboxError("conflict", `"${pool}" cannot be a pool: ${whose}`, {
    hint: "give the pool a name of its own",
  });
}

/** Somebody who has acted under that name, before anybody made a pool of it. */
function* isAgentOnly(name: string): Procedure<boolean> {
  const row = yield* one(sql`
    select 1 as there from agents where agents.name = ${name}
      and not exists (select 1 from pools where pools.pool = ${name})`);
  return row !== undefined;
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
  return { pool, members: yield* membersOf(pool), changed };
}

function* membersOf(pool: string): Procedure<string[]> {
  const rows = yield* all<{ agent_id: string }>(sql`
    select pool_members.agent_id from pool_members where pool_members.pool = ${pool} order by pool_members.agent_id`);
  return rows.map((row) => row.agent_id);
}

const pendingFor = (pool: Sql | string) =>
  sql`(select count(*) from threads where threads.assigned_to = ${pool} and threads.status = 'pending')`;

export function* poolList(): Procedure<OutputOf<"pools.list">> {
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

export function* poolRemove(
  tx: Context,
  { pool, agent }: ParsedOf<"pools.remove">,
): Procedure<OutputOf<"pools.remove">> {
  const now = yield* tx.clock();
  const members = yield* membersOf(pool);
  yield* run(sql`delete from pool_members where pool = ${pool}`);
  const there = yield* one<{ pending: number }>(sql`
    delete from pools where pool = ${pool} returning ${pendingFor(pool)} as pending`);
  if (!there)
    throw new InboxError("not_found", `there is no pool "${pool}"`, {
      hint: phrase`${call("pools.list")} shows them`,
    });
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "pool.removed", source: agent, payload: { pool, members }, now });
  return { pool, members, pending: there.pending };
}
