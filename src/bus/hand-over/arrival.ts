/** [B2] How long mail has been waiting, and whether more of it can be expected. Changes nothing. */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { nothing, sql } from "../../sql/sql.ts";
import { columnsOf, part, type RowOf } from "../../sql/table.ts";
import { messages } from "../../sql/tables.ts";
import { messagesTo, oldestMessages } from "../../sql/walk.ts";
import { deliverable } from "../channel.ts";
import { isOpen } from "../thread.ts";
import type { Wanted } from "./next.ts";

interface Arrival {
  /** Milliseconds since the first of it arrived; 0 if there is none. */
  ageMs: number;
  /** Everybody who was expected to answer has answered: the one sender that was named, or the last of the agent's own tasks. */
  complete: boolean;
}

const arrived = part(messages, "from_agent", "kind", "created_at");
const arrivedColumns = columnsOf(arrived);

export function* arrival(tx: Context, { agent, from }: Pick<Wanted, "agent" | "from">): Procedure<Arrival> {
  const now = yield* tx.clock();
  const sender = from === undefined ? nothing : sql`and messages.from_agent = ${from}`;
  const there = yield* all<RowOf<typeof arrived>>(sql`
    select ${arrivedColumns} from messages
    where ${messagesTo(tx, agent)} and ${deliverable(now)} ${sender} ${oldestMessages} limit 1000`);
  const [first] = there;
  if (!first) return { ageMs: 0, complete: false };
  const ageMs = Date.parse(now) - Date.parse(first.created_at);
  if (from !== undefined) return { ageMs, complete: true };
  // A message that is not a result comes from a sender that may send more.
  if (!there.every(({ kind }) => kind === "result")) return { ageMs, complete: false };
  const open = yield* one(sql`
    select 1 as some from tasks where tasks.parent = ${agent} and tasks.status in ('waiting', 'running')
    union all
    select 1 as some from threads where threads.created_by = ${agent} and threads.assigned_to <> ${agent}
      and ${isOpen}
    limit 1`);
  return { ageMs, complete: open === undefined };
}
