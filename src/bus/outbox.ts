/** [G3] Pointers that a carrier has still to take: written with their message, deleted once the carrier has them. */
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one, run } from "../sql/procedure.ts";
import { joined, literal, sql } from "../sql/sql.ts";
import { deliverable } from "./channel.ts";

export interface Pointed {
  id: number;
  agent: string;
  expiresInMs: number | null;
}

export function* post(tx: Context, { id, agent, expiresInMs }: Pointed): Procedure<void> {
  if (!tx.carry) return;
  yield* run(sql`insert into outbox (message_id, agent_id) values (${id}, ${agent}) on conflict do nothing`);
  tx.carry({ id, agent, expiresInMs });
}

export const msUntil = (at: string | null, now: string) =>
  at === null ? null : Date.parse(at) - Date.parse(now);

interface LeftRow {
  message_id: number;
  agent_id: string;
  expires_at: string | null;
}

/** What nobody has carried for a while: its writer died, or has no carrier. Those that nobody waits for any more go first. */
export function* leftOver(tx: Context, olderMs: number, limit: number): Procedure<Pointed[]> {
  const now = yield* tx.clock();
  const before = new Date(Date.parse(now) - olderMs).toISOString();
  yield* run(sql`
    delete from outbox where message_id in (
      select outbox.message_id from outbox left join messages on messages.message_id = outbox.message_id
      where messages.message_id is null or messages.acked_at is not null or messages.dead_at is not null limit ${literal(limit)})`);
  const rows = yield* all<LeftRow>(sql`
    select outbox.message_id, outbox.agent_id, messages.expires_at
    from outbox join messages on messages.message_id = outbox.message_id
    where messages.created_at <= ${before} order by outbox.message_id limit ${literal(limit)}`);
  return rows.map((row) => ({
    id: row.message_id,
    agent: row.agent_id,
    expiresInMs: msUntil(row.expires_at, now),
  }));
}

/** What sets this bus apart from every other. */
export function* busId(): Procedure<string> {
  return (yield* one<{ bus_id: string }>(sql`select bus.bus_id from bus`))!.bus_id;
}

export function* carried(ids: readonly number[]): Procedure<void> {
  if (ids.length) yield* run(sql`delete from outbox where message_id in (${joined(ids)})`);
}

/** Which of these somebody could still be given now. */
export function* stillThere(tx: Context, ids: readonly number[]): Procedure<number[]> {
  const now = yield* tx.clock();
  const rows = yield* all<{ message_id: number }>(
    sql`select messages.message_id from messages where messages.message_id in (${joined(ids)}) and ${deliverable(now)}`,
  );
  return rows.map((row) => row.message_id);
}
