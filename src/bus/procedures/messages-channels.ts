/** Which channels there are. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { fragment, literal, nothing, sql } from "../../sql/sql.ts";
import { messagesTo, newestMessages, nextChannel, ofBoth } from "../../sql/walk.ts";
import { waiting } from "../channel.ts";
import { and, visible } from "../visible.ts";

const channel = fragment`names.channel`;

interface ChannelRow {
  channel: string;
  pending: number;
  latest_id: number;
}

/**
 * Jumps from each name to the next in the index: a long channel costs as much as a short one, except for counting its
 * pending messages. Names are found in their order only, and the page is limited outside, so no more names are looked
 * for than it shows.
 */
export function* messagesChannels(
  tx: Context,
  { after, limit, pending }: ParsedOf<"messages.channels">,
): Procedure<OutputOf<"messages.channels">> {
  const now = yield* tx.clock();
  const seen = and(visible.channels(channel)(tx));
  const seenMessages = and(visible.messages(tx));
  const filter = pending
    ? sql`and exists (select 1 from messages where messages.to_agent = names.channel and ${waiting(now)} ${seenMessages})`
    : nothing;
  const rows = yield* all<ChannelRow>(sql`
    with recursive names (channel) as (
      select ${nextChannel(sql`${after ?? ""}`)}
      union all
      select ${nextChannel(channel)}
      from names where names.channel is not null
    )
    select * from (select names.channel,
      (select count(*) from messages where messages.to_agent = names.channel and ${waiting(now)} ${seenMessages}) as pending,
      ${ofBoth("max", fragment`messages.message_id`, sql`${messagesTo(tx, channel)} ${seenMessages} ${newestMessages} limit 1`)} as latest_id
    from names where names.channel is not null ${filter} ${seen}
    limit ${literal(limit + 1)}) as page order by channel`);
  return {
    channels: rows.slice(0, limit).map((row) => ({
      channel: row.channel,
      pending: row.pending,
      latestId: row.latest_id,
    })),
    hasMore: rows.length > limit,
  };
}
