/** [T12] An agent joins a pool. */
import { InboxError } from "../../contract/errors.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { poolMembers, pools } from "../../sql/tables.ts";
import { admitName, ownerOf } from "../names.ts";
import { changeMembership, type MembershipInput, type MembershipOutput } from "../pool.ts";

export function* poolsJoin(tx: Context, input: MembershipInput): Procedure<MembershipOutput> {
  const now = yield* tx.clock();
  yield* admitName(input.pool);
  yield* refuseOwned(input.pool);
  yield* run(sql`${insert(pools, { pool: input.pool, created_at: now })} on conflict do nothing`);
  return yield* changeMembership(tx, input, {
    type: "pool.joined",
    now,
    statement: sql`
    ${insert(poolMembers, { agent_id: input.agent, pool: input.pool, joined_at: now })}
    on conflict do nothing returning agent_id`,
  });
}

/** [X11] A member gets what is sent to the pool, so a pool cannot have a name that belongs to somebody. */
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

/** An agent has acted under that name before it was a pool's. */
function* isAgentOnly(name: string): Procedure<boolean> {
  const row = yield* one(sql`
    select 1 as there from agents where agents.name = ${name}
      and not exists (select 1 from pools where pools.pool = ${name})`);
  return row !== undefined;
}
