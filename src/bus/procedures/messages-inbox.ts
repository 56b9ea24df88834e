/** [M2] [M3] Reading a channel, without side effects. */

import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, one } from "../../sql/procedure.ts";
import { fragment, joined, literal, type Sql, sql } from "../../sql/sql.ts";
import type { RowOf } from "../../sql/table.ts";
import type { pruned } from "../../sql/tables.ts";
import {
  type ChannelPage,
  isPast,
  messagesOfBoth,
  messagesTo,
  newestMessages,
  ofBoth,
  oldestMessages,
} from "../../sql/walk.ts";
import { aged, channelView, fitted, unexpired, waiting } from "../channel.ts";
import { type MessageRow, messageColumns } from "../message.ts";
import { meantBy } from "../name-use.ts";
import { positionOf } from "../reader-position.ts";
import { visible } from "../visible.ts";

type Input = ParsedOf<"messages.inbox">;

/** [M13] With names that may have been meant, if the channel has never had a message. */
export function* messagesInbox(tx: Context, input: Input): Procedure<OutputOf<"messages.inbox">> {
  const page = yield* pageOf(tx, input);
  return page.count ? page : { ...page, ...(yield* meantBy(tx, input.channel)) };
}

export function* pageOf(tx: Context, input: Input): Procedure<OutputOf<"messages.inbox">> {
  const { channel, reader, sender, correlationId } = input;
  const now = yield* tx.clock();
  const stored = reader === undefined ? undefined : yield* positionOf(channel, reader);
  const cursor = input.afterId ?? stored;
  const after = cursor ?? 0;
  const everything = input.includeAcked || input.onlyAcked || reader !== undefined;
  // A reader that starts at the beginning has seen nothing that could be missing.
  const gap = cursor ? yield* gapAfter(channel, after, everything) : undefined;
  const range = { after, before: gap?.from_id };
  const conditions = [...visible.messages(tx)];
  if (sender !== undefined) conditions.push(sql`messages.from_agent = ${sender}`);
  if (correlationId !== undefined) conditions.push(sql`messages.correlation_id = ${correlationId}`);
  const { newest, limit } = input;
  const page = { channel, range, columns: messageColumns, conditions, newest, limit };
  const rows =
    everything && !input.onlyAcked
      ? yield* messagesOfBoth<MessageRow>(tx, { ...page, every: unexpired(now) })
      : yield* ofOneIndex(tx, page, input.onlyAcked ? acked(now) : waiting(now));
  // Messages before the deleted range are read first. When none are left, the cursor has expired: nothing is skipped silently.
  if (gap && !rows.length) throw yield* expired(tx, { channel, after, gap, now });
  const messages = fitted(rows).map((row) => channelView(aged(row, now)));
  if (input.newest) messages.reverse();
  return { messages, channel, count: messages.length };
}

const acked = (now: string) => sql`${isPast} and messages.acked_at is not null and ${unexpired(now)}`;

/** Messages of which all are in one of the two indexes of a channel. */
const ofOneIndex = (
  tx: Context,
  { channel, range, conditions, newest, limit }: Omit<ChannelPage, "every">,
  which: Sql,
): Procedure<MessageRow[]> =>
  all<MessageRow>(sql`
    select ${messageColumns} from messages
    where ${joined([messagesTo(tx, channel, range), which, ...conditions], " and ")}
    ${newest ? newestMessages : oldestMessages} limit ${literal(limit)}`);

type Gap = Pick<RowOf<typeof pruned>, "from_id" | "to_id">;

/** [M7] The first deleted range after a cursor. A reader of unacked messages misses only those that nobody had acked. */
function* gapAfter(channel: string, after: number, everything: boolean): Procedure<Gap | undefined> {
  const last = everything ? fragment`pruned.to_id` : fragment`pruned.unacked_to`;
  return yield* one<Gap>(sql`
    select pruned.from_id, pruned.to_id from pruned where pruned.channel = ${channel} and ${last} > ${after}
    order by pruned.from_id limit 1`);
}

interface Expired {
  channel: string;
  after: number;
  gap: Gap;
  now: string;
}

function* expired(tx: Context, { channel, after, gap, now }: Expired): Procedure<InboxError> {
  const rest = sql`${messagesTo(tx, channel, { after: gap.to_id })} and ${unexpired(now)} ${oldestMessages} limit 1`;
  const next = yield* one<{ oldest: number | null }>(
    sql`select ${ofBoth("min", fragment`messages.message_id`, rest)} as oldest`,
  );
  const oldest = next?.oldest ?? gap.to_id + 1;
  return new InboxError("cursor_expired", `messages of "${channel}" after ${after} were deleted`, {
    hint: phrase`continue with ${field("afterId", oldest - 1)}; the oldest remaining message is ${oldest}`,
    details: { channel, after, oldest_id: oldest },
  });
}
