/** [B5] Which senders have answered. Changes nothing; what was found is handed over afterwards. */
import type { Mail } from "../../contract/mail.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { joined, nothing, sql } from "../../sql/sql.ts";
import { deliverable, mailView } from "../channel.ts";
import { type MessageRow, messageColumns } from "../message.ts";
import { returnsInMs } from "./hand.ts";

type Input = Pick<ParsedOf<"mailbox.gather">, "agent" | "from" | "correlationId" | "after">;

export function* answers(
  tx: Context,
  input: Input,
): Procedure<{ messages: Mail[]; missing: string[]; againInMs?: number }> {
  const now = yield* tx.clock();
  const { agent, correlationId, after } = input;
  const senders = [...new Set(input.from)];
  const busy = yield* all<{ assigned_to: string }>(sql`
    select distinct threads.assigned_to from threads where threads.assigned_to in (${joined(senders)})
      and threads.created_by = ${agent} and threads.status in ('pending', 'claimed', 'in_progress', 'blocked')`);
  const working = new Set(busy.map((row) => row.assigned_to));
  const related = correlationId === undefined ? nothing : sql`and messages.correlation_id = ${correlationId}`;
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.to_agent = ${agent} and ${deliverable(now)}
      and messages.message_id > ${after ?? 0} and messages.from_agent in (${joined(senders)}) ${related}
    order by messages.message_id limit 10000`);
  const found = rows.filter((row) => row.kind === "result" || !working.has(row.from_agent));
  const answered = new Set(found.map((row) => row.from_agent));
  const missing = senders.filter((name) => !answered.has(name));
  return { messages: found.map(mailView), missing, againInMs: yield* returnsInMs(agent, now) };
}
