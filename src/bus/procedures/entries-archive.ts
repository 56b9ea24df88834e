/** [U12] The person is done with an entry. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { entryView, eraseDue, findEntry } from "../entry.ts";
import { append } from "../event.ts";
import { markRead } from "./entries-read.ts";

export function* entriesArchive(
  tx: Context,
  { id, agent }: ParsedOf<"entries.archive">,
): Procedure<OutputOf<"entries.archive">> {
  const row = yield* findEntry(tx, id);
  const now = yield* tx.clock();
  yield* eraseDue(tx, now);
  if (row.archived_at !== null) return { entry: entryView(row), already: true };
  yield* markRead(tx, row, agent, now);
  yield* run(
    sql`update entries set archived_at = ${now}, snoozed_at = null, snoozed_until = null where entry_id = ${id}`,
  );
  yield* append(tx, { type: "entry.archived", source: agent, payload: { entry: id }, now });
  const after = {
    ...row,
    read_at: row.read_at ?? now,
    archived_at: now,
    snoozed_at: null,
    snoozed_until: null,
  };
  return { entry: entryView(after), already: false };
}
