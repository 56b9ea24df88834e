/** [M2] [M3] Reading a channel, without a trace; and moving a reader's stored position, which is explicit. */
import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { joined, literal, type Sql, sql } from "../../sql/sql.ts";
import { aged, channelView, findMessage, fitted, unexpired, waiting } from "../channel.ts";
import { append } from "../event.ts";
import { type MessageRow, messageColumns } from "../message.ts";
import { admitName } from "../names.ts";
import { and, visible } from "../visible.ts";

type Input = ParsedOf<"messages.inbox">;

export function* msgInbox(tx: Context, input: Input): Procedure<OutputOf<"messages.inbox">> {
  const { channel, reader, sender, correlationId } = input;
  if (input.commit && reader === undefined)
    throw new InboxError("invalid_input", "commit moves a reader's position, and no reader is named", {
      hint: phrase`add ${field("reader", blank("NAME"))}`,
    });
  if (input.newest && (reader !== undefined || input.afterId !== undefined))
    throw new InboxError("invalid_input", "newest begins at the end, and a position was given", {
      hint: phrase`leave out ${field("afterId")} and ${field("reader")}`,
    });
  const now = yield* tx.clock();
  const stored = reader === undefined ? undefined : yield* positionOf(channel, reader);
  const cursor = input.afterId ?? stored;
  const after = cursor ?? 0;
  const everything = input.includeAcked || input.onlyAcked || reader !== undefined;
  // Whoever begins at the beginning has seen nothing that could be missing.
  const gap = everything && cursor ? yield* gapAfter(channel, after) : undefined;
  const conditions: Sql[] = [
    sql`messages.to_agent = ${channel}`,
    sql`messages.message_id > ${after}`,
    ...visible.messages(tx),
  ];
  conditions.push(everything ? unexpired(now) : waiting(now));
  if (gap) conditions.push(sql`messages.message_id < ${gap.from_id}`);
  if (input.onlyAcked) conditions.push(sql`messages.acked_at is not null`);
  if (sender !== undefined) conditions.push(sql`messages.from_agent = ${sender}`);
  if (correlationId !== undefined) conditions.push(sql`messages.correlation_id = ${correlationId}`);
  const rows = yield* all<MessageRow>(sql`
    select ${messageColumns} from messages where ${joined(conditions, " and ")}
    order by messages.message_id ${input.newest ? sql`desc` : sql`asc`} limit ${literal(input.limit)}`);
  // What lies before the gap is read first. When nothing is left of it, the cursor has expired: never a silent gap.
  if (gap && !rows.length) throw yield* expired(channel, after, gap, now);
  const messages = fitted(rows).map((row) => channelView(aged(row, now)));
  if (input.newest) messages.reverse();
  return { messages, channel, count: messages.length };
}

function* positionOf(channel: string, reader: string): Procedure<number | undefined> {
  const row = yield* one<{ position: number }>(sql`
    select readers.position from readers where readers.channel = ${channel} and readers.reader = ${reader}`);
  return row?.position;
}

interface Gap {
  from_id: number;
  to_id: number;
}

/** [M7] The first range after a cursor that gc has deleted. */
function* gapAfter(channel: string, after: number): Procedure<Gap | undefined> {
  return yield* one<Gap>(sql`
    select pruned.from_id, pruned.to_id from pruned where pruned.channel = ${channel} and pruned.to_id > ${after}
    order by pruned.from_id limit 1`);
}

function* expired(channel: string, after: number, gap: Gap, now: string): Procedure<InboxError> {
  const next = yield* one<{ message_id: number }>(sql`
    select messages.message_id from messages
    where messages.to_agent = ${channel} and messages.message_id > ${gap.to_id} and ${unexpired(now)}
    order by messages.message_id limit 1`);
  const oldest = next?.message_id ?? gap.to_id + 1;
  return new InboxError("cursor_expired", `gc has deleted messages of "${channel}" after ${after}`, {
    hint: phrase`go on with ${field("afterId", oldest - 1)}; the oldest message still there is ${oldest}`,
    details: { channel, after, oldest_id: oldest },
  });
}

export function* commitReader(
  tx: Context,
  { channel, reader, position }: { channel: string; reader: string; position: number },
): Procedure<void> {
  const now = yield* tx.clock();
  yield* admitName(channel);
  yield* admitName(reader);
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
    sql`select count(*) as count from messages where messages.to_agent = ${channel} and ${waiting(now)} ${and(visible.messages(tx))}`,
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
    select ${messageColumns} from messages where messages.correlation_id = ${correlationId} and messages.reply = 1
      and ${unexpired(now)} ${and(visible.messages(tx))}
    order by messages.message_id limit ${literal(limit)}`);
  const messages = fitted(rows).map((row) => channelView(aged(row, now)));
  return { messages, correlationId, count: messages.length };
}

/** One message by its number, whoever has had it; its content from an offset on. */
export function* msgRead(
  tx: Context,
  { id, offset, length }: ParsedOf<"messages.read">,
): Procedure<OutputOf<"messages.read">> {
  const now = yield* tx.clock();
  const whole = channelView(aged(yield* findMessage(id, unexpired(now)), now));
  const content = whole.content.slice(offset, offset + length);
  return { message: { ...whole, content }, offset, total: whole.content.length };
}

/** [M11] What became of a message. */
export function* msgStatus(
  tx: Context,
  { id }: ParsedOf<"messages.status">,
): Procedure<OutputOf<"messages.status">> {
  const now = yield* tx.clock();
  const row = aged(yield* findMessage(id, unexpired(now)), now);
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
