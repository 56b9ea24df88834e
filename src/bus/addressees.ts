/** [M12] [T15] The inboxes that a plain message reaches if it goes to more than one: each gets a copy. */
import type { Context, Procedure } from "../sql/procedure.ts";
import { all } from "../sql/procedure.ts";
import { fragment, sql } from "../sql/sql.ts";
import { hasGone } from "./ended-agent.ts";

const everybody = "*";

/** A name with one inbox, or a group with the inboxes of its members. The sender gets no copy of its own message. */
export type Addressed = { group: null; names: [string] } | { group: "everybody" | "pool"; names: string[] };

export function* addressed(tx: Context, to: string, sender: string): Procedure<Addressed> {
  if (to === everybody) return { group: "everybody", names: yield* known(sender) };
  // [U9] The person is not a pool; nor is an agent, even if a pool has the same name.
  if (to === "user" || tx.recall(`known:${to}`)) return { group: null, names: [to] };
  const rows = yield* all<{ name: string | null }>(sql`
    select case when ${hasGone(fragment`pool_members.agent_id`)} then null else pool_members.agent_id end as name
    from pools left join pool_members on pool_members.pool = pools.pool and pool_members.agent_id <> ${sender}
    where pools.pool = ${to} and not exists (select 1 from agents where agents.name = ${to})
    order by pool_members.agent_id`);
  if (!rows.length) return { group: null, names: [to] };
  return { group: "pool", names: rows.flatMap(({ name }) => (name === null ? [] : [name])) };
}

/** Every agent except the sender, the person, and sub-agents that have finished. */
function* known(sender: string): Procedure<string[]> {
  const rows = yield* all<{ name: string }>(sql`
    select agents.name from agents where agents.name not in (${sender}, 'user')
      and not ${hasGone(fragment`agents.name`)} order by agents.name`);
  return rows.map((row) => row.name);
}
