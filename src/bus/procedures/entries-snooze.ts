/** [U12] An entry is hidden until later. */

import { InboxError } from "../../contract/errors.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import { field, phrase } from "../../contract/phrase.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { seen } from "../agent.ts";
import { entryView, findEntry } from "../entry.ts";
import { append } from "../event.ts";

export function* entriesSnooze(
  tx: Context,
  { id, until: asked, agent }: ParsedOf<"entries.snooze">,
): Procedure<OutputOf<"entries.snooze">> {
  const row = yield* findEntry(tx, id);
  const until = asked ?? null;
  const now = yield* tx.clock();
  if (until !== null && until <= now)
    throw new InboxError("invalid_input", `${until} is in the past`, {
      hint: phrase`give ${field("until")} a time after ${now}`,
    });
  const after = { ...row, archived_at: null, snoozed_at: now, snoozed_until: until };
  yield* run(sql`
    update entries set archived_at = null, snoozed_at = ${now}, snoozed_until = ${until} where entry_id = ${id}`);
  yield* seen(tx, agent, now);
  yield* append(tx, { type: "entry.snoozed", source: agent, payload: { entry: id, until }, now });
  return { entry: entryView(after) };
}
