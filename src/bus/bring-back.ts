/** [U12] An entry comes back into the inbox from the archive, or before its time from being snoozed. */
import type { OutputOf, ParsedOf } from "../contract/operations/index.ts";
import type { Context, Procedure } from "../sql/procedure.ts";
import { run } from "../sql/procedure.ts";
import { sql } from "../sql/sql.ts";
import { assignments } from "../sql/table.ts";
import { entries } from "../sql/tables.ts";
import { seen } from "./agent.ts";
import { entryView, findEntry } from "./entry.ts";
import { append } from "./event.ts";

/** The columns that keep an entry out of the inbox, by the event of clearing them. */
const cleared = {
  "entry.unarchived": { archived_at: null },
  "entry.unsnoozed": { snoozed_at: null, snoozed_until: null },
} as const;

export function* bringBack(
  tx: Context,
  { id, agent }: ParsedOf<"entries.unarchive">,
  type: keyof typeof cleared,
): Procedure<OutputOf<"entries.unarchive">> {
  const row = yield* findEntry(tx, id);
  const kept = type === "entry.unarchived" ? row.archived_at : row.snoozed_at;
  if (kept === null) return { entry: entryView(row), already: true };
  const now = yield* tx.clock();
  yield* run(sql`update entries set ${assignments(entries, cleared[type])} where entry_id = ${id}`);
  yield* seen(tx, agent, now);
  yield* append(tx, { type, source: agent, payload: { entry: id }, now });
  return { entry: entryView({ ...row, ...cleared[type] }), already: false };
}
