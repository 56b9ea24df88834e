/**
 * [Y3] Events are deleted from the oldest on, without exceptions. So one number says which are left, and a cursor
 * before it has expired. The newest event is always kept: a bus and its copy recognise each other by it, and a new
 * watcher begins there. A deletion appends an event of its own, which is then the newest.
 */
import { InboxError } from "../../contract/errors.ts";
import type { EventType } from "../../contract/event.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one, run } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { retention } from "../../sql/tables.ts";

const eventsAtOnce = 1000;

/** The number of the newest event that was deleted; 0 where none was. */
export function* prunedEvents(): Procedure<number> {
  const row = yield* one<{ pruned_to: number | null }>(
    sql`select retention.pruned_to from retention where retention.kind = 'events'`,
  );
  return row?.pruned_to ?? 0;
}

/** Refuses a cursor that lies before the oldest event that is left. A reader that starts at the beginning has missed nothing. */
export function* refuseExpired(after: number): Procedure<void> {
  if (after === 0) return;
  const last = yield* prunedEvents();
  if (after >= last) return;
  throw new InboxError(
    "cursor_expired",
    `events after ${after} were deleted by retention; events after ${last} still exist`,
    {
      hint: `continue after event ${last}, or leave out the position to start with new events`,
      details: { after_event: after, oldest_after: last },
    },
  );
}

/** Up to which event to delete: by age, and by how many of the newest are kept. */
export interface EventCut {
  before: string | null;
  count: number | null;
}

/**
 * The oldest events after a cursor that are due: how many, and the last of them. The event that will report their
 * deletion counts among those that are kept. It is no reason for the next one: otherwise each run would delete one event
 * and write one, for ever.
 */
export function* dueEvents(
  tx: Context,
  { before, count: kept }: EventCut,
  { after = 0, upTo = Number.MAX_SAFE_INTEGER } = {},
): Procedure<{ count: number; last: number; more: boolean }> {
  const settled = yield* tx.settled();
  const rows = yield* all<{ event_id: number; event_type: string; created_at: string }>(sql`
    select events.event_id, events.event_type, events.created_at from events
    where events.event_id > ${after} and events.event_id <= ${Math.min(settled, upTo)}
    order by events.event_id limit ${literal(eventsAtOnce)}`);
  // Numbers are consecutive, except where a transaction failed: then one event less is kept.
  const excess = kept === null ? 0 : settled - Math.max(kept, 1);
  const isOld = ({ created_at }: { created_at: string }) => before !== null && created_at <= before;
  const isReason = (row: (typeof rows)[number]) =>
    row.event_id <= excess ||
    (row.event_id < settled && isOld(row) && row.event_type !== ("retention.applied" satisfies EventType));
  // A page full of reports is reason enough: what is behind it would never be looked at.
  if (after === 0 && rows.length < eventsAtOnce && !rows.some(isReason))
    return { count: 0, last: after, more: false };
  const room = kept === null ? 0 : excess + 1;
  const first = rows.findIndex((row) => row.event_id > room && !isOld(row));
  const count = first < 0 ? rows.length : first;
  return { count, last: rows[count - 1]?.event_id ?? after, more: count === eventsAtOnce };
}

export function* deleteEvents(last: number): Procedure<void> {
  yield* run(sql`delete from events where event_id <= ${last}`);
  yield* run(sql`
    ${insert(retention, { kind: "events", max_age_seconds: null, max_count: null, pruned_to: last })}
    on conflict (kind) do update set pruned_to = excluded.pruned_to`);
}
