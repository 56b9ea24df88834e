/** [B6] Dead letters are put back for their readers. */
import type { OutputOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { alone, run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { chosenLetters, idsOf, lettersPayload, type Which } from "../dead-letter.ts";
import { isGone } from "../ended-agent.ts";
import { append } from "../event.ts";
import { buryDoomed } from "../hand-over/bury.ts";

export function* deadLettersRequeue(tx: Context, which: Which): Procedure<OutputOf<"deadLetters.requeue">> {
  yield* alone(tx, "gc");
  const now = yield* tx.clock();
  yield* buryDoomed(tx, now);
  const rows = yield* chosenLetters(tx, which, now);
  if (rows.length)
    yield* run(sql`
      update messages set dead_at = null, dead_reason = null, lapses = 0, manual = 0, delivery_id = null, hidden_until = null
      where message_id in (${idsOf(rows)})`);
  // The addressee is woken by an event that names it.
  const ended: string[] = [];
  for (const [name, ofOne] of Map.groupBy(rows, (row) => row.to_agent)) {
    if (yield* isGone(tx, name)) ended.push(name);
    yield* append(tx, {
      type: "messages.requeued",
      source: which.agent,
      message: ofOne[0],
      payload: lettersPayload(ofOne, name),
      now,
    });
  }
  yield* seen(tx, which.agent, now);
  return { requeued: rows.length, ...(ended.length > 0 && { ended: ended.sort() }) };
}
