/** [T13] Events after a cursor that match, and how far the cursor may move. */
import type { Event } from "../../contract/event.ts";
import { numberOf } from "../../contract/ids.ts";
import type { ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { joined, literal, type Sql, sql } from "../../sql/sql.ts";
import { type EventRow, eventColumns, eventView } from "../event.ts";
import { refuseExpired } from "../retention/events.ts";
import { visible } from "../visible.ts";

type Filter = Pick<ParsedOf<"events.watch">, "agent" | "status" | "thread" | "run" | "limit">;

export function* eventsAfter(
  tx: Context,
  after: number,
  filter: Filter,
): Procedure<{ events: Event[]; nextEventId: number }> {
  const { agent } = filter;
  const settled = yield* tx.settled();
  yield* refuseExpired(after);
  const conditions: Sql[] = [
    sql`events.event_id > ${after}`,
    sql`events.event_id <= ${settled}`,
    ...visible.events(tx),
  ];
  if (filter.thread !== undefined) conditions.push(sql`events.thread_id = ${numberOf(filter.thread)}`);
  if (filter.run !== undefined) conditions.push(sql`events.run_id = ${filter.run}`);
  if (filter.status !== undefined)
    conditions.push(sql`events.status in (${joined([...new Set(filter.status)])})`);
  if (agent !== undefined)
    conditions.push(
      sql`(events.created_by = ${agent} or events.assigned_to = ${agent} or events.to_agent = ${agent})`,
    );
  const rows = yield* all<EventRow>(sql`
    select ${eventColumns} from events where ${joined(conditions, " and ")} order by events.event_id limit ${literal(filter.limit)}`);
  const full = rows.length === filter.limit;
  // All events up to the settled one were looked at, so the cursor may move past those that did not match.
  const nextEventId = full ? rows.at(-1)!.event_id : Math.max(after, settled);
  return { events: rows.map(eventView), nextEventId };
}
