/** [G3] Pointers that the carrier has not taken yet: written with their message, and deleted once the carrier has them. */
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, nothingToAsk, one, run } from "../sql/procedure.ts";
import { joined, literal, type Sql, sql } from "../sql/sql.ts";
import { insert } from "../sql/table.ts";
import { outbox } from "../sql/tables.ts";
import { deliverable } from "./channel.ts";

export interface Pointed {
  id: number;
  agent: string;
  expiresInMs: number | null;
}

export function addToOutbox(tx: Context, { id, agent, expiresInMs }: Pointed): Procedure<void> {
  if (!tx.carry) return nothingToAsk;
  tx.carry({ id, agent, expiresInMs });
  return run(sql`${insert(outbox, { message_id: id, agent_id: agent })} on conflict do nothing`);
}

export const msUntil = (at: string | null, now: string) =>
  at === null ? null : Date.parse(at) - Date.parse(now);

/** How long a process may take to hand a pointer to the carrier; after that another process takes it. */
const takenMs = 10_000;

/** Pointers that were not carried for a while, and that nobody is carrying now. */
function left(now: string, olderMs: number): Sql {
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString();
  return sql`(outbox.taken_at is null or outbox.taken_at <= ${before(takenMs)}) and not exists (
    select 1 from messages where messages.message_id = outbox.message_id and messages.created_at > ${before(olderMs)})`;
}

/** Whether there are pointers to carry or to delete: their writer died, or has no carrier. */
export function* isLeft(tx: Context, olderMs: number): Procedure<boolean> {
  const now = yield* tx.clock();
  return (yield* one(sql`select 1 as some from outbox where ${left(now, olderMs)} limit 1`)) !== undefined;
}

/**
 * Takes what is left. If many processes sweep at once, each pointer is carried by one of them. Pointers that no
 * longer matter are deleted first.
 */
export function* takeLeft(tx: Context, olderMs: number, limit: number): Procedure<Pointed[]> {
  const now = yield* tx.clock();
  yield* run(sql`
    delete from outbox where message_id in (
      select outbox.message_id from outbox left join messages on messages.message_id = outbox.message_id
      where messages.message_id is null or messages.acked_at is not null or messages.dead_at is not null limit ${literal(limit)})`);
  const rows = yield* all<{ message_id: number; agent_id: string; expires_at: string | null }>(sql`
    update outbox set taken_at = ${now} where message_id in (
      select outbox.message_id from outbox where ${left(now, olderMs)}
      order by outbox.message_id limit ${literal(limit)} ${tx.forUpdateFree})
    returning message_id, agent_id,
      (select messages.expires_at from messages where messages.message_id = outbox.message_id) as expires_at`);
  return rows
    .map((row) => ({ id: row.message_id, agent: row.agent_id, expiresInMs: msUntil(row.expires_at, now) }))
    .sort((a, b) => a.id - b.id);
}

/** They could not be carried: another process may try at once. */
export function* putBack(ids: readonly number[]): Procedure<void> {
  if (ids.length) yield* run(sql`update outbox set taken_at = null where message_id in (${joined(ids)})`);
}

/** An id that distinguishes this bus from every other one. */
export function* busId(): Procedure<string> {
  return (yield* one<{ bus_id: string }>(sql`select bus.bus_id from bus`))!.bus_id;
}

export function* carried(ids: readonly number[]): Procedure<void> {
  if (ids.length) yield* run(sql`delete from outbox where message_id in (${joined(ids)})`);
}

/** Which of these messages could still be delivered now. */
export function* stillThere(tx: Context, ids: readonly number[]): Procedure<number[]> {
  const now = yield* tx.clock();
  const rows = yield* all<{ message_id: number }>(
    sql`select messages.message_id from messages where messages.message_id in (${joined(ids)}) and ${deliverable(now)}`,
  );
  return rows.map((row) => row.message_id);
}
