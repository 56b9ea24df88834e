/** [M2] [M3] Reading a channel, without a trace; and moving a reader's stored position, which is explicit. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { joined, type Sql, sql } from "../../sql/sql.ts";
import { channelView, findMessage, fitted, unexpired, waiting } from "../channel.ts";
import { append } from "../event.ts";
import { type MessageRow, messageColumns } from "../message.ts";

type Input = ParsedOf<"messages.inbox">;

export function* msgInbox(tx: Context, input: Input): Procedure<OutputOf<"messages.inbox">> {
  const { channel, reader, sender, correlationId } = input;
  if (input.commit && reader === undefined)
    throw new InboxError("invalid_input", "commit moves a reader's position, and no reader is named", {
      hint: "add --reader NAME",
    });
  const now = yield* tx.clock();
  const stored = reader === undefined ? undefined : yield* positionOf(channel, reader);
  const after = input.afterId ?? stored ?? 0;
  const everything = input.includeAcked || reader !== undefined;
  const conditions: Sql[] = [sql`messages.to_agent = ${channel}`, sql`messages.message_id > ${after}`];
  conditions.push(everything ? unexpired(now) : waiting(now));
  if (reader !== undefined || (everything && after > 0)) {
    const end = yield* gapAfter(channel, after, now);
    if (end !== undefined) conditions.push(sql`messages.message_id < ${end}`);
  }
  if (sender !== undefined) conditions.push(sql`messages.from_agent = ${sender}`);
  if (correlationId !== undefined) conditions.push(sql`messages.correlation_id = ${correlationId}`);
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where ${joined(conditions, " and ")}
    order by messages.message_id limit ${input.limit}`);
  const messages = fitted(rows).map(channelView);
  return { messages, channel, count: messages.length };
}

function* positionOf(channel: string, reader: string): Procedure<number> {
  const row = yield* one<{ position: number }>(sql`
    select readers.position from readers where readers.channel = ${channel} and readers.reader = ${reader}`);
  return row?.position ?? 0;
}

/**
 * [M7] Where gc has deleted something after a cursor: if nothing is left before it, the cursor has expired; else the
 * page ends there, and the next one says so. Never a silent gap.
 */
function* gapAfter(channel: string, after: number, now: string): Procedure<number | undefined> {
  const gap = yield* one<{ from_id: number; to_id: number }>(sql`
    select pruned.from_id, pruned.to_id from pruned where pruned.channel = ${channel} and pruned.to_id > ${after}
    order by pruned.from_id limit 1`);
  if (!gap) return undefined;
  const next = yield* one<{ message_id: number }>(sql`
    select messages.message_id from messages
    where messages.to_agent = ${channel} and messages.message_id > ${after} and ${unexpired(now)}
    order by messages.message_id limit 1`);
  if (next && next.message_id < gap.from_id) return gap.from_id;
  const oldest = next?.message_id ?? gap.to_id + 1;
  throw new InboxError("cursor_expired", `gc has deleted messages of "${channel}" after ${after}`, {
    hint: `go on with --after ${oldest - 1}; the oldest message still there is ${oldest}`,
    details: { channel, after, oldest_id: oldest },
  });
}

export function* commitReader(
  tx: Context,
  { channel, reader, position }: { channel: string; reader: string; position: number },
): Procedure<void> {
  const now = yield* tx.clock();
  const moved = yield* one(sql`
    insert into readers (channel, reader, position, committed_at) values (${channel}, ${reader}, ${position}, ${now})
    on conflict (channel, reader) do update set position = excluded.position, committed_at = excluded.committed_at
    where readers.position < excluded.position returning position`);
  if (moved)
    yield* append(tx, { type: "reader.committed", source: reader, payload: { channel, position }, now });
}

export function* msgPending(
  tx: Context,
  { channel }: ParsedOf<"messages.pending">,
): Procedure<OutputOf<"messages.pending">> {
  const now = yield* tx.clock();
  const row = yield* one<{ count: number }>(
    sql`select count(*) as count from messages where messages.to_agent = ${channel} and ${waiting(now)}`,
  );
  return { channel, count: row!.count };
}

/** [M8] Every message with that id but the first, across channels. */
export function* msgReplies(
  tx: Context,
  input: ParsedOf<"messages.replies">,
): Procedure<OutputOf<"messages.replies">> {
  const { correlationId, limit } = input;
  const now = yield* tx.clock();
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where messages.correlation_id = ${correlationId} and ${unexpired(now)}
      and messages.message_id > (select min(first.message_id) from messages as first where first.correlation_id = ${correlationId})
    order by messages.message_id limit ${limit}`);
  const messages = fitted(rows).map(channelView);
  return { messages, correlationId, count: messages.length };
}

/** [M11] What became of a message. */
export function* msgStatus(
  tx: Context,
  { id }: ParsedOf<"messages.status">,
): Procedure<OutputOf<"messages.status">> {
  const now = yield* tx.clock();
  const row = yield* findMessage(id, unexpired(now));
  return {
    id,
    channel: row.to_agent,
    sender: row.from_agent,
    status: channelView(row).status,
    storedAt: row.created_at,
    firstHandedAt: row.first_handed_at,
    handed: row.handed,
    ackedAt: row.acked_at,
    ackedBy: row.acked_by,
    deadAt: row.dead_at,
    deadReason: row.dead_reason,
    expiresAt: row.expires_at,
  };
}
