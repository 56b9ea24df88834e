/** [U3] The person marks an entry as unread. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { one } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { entryView, findEntry } from "../entry.ts";
import { append } from "../event.ts";

export function* entriesUnread(
  tx: Context,
  { id, agent }: ParsedOf<"entries.unread">,
): Procedure<OutputOf<"entries.unread">> {
  const row = yield* findEntry(tx, id);
  const now = yield* tx.clock();
  const changed = yield* one(
    sql`update entries set read_at = null where entry_id = ${id} and read_at is not null returning entry_id`,
  );
  if (!changed) return { entry: entryView(row), already: true };
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "entry.unread", source: agent, payload: { entry: id }, now });
  return { entry: entryView({ ...row, read_at: null }), already: false };
}
