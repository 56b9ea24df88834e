/** Appending and reading events. Every state change of the bus goes through `append`. */
import type { Event, EventType } from "../contract/event.ts";
import { idOf } from "../contract/ids.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { one, run } from "../sql/procedure.ts";
import { alike, joined, type Sql, sql, word } from "../sql/sql.ts";
import { columnsOf, insert, type RowOf } from "../sql/table.ts";
import { events } from "../sql/tables.ts";
import { entriesTopic, topicsOf } from "../sql/topics.ts";
import type { MessageRow } from "./message.ts";
import { prunedEvents } from "./retention/events.ts" with { load: "when-called" };
import type { ThreadRow } from "./thread.ts";

export type EventRow = RowOf<typeof events>;
export const eventColumns = columnsOf(events);

/** What an event says about a message. Its number may be known only to the database. */
export type TellingOf = Pick<MessageRow, "kind" | "to_agent" | "summary"> & { message_id: number | Sql };

interface NewEvent {
  type: EventType;
  source: string;
  now: string;
  /** The thread as it is after the event. */
  thread?: ThreadRow;
  message?: TellingOf;
  payload?: Record<string, unknown>;
}

/** Records the event and wakes the waits that it may concern. */
export const append = (tx: Context, event: NewEvent): Procedure<void> => run(alike(insertion(tx, event)));

/**
 * [T14] The same for an answer that contains the event's number. On a server that costs a round trip, unless the number was
 * drawn before (`tx.eventNumber`).
 */
export function numbered(tx: Context, event: NewEvent, drawn?: number): Procedure<number> {
  if (drawn === undefined) return tx.inserted(insertion(tx, event), "event_id");
  return numberedAs(tx, event, drawn);
}

function* numberedAs(tx: Context, event: NewEvent, number: number): Procedure<number> {
  yield* run(alike(insert(events, { event_id: number, ...rowOf(tx, event) })));
  return number;
}

/** Records an event whose details only the database knows, if a condition holds there. The waits are woken in any case. */
export function* appendWhere(
  tx: Context,
  event: Omit<NewEvent, "payload">,
  { payload, where }: { payload: Sql; where: Sql },
): Procedure<void> {
  const row = { ...rowOf(tx, event), payload_json: payload };
  const given = Object.entries(row).filter(([, value]) => value !== null);
  const names = given.map(([name]) => word(name));
  // A database server takes a parameter in a select list for text, so numbers are cast.
  const values = given.map(([, value]) =>
    typeof value === "number" ? sql`cast(${value} as bigint)` : value,
  );
  yield* run(alike(sql`insert into events (${joined(names)}) select ${joined(values)} where ${where}`));
}

const insertion = (tx: Context, event: NewEvent) => insert(events, rowOf(tx, event));

function rowOf(tx: Context, { type, source, now, thread, message, payload }: NewEvent) {
  const { thread_id = null, assigned_to = null, addressed_to = null } = thread ?? {};
  const to_agent = message?.to_agent ?? null;
  for (const topic of topicsOf({ event_type: type, source, thread_id, assigned_to, addressed_to, to_agent }))
    tx.wake(topic);
  if (type.startsWith("entr")) tx.wake(entriesTopic);
  const payload_json = JSON.stringify(message ? detailsOf(message, payload) : (payload ?? {}));
  return eventRow({ type, source, now, thread, message, payload_json });
}

/** What the payload of an event says about a message, and what else it says. */
export const detailsOf = <T>({ kind, to_agent }: { kind: T; to_agent: T }, payload: object = {}) => ({
  kind,
  to: to_agent,
  ...payload,
});

/** An event as it is told: its fields are values, or expressions where only the database knows them. */
type Known<R> = { [N in keyof R]: R[N] | Sql };
type Told = Known<{ type: EventType; source: string; now: string; payload_json: string }> & {
  thread?: Known<
    Pick<ThreadRow, "run_id" | "task_id" | "thread_id" | "status" | "created_by" | "assigned_to">
  >;
  message?: Known<Pick<MessageRow, "message_id" | "to_agent" | "summary">>;
};

export const eventRow = ({ type, source, now, thread, message, payload_json }: Told) => ({
  run_id: thread?.run_id ?? null,
  task_id: thread?.task_id ?? null,
  thread_id: thread?.thread_id ?? null,
  source,
  event_type: type,
  status: thread?.status ?? null,
  created_by: thread?.created_by ?? null,
  assigned_to: thread?.assigned_to ?? null,
  to_agent: message?.to_agent ?? null,
  message_id: message?.message_id ?? null,
  summary: message?.summary ?? "",
  payload_json,
  created_at: now,
});

/**
 * The id of the newest event of a thread, including deleted ones. Events of a thread are in order, because they are
 * written under its lock.
 */
export function* latestEventOf(thread: number): Procedure<number> {
  const row = yield* one<{ last: number | null }>(
    sql`select max(events.event_id) as last from events where events.thread_id = ${thread}`,
  );
  return row?.last ?? (yield* prunedEvents());
}

export const eventView = (row: EventRow): Event => ({
  eventId: row.event_id,
  eventType: row.event_type,
  threadId: row.thread_id === null ? null : idOf("thread", row.thread_id),
  runId: row.run_id,
  taskId: row.task_id,
  source: row.source,
  status: row.status,
  assignedTo: row.assigned_to,
  messageId: row.message_id === null ? null : idOf("message", row.message_id),
  summary: row.summary,
  payload: JSON.parse(row.payload_json),
  createdAt: row.created_at,
});
