/**
 * [Y1] Nobody acks messages of a topic: they are over once every stored reader of the topic has read them. They are
 * deleted topic by topic, from the oldest on. A topic without a stored reader is kept, because its messages may be
 * mail to an agent that has not appeared yet. So is a topic in which messages were acked: there, an unacked message
 * waits for somebody.
 */
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, literal, type Sql, sql } from "../../sql/sql.ts";
import { isPast, messagesTo, newestMessages, oldestMessages } from "../../sql/walk.ts";
import { unexpired } from "../channel.ts";
import { isTopic } from "../visible.ts";
import { bytesAtOnce, rowsAtOnce, skippedAtOnce } from "./due.ts";
import { messageBytes } from "./kinds.ts";

/** What is due in one topic: messages before a time, and messages that are not among the newest. */
export interface TopicCut {
  channel: string;
  now: string;
  before: string | null;
  /** By number. */
  upTo: number;
}

/** Messages that are read there. Expired ones are deleted anyway; a hidden one is handed over to a reader. */
const inTopic = (now: string) => sql`messages.thread_id is null
  and messages.acked_at is null and messages.dead_at is null and messages.hidden_until is null and ${unexpired(now)}`;

/** Those that do not wait are acked, or dead letters, of which there are few. */
const someAcked = (tx: Context, channel: Sql) => sql`(exists (
    select 1 from (
      select messages.acked_at from messages where ${messagesTo(tx, channel)} and ${isPast}
      ${oldestMessages} limit ${literal(rowsAtOnce)}) as oldest
    where oldest.acked_at is not null)
  or exists (select 1 from pruned where pruned.channel = ${channel} and pruned.unacked_to < pruned.to_id))`;

/** The last message that all stored readers have read; undefined if it is not a topic, or has no stored reader. */
function* readUpTo(channel: string): Procedure<number | undefined> {
  const row = yield* one<{ position: number | null }>(sql`
    select min(readers.position) as position from readers
    where readers.channel = ${channel} and ${isTopic(fragment`readers.channel`)}`);
  return row?.position ?? undefined;
}

export function* topicsWithReaders(tx: Context): Procedure<string[]> {
  const rows = yield* all<{ channel: string }>(sql`
    select topics.channel from (select distinct readers.channel from readers) as topics
    where ${isTopic(fragment`topics.channel`)} and not ${someAcked(tx, fragment`topics.channel`)} order by topics.channel`);
  return rows.map(({ channel }) => channel);
}

/** Skips some of the newest rows; undefined if there are no more than are to be kept. */
export function* skipNewestOf(
  tx: Context,
  { channel, now }: Pick<TopicCut, "channel" | "now">,
  from: number | undefined,
  left: number,
): Procedure<{ id: number; left: number } | undefined> {
  const skipped = Math.min(left, skippedAtOnce);
  const row = yield* one<{ message_id: number }>(sql`
    select messages.message_id from messages
    where ${messagesTo(tx, channel, from === undefined ? {} : { before: from + 1 })} and ${inTopic(now)}
    ${newestMessages} limit 1 offset ${literal(skipped)}`);
  return row && { id: row.message_id, left: left - skipped };
}

/** The oldest messages after a position that are due; at most as many as can be deleted in a short time. */
export function* dueInTopic(
  tx: Context,
  { channel, now, before, upTo }: TopicCut,
  after: number,
): Procedure<{ ids: number[]; more: boolean }> {
  const read = yield* readUpTo(channel);
  if (read === undefined) return { ids: [], more: false };
  const rows = yield* all<{ message_id: number; created_at: string; cost: number }>(sql`
    select messages.message_id, messages.created_at, ${messageBytes} as cost from messages
    where ${messagesTo(tx, channel, { after, before: read + 1 })} and ${inTopic(now)}
    ${oldestMessages} limit ${literal(rowsAtOnce)}`);
  const isKept = (row: { message_id: number; created_at: string }) =>
    row.message_id > upTo && (before === null || row.created_at > before);
  const ids: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (isKept(row)) return { ids, more: false };
    bytes += row.cost;
    if (ids.length && bytes > bytesAtOnce) return { ids, more: true };
    ids.push(row.message_id);
  }
  return { ids, more: rows.length === rowsAtOnce };
}
