/** Mail that could be handed over: what of it comes first, and when time alone brings more. */
import type { Mail } from "../../contract/mail.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { alike, fragment, joined, literal, nothing, type Sql, sql } from "../../sql/sql.ts";
import { messagesTo, newestMessages, oldestMessages } from "../../sql/walk.ts";
import { deliverable, doomed, fitted, mailView, waiting } from "../channel.ts";
import { type MessageRow, messageColumns } from "../message.ts";

export interface Wanted {
  agent: string;
  from?: string;
  lifo?: boolean;
  max: number;
  /** Only these messages. */
  ids?: readonly number[];
  /** Only those that meet this condition: what the reader may see. */
  seen?: Sql;
}

/** Where those wait who take mail of an agent. */
export const lineOf = (agent: string) => `inbox:${agent}`;

export function* deliverables(tx: Context, wanted: Wanted): Procedure<MessageRow[]> {
  return yield* all<MessageRow>(alike(sql`${query(tx, messageColumns, wanted)} ${tx.forUpdateNext}`));
}

export interface Others {
  /** How much mail they have in hand. */
  hidden: number;
  /** The numbers of what comes first, whether it is free or they are taking it just now. Not read where nothing is skipped. */
  first: readonly number[];
}

/** What others have, and may have soon. */
export function* others(tx: Context, wanted: Wanted): Procedure<Others> {
  const { agent, lifo } = wanted;
  if (!tx.skips) return { hidden: yield* hiddenCount(agent, tx.time()), first: [] };
  const row = yield* one<{ hidden: number; first: string | null }>(
    alike(sql`
      select (${countHidden(agent, tx.time())}) as hidden, (
        select ${tx.joinedTexts}(cast(found.message_id as text), ',')
        from (${query(tx, messageNumber, wanted)}) as found) as first`),
  );
  const numbers = row!.first?.split(",").map(Number) ?? [];
  return { hidden: row!.hidden, first: numbers.sort((a, b) => (lifo ? b - a : a - b)) };
}

/**
 * [B1.7] Whether another transaction is taking mail that comes before what was found. It may fail yet, and then that would be handed
 * out after newer mail. Mail that was asked for by its numbers has no order, but all of it is wanted.
 */
export function isOvertaking(
  { ids }: Wanted,
  found: readonly MessageRow[],
  first: readonly number[],
): boolean {
  const taken = new Set(found.map((row) => row.message_id));
  const before = ids === undefined ? first.slice(0, Math.max(1, found.length)) : first;
  return before.some((number) => !taken.has(number));
}

const messageNumber = fragment`messages.message_id`;

function query(
  tx: Context,
  columns: Sql,
  { agent, from, lifo, ids, max, seen = nothing }: Wanted,
  now: Sql | string = tx.time(),
): Sql {
  const sender = from === undefined ? nothing : sql`and messages.from_agent = ${from}`;
  const chosen = ids === undefined ? nothing : sql`and messages.message_id in (${joined(ids)})`;
  return sql`
    select ${columns} from messages where ${messagesTo(tx, agent)} and ${deliverable(now)} ${sender} ${chosen} ${seen}
    ${lifo ? newestMessages : oldestMessages} limit ${literal(max)}`;
}

/** What could be handed over now, without touching it. */
export function* waitingMail(tx: Context, wanted: Wanted): Procedure<{ messages: Mail[]; hidden: number }> {
  const now = yield* tx.clock();
  const rows = yield* all<MessageRow>(query(tx, messageColumns, wanted, now));
  return { messages: fitted(rows).map(mailView), hidden: yield* hiddenCount(wanted.agent, now, wanted.seen) };
}

interface Readiness {
  enough: boolean;
  /** When the next hidden message becomes visible again. */
  againInMs?: number;
  /** Whether there are dead letters that are not stored as such yet. */
  burials: boolean;
}

/** Whether there is enough mail; only if not, when time alone will bring more. */
export function* ready(tx: Context, wanted: Wanted): Procedure<Readiness> {
  const now = yield* tx.clock();
  const { length } = yield* all(query(tx, messageNumber, wanted, now));
  if (length >= wanted.max) return { enough: true, burials: false };
  const againInMs = yield* returnsInMs(wanted.agent, now);
  const over = yield* one(
    sql`select 1 as some from messages where ${doomed(now)} and messages.to_agent = ${wanted.agent} limit 1`,
  );
  return { enough: false, againInMs, burials: over !== undefined };
}

/** When the earliest hand-over to another reader expires, and its message can be delivered again. */
export function* returnsInMs(agent: string, now: string): Procedure<number | undefined> {
  const next = yield* one<{ at: string | null }>(sql`
    select min(messages.hidden_until) as at from messages
    where messages.to_agent = ${agent} and ${waiting(now)} and messages.hidden_until > ${now}`);
  return next?.at ? Date.parse(next.at) - Date.parse(now) + 1 : undefined;
}

const countHidden = (agent: string, now: Sql | string, seen = nothing) => sql`
  select count(*) as count from messages
  where messages.to_agent = ${agent} and ${waiting(now)} and messages.hidden_until > ${now} ${seen}`;

function* hiddenCount(agent: string, now: Sql | string, seen = nothing): Procedure<number> {
  const count = countHidden(agent, now, seen);
  return (yield* one<{ count: number }>(seen === nothing ? alike(count) : count))!.count;
}
