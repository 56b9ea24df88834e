/** [U4] The person takes a deleted entry back. */

import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { entryView, findEntry, restorableUntil } from "../entry.ts";
import { append } from "../event.ts";

export function* entriesRestore(
  tx: Context,
  { id, agent }: ParsedOf<"entries.restore">,
): Procedure<OutputOf<"entries.restore">> {
  const now = yield* tx.clock();
  const row = yield* findEntry(tx, id, true);
  if (row.deleted_at === null) return { entry: entryView(row), already: true };
  if (restorableUntil(row.deleted_at) <= now)
    throw new InboxError("not_found", `the entry ${id} was deleted too long ago to be restored`, {
      hint: phrase`${call("entries.import", { entries: blank("FILE") })} restores entries from an export`,
      details: { erased: true },
    });
  yield* run(sql`update entries set deleted_at = null where entry_id = ${id}`);
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "entry.restored", source: agent, payload: { entry: id }, now });
  return { entry: entryView({ ...row, deleted_at: null }), already: false };
}
