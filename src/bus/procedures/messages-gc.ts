/** [M7] Deletes expired messages and, on demand, old acked ones. Stored readers learn that the latter were deleted. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, alone } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { append } from "../event.ts";
import { rememberPruned } from "../pruned.ts";
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
  yield* rememberPruned(tx, rows);
  return rows.length;
}
