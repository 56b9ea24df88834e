/** [M13] Whether anybody uses a name, and which similar names are used instead. */
import { person } from "../contract/entry.ts";
import { InboxError } from "../contract/errors.ts";
import { field, phrase } from "../contract/phrase.ts";
import type { Recipient, Unknown } from "../contract/recipient.ts";
import { closest } from "../contract/suggest.ts";
import type { Context, Procedure, Row } from "../sql/procedure.ts";
import { all, known } from "../sql/procedure.ts";
import { repeated } from "../sql/repeated.ts";
import { fragment, literal, nothing, type Sql, sql, there } from "../sql/sql.ts";
import { eitherMessages, nextChannel } from "../sql/walk.ts";
import { admitName } from "./names.ts";

/** What a name is taken for. A topic is used once it has messages; the inbox of an agent is not used by its mail alone. */
type As = "agent" | "channel";

/** [U9] The person is always known. */
const isAlwaysUsed = (tx: Context, name: string) =>
  name === person || tx.recall(`known:${name}`) !== undefined;

export function isUsed(tx: Context, name: string, as: As): Procedure<boolean> {
  if (isAlwaysUsed(tx, name)) return known(true);
  return lookFor(tx, name, as);
}

const orTopic = (name: string) =>
  sql`union all select 'topic' from ${eitherMessages} where messages.to_agent = ${name}`;

const lookFor = (tx: Context, name: string, as: As): Procedure<boolean> =>
  repeated(tx, `used as ${as}:${name}`, uses, { name, as });

interface Used {
  name: string;
  as: As;
}

const uses = {
  query: usesOf,
  pick([found]: Row[], { name }: Used, tx: Context): boolean {
    // An agent stays known for ever, a pool only while it has members, a topic while it has messages or readers.
    if (found?.known === "agent") tx.learn(`known:${name}`, "agent");
    return found !== undefined;
  },
};

function usesOf({ name, as }: Used): Sql {
  return there(sql`
    select 'agent' as known from agents where agents.name = ${name}
    union all select 'pool' from pool_members where pool_members.pool = ${name}
    union all select 'topic' from readers where readers.channel = ${name}
    union all select 'task' from tasks where tasks.name = ${name}
    ${as === "channel" ? orTopic(name) : nothing} limit 1`);
}

/** [M13] For an answer that found nothing in a channel that nobody has used: the names that are like it. */
export function* meantBy(tx: Context, channel: string): Procedure<{ similar?: string[] }> {
  if (yield* isUsed(tx, channel, "channel")) return {};
  return { similar: yield* similarTo(tx, channel) };
}

/**
 * [M13] For an answer to agents that found nothing: those of the names that nobody has used and that are like used ones.
 * `joined` was used for the first time by this call.
 */
export function* unknownAmong(
  tx: Context,
  names: readonly string[],
  joined?: string,
): Procedure<{ unknown?: Unknown[] }> {
  const unknown: Unknown[] = [];
  for (const name of new Set(names)) {
    if (name !== joined && (yield* isUsed(tx, name, "agent"))) continue;
    // The next of several workers is no misspelling of the one before.
    const similar = (yield* similarTo(tx, name)).filter((other) => !isSameSeries(other, name));
    if (similar.length) unknown.push({ name, similar });
  }
  return unknown.length ? { unknown } : {};
}

interface Addressee {
  strict: boolean;
  as?: As;
  /** Whether it is in use, if that is known. */
  used?: boolean;
}

/** [M13] Whether the name is in use, and which similar ones are. Strict refuses one that is not. */
export function recipientOf(
  tx: Context,
  name: string,
  { strict, as = "agent", used }: Addressee,
): Procedure<Recipient> {
  if (used || isAlwaysUsed(tx, name)) return known({ name, known: true, similar: [] });
  return perhapsUnused(tx, name, { strict, as, used });
}

function* perhapsUnused(
  tx: Context,
  name: string,
  { strict, as = "agent", used }: Addressee,
): Procedure<Recipient> {
  if (used ?? (yield* lookFor(tx, name, as))) return { name, known: true, similar: [] };
  yield* admitName(name);
  const similar = yield* similarTo(tx, name);
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

/** A leader may send a thousand messages before their addressee starts: the names are not compared for each of them. */
const similarMs = 10_000;

function* similarTo(tx: Context, name: string): Procedure<string[]> {
  const [at, names] = JSON.parse(tx.recall(`similar:${name}`) ?? "[0,[]]") as [number, string[]];
  const now = performance.now();
  if (at > 0 && now - at < similarMs) return names;
  const similar = yield* compareAll(tx, name);
  tx.learn(`similar:${name}`, JSON.stringify([now, similar]));
  return similar;
}

function* compareAll(tx: Context, name: string): Procedure<string[]> {
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
      select ${nextChannel(sql`${first}`, fragment`>=`)}
      union all
      select ${nextChannel(fragment`topics.name`)}
      from topics where topics.name is not null
    )
    select topics.name from topics limit ${literal(compared)}`);
  const others = topics.flatMap((topic) =>
    topic.name !== null && !isSameSeries(topic.name, name) ? [topic.name] : [],
  );
  const using = new Set([person, ...[...acting, ...pools].map((row) => row.name)]);
  const similar = new Set(closest(name, using));
  for (const [i, topic] of closest(name, others).entries()) {
    if (using.has(topic)) continue;
    // A name that was only written to may be an earlier misspelling itself. Asked of the closest one, as it takes 0.3 ms.
    const meant = i > 0 || (yield* isUsed(tx, topic, "agent")) ? [] : closest(topic, using);
    for (const one of meant.length ? meant : [topic]) if (one !== name) similar.add(one);
  }
  return [...similar].slice(0, 3);
}

const firstLetterOf = (name: string) => String.fromCodePoint(name.codePointAt(0)!);
const withoutDigits = (name: string) => name.replace(/\d+/g, "0");
/** `task:T4` is not a misspelling of `task:T5`. */
const isSameSeries = (one: string, other: string) => withoutDigits(one) === withoutDigits(other);
