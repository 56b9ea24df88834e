/** [M12] [T15] The inboxes that a plain message reaches if it goes to more than one: each gets a copy. */
import { asking } from "../sql/asking.ts";
import { type Context, known, type Procedure, type Row } from "../sql/procedure.ts";
import { repeated } from "../sql/repeated.ts";
import { fragment, sql } from "../sql/sql.ts";
import { hasGone } from "./ended-agent.ts";

const everybody = "*";

/** A name with one inbox, or a group with the inboxes of its members. The sender gets no copy of its own message. */
export type Addressed = { group: null; names: [string] } | { group: "everybody" | "pool"; names: string[] };

export function addressed(tx: Context, to: string, sender: string): Procedure<Addressed> {
  if (to === everybody) return asking(everyAgent(sender), toEverybody);
  // [U9] The person is not a pool; nor is an agent, even if a pool has the same name.
  if (to === "user" || tx.recall(`known:${to}`)) return known({ group: null, names: [to] });
  return repeated(tx, `members:${to}\n${sender}`, members, { to, sender });
}

interface Sent {
  to: string;
  sender: string;
}

const membersOf = ({ to, sender }: Sent) => sql`
    select case when ${hasGone(fragment`pool_members.agent_id`)} then null else pool_members.agent_id end as name
    from pools left join pool_members on pool_members.pool = pools.pool and pool_members.agent_id <> ${sender}
    where pools.pool = ${to} and not exists (select 1 from agents where agents.name = ${to})
    order by pool_members.agent_id`;

const inboxesIn = (rows: Row[], { to }: Sent): Addressed =>
  rows.length ? { group: "pool", names: namesIn(rows) } : { group: null, names: [to] };

const members = { query: membersOf, pick: inboxesIn };

const toEverybody = (rows: Row[]): Addressed => ({ group: "everybody", names: namesIn(rows) });

const namesIn = (rows: Row[]) => rows.flatMap(({ name }) => (name === null ? [] : [name as string]));

/** Every agent except the sender, the person, and sub-agents that have finished. */
const everyAgent = (sender: string) => sql`
  select agents.name from agents where agents.name not in (${sender}, 'user')
    and not ${hasGone(fragment`agents.name`)} order by agents.name`;
