/** [U12] A snoozed entry comes back before its time. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { entryView, findEntry } from "../entry.ts";
import { append } from "../event.ts";

export function* entriesUnsnooze(
  tx: Context,
  { id, agent }: ParsedOf<"entries.unsnooze">,
): Procedure<OutputOf<"entries.unsnooze">> {
  const row = yield* findEntry(tx, id);
  if (row.snoozed_at === null) return { entry: entryView(row), already: true };
  const now = yield* tx.clock();
  yield* run(sql`update entries set snoozed_at = null, snoozed_until = null where entry_id = ${id}`);
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "entry.unsnoozed", source: agent, payload: { entry: id }, now });
  return { entry: entryView({ ...row, snoozed_at: null, snoozed_until: null }), already: false };
}
