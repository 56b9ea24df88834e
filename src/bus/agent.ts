/** Agents that have acted, and the pools that they joined. */
import { asking } from "../sql/asking.ts";
import { asText, presumes } from "../sql/plain.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { known, one } from "../sql/procedure.ts";
import { alike, fragment, literal, type Sql, sql } from "../sql/sql.ts";
import { insert } from "../sql/table.ts";
import { agents } from "../sql/tables.ts";
import { append } from "./event.ts";
import { earlierBy, isWithin } from "./expiry.ts";
import { admitName } from "./names.ts";

/** An agent's writes update "last seen" at most this often; it needs no better precision. */
const seenPrecisionMs = 1000;

/** An agent that acted within this time counts as live. */
const liveMs = 60_000;
export const liveSince = (now: string) => new Date(Date.parse(now) - liveMs).toISOString();

const knownBefore = known(false);

/** Records that an agent acts now. Its first act makes it known; true if this is the first. */
export function seen(tx: Context, agent: string, now: string): Procedure<boolean> {
  const noted = tx.recall(`seen:${agent}`);
  if (noted !== undefined && isWithin(seenPrecisionMs, noted, now)) return knownBefore;
  return recordSeen(tx, agent, now);
}

function* recordSeen(tx: Context, agent: string, now: string): Procedure<boolean> {
  const stale = earlierBy(seenPrecisionMs, now);
  // Read first: an update, even one that changes nothing, would make the writes of one agent wait for each other.
  const before = yield* one<{ last_seen_at: string }>(
    alike(sql`select agents.last_seen_at from agents where agents.name = ${agent}`),
  );
  tx.learn(`known:${agent}`, "agent");
  tx.learn(`seen:${agent}`, before && before.last_seen_at >= stale ? before.last_seen_at : now);
  if (before && before.last_seen_at >= stale) return false;
  if (!before) yield* admitName(agent);
  const row = yield* one<{ first_seen_at: string }>(sql`
    ${insert(agents, { name: agent, first_seen_at: now, last_seen_at: now })}
    on conflict (name) do update set last_seen_at = excluded.last_seen_at where agents.last_seen_at < ${stale}
    returning first_seen_at`);
  if (row?.first_seen_at === now) yield* append(tx, { type: "agent.joined", source: agent, now });
  return !before;
}

/**
 * The same in one statement, for agents that are known: those of a part, with the times of their calls (`at`). A row that is
 * locked is skipped: it is just being written, by somebody who may wait for a lock of this statement.
 */
export function seenBy(acting: Sql, many: boolean): Sql {
  const precision = fragment`- interval '${literal(seenPrecisionMs)} milliseconds'`;
  if (!many)
    return fragment`
    update agents set last_seen_at = ${asText(fragment`due.at`)} from (
      select free.name, acting.at from ${acting} as acting join agents as free on free.name = acting.agent
        and free.last_seen_at < ${asText(fragment`acting.at ${precision}`)}
      for no key update of free skip locked) as due
    where agents.name = due.name`;
  const latest = (before = fragment``) =>
    asText(fragment`(select max(acting.at) from ${acting} as acting) ${before}`);
  return fragment`
    update agents set last_seen_at = ${latest()}
    where agents.name = any (array(
      select free.name from agents as free
      where free.name = any (array(select acting.agent from ${acting} as acting))
        and free.last_seen_at < ${latest(precision)}
      for no key update skip locked))`;
}

/** The number of an agent's next event. Undefined for an agent that may join with this call: that event comes first. */
export function eventNumberOf(tx: Context, agent: string | undefined): Procedure<number | undefined> {
  if (agent === undefined || !tx.recall(`known:${agent}`)) return known(undefined);
  return tx.eventNumber();
}

export function* join(tx: Context, agent: string): Procedure<boolean> {
  return yield* seen(tx, agent, yield* tx.clock());
}

/** Whether this process has learnt that it is known; an agent stays known for ever. */
export const isKnownHere = (recall: Context["recall"], agent: string) =>
  recall(`known:${agent}`) !== undefined;

/** The same, or it may be tried. */
export const mayBeKnown = (recall: Context["recall"], agent: string) =>
  isKnownHere(recall, agent) || recall(presumes) !== undefined;

/** The same in a plain case, where the database is asked: the bus may have been replaced under this process. */
export const isAgent = (name: Sql) => fragment`(select count(*) from agents where agents.name = ${name}) = 1`;

export function* isKnown(tx: Context, agent: string): Procedure<boolean> {
  if (tx.recall(`known:${agent}`)) return true;
  const row = yield* one(sql`select 1 as there from agents where agents.name = ${agent}`);
  if (row) tx.learn(`known:${agent}`, "agent");
  return row !== undefined;
}

/** The names under which work reaches an agent: its own and its pools'. */
export const namesOf = (agent: string): Procedure<string[]> =>
  asking(
    sql`select pool_members.pool from pool_members where pool_members.agent_id = ${agent} order by pool_members.pool`,
    (rows) => [agent, ...rows.map((row) => row.pool as string)],
  );
