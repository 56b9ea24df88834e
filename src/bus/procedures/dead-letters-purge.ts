/** [B6] Dead letters are deleted. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { alone, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { chosenLetters, idsOf, lettersPayload, type Which } from "../dead-letter.ts";
import { append } from "../event.ts";
import { buryDoomed } from "../hand-over/bury.ts";
import { rememberPruned } from "../pruned.ts";
import { forgetWords } from "../search.ts";

export function* deadLettersPurge(tx: Context, which: Which): Procedure<OutputOf<"deadLetters.purge">> {
  yield* alone(tx, "gc");
  const now = yield* tx.clock();
  yield* buryDoomed(tx, now);
  const rows = yield* chosenLetters(tx, which, now);
  if (rows.length) {
    // The history of a thread stays complete: there the letter is only acked.
    yield* run(sql`update messages set dead_at = null, dead_reason = null, acked_at = ${now}, acked_by = ${which.agent}
      where message_id in (${idsOf(rows)}) and thread_id is not null`);
    yield* run(sql`delete from messages where message_id in (${idsOf(rows)}) and thread_id is null`);
    const deleted = rows.filter((row) => row.thread_id === null);
    yield* forgetWords(
      tx,
      "messages",
      deleted.map((row) => row.message_id),
    );
    // A stored reader of the channel must be told that messages it never saw were deleted ([M7]).
    yield* rememberPruned(tx, deleted);
    yield* append(tx, { type: "messages.purged", source: which.agent, payload: lettersPayload(rows), now });
  }
  yield* seen(tx, which.agent, now);
  return { purged: rows.length };
}
