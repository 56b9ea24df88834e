/** Agents that have acted, the pools that they joined, and names that look like theirs. */
import { InboxError } from "../contract/errors.ts";
import { field, phrase } from "../contract/phrase.ts";
import type { Recipient } from "../contract/recipient.ts";
import { closest } from "../contract/suggest.ts";
import { asking } from "../sql/asking.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, known, nothingToAsk, one } from "../sql/procedure.ts";
import { repeated } from "../sql/repeated.ts";
import { alike, literal, sql, there } from "../sql/sql.ts";
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

/** Records that an agent acts now. Its first act makes it known. */
export function seen(tx: Context, agent: string, now: string): Procedure<void> {
  const noted = tx.recall(`seen:${agent}`);
  if (noted !== undefined && isWithin(seenPrecisionMs, noted, now)) return nothingToAsk;
  return recordSeen(tx, agent, now);
}

function* recordSeen(tx: Context, agent: string, now: string): Procedure<void> {
  const stale = earlierBy(seenPrecisionMs, now);
  // Read first: an update, even one that changes nothing, would make the writes of one agent wait for each other.
  const before = yield* one<{ last_seen_at: string }>(
    alike(sql`select agents.last_seen_at from agents where agents.name = ${agent}`),
  );
  tx.learn(`known:${agent}`, "agent");
  tx.learn(`seen:${agent}`, before && before.last_seen_at >= stale ? before.last_seen_at : now);
  if (before && before.last_seen_at >= stale) return;
  if (!before) yield* admitName(agent);
  const row = yield* one<{ first_seen_at: string }>(sql`
    ${insert(agents, { name: agent, first_seen_at: now, last_seen_at: now })}
    on conflict (name) do update set last_seen_at = excluded.last_seen_at where agents.last_seen_at < ${stale}
    returning first_seen_at`);
  if (row?.first_seen_at === now) yield* append(tx, { type: "agent.joined", source: agent, now });
}

/** The number of an agent's next event. Undefined for an agent that may join with this call: that event comes first. */
export function eventNumberOf(tx: Context, agent: string | undefined): Procedure<number | undefined> {
  if (agent === undefined || !tx.recall(`known:${agent}`)) return known(undefined);
  return tx.eventNumber();
}

export function* join(tx: Context, agent: string): Procedure<void> {
  yield* seen(tx, agent, yield* tx.clock());
}

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

/** [U9] The person is always known. */
const isAlwaysUsed = (tx: Context, name: string) =>
  name === "user" || tx.recall(`known:${name}`) !== undefined;

/** [M13] Whether it is the name of an agent, a pool or a topic. */
export function isUsed(tx: Context, name: string): Procedure<boolean> {
  if (isAlwaysUsed(tx, name)) return known(true);
  return lookFor(tx, name);
}

function lookFor(tx: Context, name: string): Procedure<boolean> {
  return repeated(tx, `used:${name}`, {
    query: () => usesOf(name),
    pick([found]) {
      // An agent stays known for ever, a pool only while it has members, a topic while it has messages or readers.
      if (found?.known === "agent") tx.learn(`known:${name}`, "agent");
      return found !== undefined;
    },
  });
}

const usesOf = (name: string) =>
  there(sql`
    select 'agent' as known from agents where agents.name = ${name}
    union all select 'pool' from pool_members where pool_members.pool = ${name}
    union all select 'topic' from readers where readers.channel = ${name}
    union all select 'topic' from messages where messages.to_agent = ${name} limit 1`);

/** [M13] For an answer that found nothing in a channel: the names that are like an unused one. */
export function* meantBy(tx: Context, channel: string): Procedure<{ similar?: string[] }> {
  if (yield* isUsed(tx, channel)) return {};
  const similar = yield* similarTo(channel);
  return similar.length ? { similar } : {};
}

/** [M13] Whether the name is in use (`used`, if that is known), and which similar ones are. Strict refuses one that is not. */
export function recipientOf(
  tx: Context,
  name: string,
  strict: boolean,
  used?: boolean,
): Procedure<Recipient> {
  if (used || isAlwaysUsed(tx, name)) return known({ name, known: true, similar: [] });
  return perhapsUnused(tx, name, strict, used);
}

function* perhapsUnused(
  tx: Context,
  name: string,
  strict: boolean,
  used: boolean | undefined,
): Procedure<Recipient> {
  if (used ?? (yield* lookFor(tx, name))) return { name, known: true, similar: [] };
  yield* admitName(name);
  const similar = yield* similarTo(name);
  if (!strict) return { name, known: false, similar };
  throw new InboxError("not_found", `no agent, pool or topic is named "${name}"`, {
    hint: similar.length
      ? `did you mean ${similar.map((other) => `"${other}"`).join(" or ")}?`
      : phrase`leave out ${field("strict")} to send to a name that nobody has used yet`,
    details: { similar },
  });
}

/**
 * The maximum number of names of each kind to compare: those from the same first letter on, then the first ones. They
 * are read in the order of an index: sorting 100,000 agents by when they acted made the first message to a topic
 * thirty times as slow.
 */
const compared = 500;

/** Called only for a name that nobody has used: after its first use it is known. */
function* similarTo(name: string): Procedure<string[]> {
  const first = firstLetterOf(name);
  const acting = yield* all<{ name: string }>(sql`
    select names.name from (
      select * from (select agents.name from agents where agents.name >= ${first} order by agents.name limit ${literal(compared)}) as later
      union all
      select * from (select agents.name from agents where agents.name < ${first} order by agents.name limit ${literal(compared)}) as earlier
    ) as names order by names.name`);
  const pools = yield* all<{ name: string }>(sql`
    select pools.pool as name from pools order by pools.pool limit ${literal(compared)}`);
  // Jumps from each name to the next in the index, so the number of messages in a topic does not matter.
  const topics = yield* all<{ name: string | null }>(sql`
    with recursive topics (name) as (
      select min(messages.to_agent) from messages where messages.to_agent >= ${first}
      union all
      select (select min(messages.to_agent) from messages where messages.to_agent > topics.name)
      from topics where topics.name is not null
    )
    select topics.name from topics limit ${literal(compared)}`);
  // `task:T4` is not a misspelling of `task:T5`.
  const family = withoutDigits(name);
  const others = topics.flatMap((topic) =>
    topic.name !== null && withoutDigits(topic.name) !== family ? [topic.name] : [],
  );
  return closest(name, new Set([...acting, ...pools].map((row) => row.name).concat(others)));
}

const firstLetterOf = (name: string) => String.fromCodePoint(name.codePointAt(0)!);
const withoutDigits = (name: string) => name.replace(/\d+/g, "0");
