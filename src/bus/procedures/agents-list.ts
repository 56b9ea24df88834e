/** All agents, with what each holds and what waits for it. */
import { mailLimit } from "../../contract/mail.ts";
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, literal, sql } from "../../sql/sql.ts";
import { columnsOf, type RowOf } from "../../sql/table.ts";
import { agents as agentTable } from "../../sql/tables.ts";
import { liveSince } from "../agent.ts";
import { waiting } from "../channel.ts";
import { hasGone } from "../ended-agent.ts";
import { inboxesOf, mostMail } from "../inboxes.ts";
import { isRunning } from "../task.ts";

interface AgentRow extends RowOf<typeof agentTable> {
  leases: number;
  pending: number;
  mail: number;
  /** As a sub-agent. */
  running: number;
  gone: number;
}

const agentColumns = columnsOf(agentTable);

/** `attending`: agents with an open wait. */
export function* agentsList(tx: Context, attending: ReadonlySet<string>): Procedure<OutputOf<"agents.list">> {
  const now = yield* tx.clock();
  const since = liveSince(now);
  const rows = yield* all<AgentRow>(sql`
    select ${agentColumns},
      (select count(*) from leases where leases.agent_id = agents.name and leases.released_at is null) as leases,
      (select count(*) from threads where threads.assigned_to = agents.name and threads.status = 'pending') as pending,
      (select count(*) from (
        select 1 from messages where messages.to_agent = agents.name and ${waiting(now)} limit ${literal(mailLimit)}) as page) as mail,
      (select count(*) from tasks where tasks.name = agents.name and ${isRunning} and tasks.worker is null) as running,
      case when ${hasGone(fragment`agents.name`)} then 1 else 0 end as gone
    from agents order by agents.name`);
  const memberships = yield* all<{ agent_id: string; pool: string }>(
    sql`select pool_members.agent_id, pool_members.pool from pool_members order by pool_members.pool`,
  );
  const pools = Map.groupBy(memberships, (row) => row.agent_id);
  return {
    agents: rows.map((row) => ({
      name: row.name,
      pools: (pools.get(row.name) ?? []).map((membership) => membership.pool),
      leases: row.leases,
      pending: row.pending,
      mail: row.mail,
      firstSeenAt: row.first_seen_at,
      lastSeenAt: row.last_seen_at,
      live: row.gone === 0 && (row.last_seen_at >= since || row.running > 0 || attending.has(row.name)),
      ended: row.gone === 1,
    })),
    unused: mostMail(yield* inboxesOf(tx, "nobody", now)).map(({ name, mail }) => ({ name, mail })),
  };
}
