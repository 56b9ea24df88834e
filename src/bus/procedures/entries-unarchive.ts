/** [U12] An archived entry comes back. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { entryView, findEntry } from "../entry.ts";
import { append } from "../event.ts";

export function* entriesUnarchive(
  tx: Context,
  { id, agent }: ParsedOf<"entries.unarchive">,
): Procedure<OutputOf<"entries.unarchive">> {
  const row = yield* findEntry(tx, id);
  if (row.archived_at === null) return { entry: entryView(row), already: true };
  const now = yield* tx.clock();
  yield* run(sql`update entries set archived_at = null where entry_id = ${id}`);
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "entry.unarchived", source: agent, payload: { entry: id }, now });
  return { entry: entryView({ ...row, archived_at: null }), already: false };
}
