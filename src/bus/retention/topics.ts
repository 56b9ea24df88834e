/**
 * [Y1] Messages of a topic are acked by nobody: they are over once every stored reader of the topic has read them. They go topic by
 * topic, from the oldest on. A topic without a stored reader is kept: its messages may be mail to somebody who has yet to
 * come. So is one in which somebody acks: there, what is not acked waits for somebody.
 */
import type { Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, literal, type Sql, sql } from "../../sql/sql.ts";
import { unexpired } from "../channel.ts";
import { isTopic } from "../visible.ts";
import { bytesAtOnce, rowsAtOnce, skippedAtOnce } from "./due.ts";
import { messageBytes } from "./kinds.ts";

/** What of one topic is due: what was written before a time, and what comes before its newest messages. */
export interface TopicCut {
  channel: string;
  now: string;
  before: string | null;
  /** By number. */
  upTo: number;
}

/** Those that are read there. An expired one is nobody's, and goes by itself; one that is hidden is in somebody's hands. */
const inTopic = (
  channel: string,
  now: string,
) => sql`messages.to_agent = ${channel} and messages.thread_id is null
  and messages.acked_at is null and messages.dead_at is null and messages.hidden_until is null and ${unexpired(now)}`;

/** What was acked is the oldest, or was deleted: so few need to be looked at. */
const someAcked = (channel: Sql) => sql`(exists (
    select 1 from (
      select messages.acked_at from messages where messages.to_agent = ${channel}
      order by messages.message_id limit ${literal(rowsAtOnce)}) as oldest
    where oldest.acked_at is not null)
  or exists (select 1 from pruned where pruned.channel = ${channel} and pruned.unacked_to < pruned.to_id))`;

/** Up to which message everybody has read it; undefined where it is no topic, or has no stored reader. */
function* readUpTo(channel: string): Procedure<number | undefined> {
  const row = yield* one<{ position: number | null }>(sql`
    select min(readers.position) as position from readers
    where readers.channel = ${channel} and ${isTopic(fragment`readers.channel`)}`);
  return row?.position ?? undefined;
}

export function* topicsWithReaders(): Procedure<string[]> {
  const rows = yield* all<{ channel: string }>(sql`
    select topics.channel from (select distinct readers.channel from readers) as topics
    where ${isTopic(fragment`topics.channel`)} and not ${someAcked(fragment`topics.channel`)} order by topics.channel`);
  return rows.map(({ channel }) => channel);
}

/** Goes back over some of the newest; undefined where there are no more than are left to skip. */
export function* skipNewestOf(
  { channel, now }: Pick<TopicCut, "channel" | "now">,
  from: number | undefined,
  left: number,
): Procedure<{ id: number; left: number } | undefined> {
  const skipped = Math.min(left, skippedAtOnce);
  const row = yield* one<{ message_id: number }>(sql`
    select messages.message_id from messages
    where ${inTopic(channel, now)} and messages.message_id <= ${from ?? Number.MAX_SAFE_INTEGER}
    order by messages.message_id desc limit 1 offset ${literal(skipped)}`);
  return row && { id: row.message_id, left: left - skipped };
}

/** The oldest after a message that are due, no more than can go in a short time. */
export function* dueInTopic(
  { channel, now, before, upTo }: TopicCut,
  after: number,
): Procedure<{ ids: number[]; more: boolean }> {
  const read = yield* readUpTo(channel);
  if (read === undefined) return { ids: [], more: false };
  const rows = yield* all<{ message_id: number; created_at: string; cost: number }>(sql`
    select messages.message_id, messages.created_at, ${messageBytes} as cost from messages
    where ${inTopic(channel, now)} and messages.message_id > ${after} and messages.message_id <= ${read}
    order by messages.message_id limit ${literal(rowsAtOnce)}`);
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
