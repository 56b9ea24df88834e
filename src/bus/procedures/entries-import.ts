/** [U5] Exported entries into a bus. */
import { numberOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { run } from "../../sql/procedure.ts";
import { sql } from "../../sql/sql.ts";
import { addEntry, type NewEntry } from "../entry.ts";
import { entryOrder } from "../entry-order.ts";

type Exported = ParsedOf<"entries.import">["entries"][number];

export function* entriesImport(
  tx: Context,
  { entries }: ParsedOf<"entries.import">,
): Procedure<OutputOf<"entries.import">> {
  yield* tx.lock(entryOrder);
  const now = yield* tx.clock();
  let imported = 0;
  for (const entry of entries) {
    if (!(yield* addEntry(tx, rowOf(entry), now))) continue;
    imported++;
    yield* run(sql`delete from erased_entries where entry_id = ${entry.id}`);
  }
  return { imported, known: entries.length - imported };
}

const rowOf = (entry: Exported): NewEntry => ({
  entry_id: entry.id,
  workspace_id: entry.workspaceId,
  workspace_label: entry.workspaceLabel,
  docs_json: JSON.stringify(entry.docs.map(({ path }) => ({ path }))),
  comments: entry.comments,
  created_at: new Date(entry.ts).toISOString(),
  read_at: entry.readAt,
  sender: entry.sender,
  kind: entry.kind,
  thread_id: entry.threadId === null ? null : numberOf(entry.threadId),
  message_id: entry.messageId === null ? null : numberOf(entry.messageId),
  choices_json: entry.choices && JSON.stringify(entry.choices),
  answered_at: entry.answeredAt,
  answered_by: entry.answeredBy,
  answer: entry.answer,
  needs: entry.needs,
  failure_json: entry.failure && JSON.stringify(entry.failure),
  archived_at: entry.archivedAt,
  snoozed_at: entry.snoozedAt,
  snoozed_until: entry.snoozedUntil,
});
