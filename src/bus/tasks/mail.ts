/** [Q14] A sub-agent's inbox exists until the sub-agent finishes. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { unexpired } from "../channel.ts";
import { isGone } from "../ended-agent.ts";
import { bury } from "../hand-over/bury.ts";
import { type MessageRow, messageColumns } from "../message.ts";

/**
 * Uncollected mail becomes dead letters, and its senders are told, unless they have finished themselves. `untold`: they
 * know already that the agent has ended.
 */
export function* buryMailOf(
  tx: Context,
  agent: string,
  now: string,
  untold: readonly string[] = [],
): Procedure<void> {
  yield* tx.own(`inbox:${agent}`);
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.to_agent = ${agent} and messages.acked_at is null
      and messages.dead_at is null and ${unexpired(now)} order by messages.message_id ${tx.forUpdate}`);
  const reason = `"${agent}" has finished`;
  const gone = new Map<string, boolean>();
  for (const row of rows) {
    const { from_agent: sender } = row;
    if (!gone.has(sender)) gone.set(sender, yield* isGone(tx, sender));
    const told = !untold.includes(sender) && !gone.get(sender);
    yield* bury(tx, { ...row, dead_at: now, dead_reason: reason }, now, told);
  }
}
