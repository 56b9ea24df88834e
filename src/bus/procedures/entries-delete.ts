/** [U4] The person deletes an entry; it can be restored for a while. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { erase, eraseDue, findEntry, restorableUntil } from "../entry.ts";
import { append } from "../event.ts";

export function* entriesDelete(
  tx: Context,
  { id, agent, atOnce }: ParsedOf<"entries.delete">,
): Procedure<OutputOf<"entries.delete">> {
  const row = yield* findEntry(tx, id, true);
  const now = yield* tx.clock();
  yield* eraseDue(tx, now);
  yield* seen(tx, agent, now);
  if (atOnce) {
    yield* erase(tx, sql`entry_id = ${id}`, now);
    return { id, restorableUntil: null };
  }
  if (row.deleted_at !== null) return { id, restorableUntil: restorableUntil(row.deleted_at) };
  yield* run(sql`update entries set deleted_at = ${now} where entry_id = ${id} and deleted_at is null`);
  const until = restorableUntil(now);
  yield* append(tx, { type: "entry.deleted", source: agent, payload: { entry: id, until }, now });
  return { id, restorableUntil: until };
}
