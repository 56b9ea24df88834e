/**
 * [M7] The ranges of a channel's messages that were deleted, so that a reader whose cursor lies before one is told
 * and skips nothing silently.
 */
import type { Context, Procedure } from "../sql/procedure.ts";
import { all, one, run } from "../sql/procedure.ts";
import { fragment, joined, sql } from "../sql/sql.ts";
import { insert } from "../sql/table.ts";
import { pruned } from "../sql/tables.ts";
import { messagesTo, newestMessages, ofBoth, oldestMessages } from "../sql/walk.ts";

/** A fixed number per statement: every other number would be another statement to prepare and keep. */
const idsAtOnce = 100;
const end = Number.MAX_SAFE_INTEGER;
const id = fragment`ids.id`;
const number = fragment`messages.message_id`;

interface Deleted {
  message_id: number;
  to_agent: string;
}

/** Call it after the messages have been deleted. `unacked`: nobody had acked them. */
export function* rememberPruned(
  tx: Context,
  rows: readonly Deleted[],
  { unacked = false }: { unacked?: boolean } = {},
): Procedure<void> {
  const byChannel = Map.groupBy(rows, (row) => row.to_agent);
  for (const [channel, deleted] of byChannel) {
    const ids = deleted.map((row) => row.message_id).sort((a, b) => a - b);
    for (let at = 0; at < ids.length; at += idsAtOnce)
      yield* rememberSome(tx, channel, ids.slice(at, at + idsAtOnce), unacked);
  }
}

/** Ids with no message of the channel between them form one range, and are joined to the ranges that exist. */
function* rememberSome(
  tx: Context,
  channel: string,
  ids: readonly number[],
  unacked: boolean,
): Procedure<void> {
  const filled = Array.from({ length: idsAtOnce }, (_, i) => ids[i] ?? ids[0]!);
  const rows = yield* all<{ id: number; before: number; after: number }>(sql`
    with ids (id) as (values ${joined(filled.map((id) => sql`(cast(${id} as bigint))`))})
    select distinct ids.id,
      coalesce(${ofBoth("max", number, sql`${messagesTo(tx, channel, { before: id })} ${newestMessages} limit 1`)}, 0) as before,
      coalesce(${ofBoth("min", number, sql`${messagesTo(tx, channel, { after: id })} ${oldestMessages} limit 1`)}, ${end}) as after
    from ids`);
  const around = rows.toSorted((a, b) => a.id - b.id);
  for (const [, gap] of Map.groupBy(around, (row) => row.before)) {
    const { before, after } = gap[0]!;
    const known = yield* one<{ first: number | null; last: number | null; unacked: number | null }>(sql`
      select min(pruned.from_id) as first, max(pruned.to_id) as last, max(pruned.unacked_to) as unacked from pruned
      where pruned.channel = ${channel} and pruned.from_id > ${before} and pruned.from_id < ${after}`);
    const from_id = Math.min(gap[0]!.id, known?.first ?? end);
    const to_id = Math.max(gap.at(-1)!.id, known?.last ?? 0);
    const unacked_to = Math.max(unacked ? gap.at(-1)!.id : 0, known?.unacked ?? 0);
    yield* run(
      sql`delete from pruned where channel = ${channel} and from_id > ${before} and from_id < ${after}`,
    );
    yield* run(insert(pruned, { channel, from_id, to_id, unacked_to }));
  }
}
