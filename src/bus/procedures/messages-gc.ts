/** [M7] Deleting what is over: expired messages, and on demand acked ones of old. Readers are told of the latter. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, alone, one, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { insert } from "../../sql/table.ts";
import { pruned } from "../../sql/tables.ts";
import { append } from "../event.ts";
import { forgetWords } from "../search.ts";

export function* messagesGc(tx: Context, input: ParsedOf<"messages.gc">): Procedure<OutputOf<"messages.gc">> {
  yield* alone(tx, "gc");
  const now = yield* tx.clock();
  const expired = yield* all<{ message_id: number }>(sql`
    delete from messages where expires_at is not null and expires_at <= ${now} and thread_id is null returning message_id`);
  const acked =
    input.ackedOlderThanHours === undefined ? 0 : yield* pruneAcked(tx, input.ackedOlderThanHours, now);
  yield* forgetWords(
    tx,
    "messages",
    expired.map((row) => row.message_id),
  );
  const counts = { expired: expired.length, acked };
  if (expired.length || acked)
    yield* append(tx, { type: "messages.deleted", source: "gc", payload: counts, now });
  return counts;
}

function* pruneAcked(tx: Context, hours: number, now: string): Procedure<number> {
  const before = new Date(Date.parse(now) - hours * 3_600_000).toISOString();
  const rows = yield* all<{ message_id: number; to_agent: string }>(sql`
    delete from messages where acked_at is not null and acked_at <= ${before} and thread_id is null
    returning message_id, to_agent`);
  yield* forgetWords(
    tx,
    "messages",
    rows.map((row) => row.message_id),
  );
  const byChannel = Map.groupBy(rows, (row) => row.to_agent);
  for (const [channel, deleted] of byChannel) {
    const ids = deleted.map((row) => row.message_id).sort((a, b) => a - b);
    for (const id of ids) yield* remember(channel, id);
  }
  return rows.length;
}

/** Ranges grow: a deleted id joins the range before it where no message of the channel is left in between. */
export function* remember(channel: string, id: number): Procedure<void> {
  const before = yield* one<{ from_id: number; to_id: number }>(sql`
    select pruned.from_id, pruned.to_id from pruned where pruned.channel = ${channel} and pruned.from_id <= ${id}
    order by pruned.from_id desc limit 1`);
  const between =
    before &&
    (yield* one(sql`
      select 1 as here from messages where messages.to_agent = ${channel} and messages.message_id > ${before.to_id}
        and messages.message_id < ${id} limit 1`));
  if (before && !between)
    yield* run(
      sql`update pruned set to_id = ${Math.max(before.to_id, id)} where channel = ${channel} and from_id = ${before.from_id}`,
    );
  else yield* run(insert(pruned, { channel, from_id: id, to_id: id }));
}
