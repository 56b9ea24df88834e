/** [U5] Entries out of a bus and into one, as lines. */
import { numberOf } from "../../contract/ids.ts";
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all, run } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import {
  addEntry,
  type EntryRow,
  entryColumns,
  entryOrder,
  entryView,
  type NewEntry,
  noEntry,
} from "../entry.ts";
import { entryNumber } from "../entry-journal.ts";

/** One page is never bigger, whatever its entries hold. */
const pageBytes = 4 * 1024 * 1024;

export function* entryExport(
  _: Context,
  { after, limit }: ParsedOf<"entries.export">,
): Procedure<OutputOf<"entries.export">> {
  const from = after === undefined ? 0 : yield* entryNumber(after);
  if (from === undefined) throw yield* noEntry(after!, undefined);
  const rows = yield* all<EntryRow>(sql`
    select ${entryColumns} from entries where entries.entry_number > ${from} and entries.deleted_at is null
    order by entries.entry_number limit ${literal(limit + 1)}`);
  const page = fitted(rows.slice(0, limit));
  return { entries: page.map(entryView), hasMore: rows.length > page.length };
}

function fitted(rows: EntryRow[]): EntryRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += Buffer.byteLength(row.comments) + row.docs_json.length;
    return bytes > pageBytes && i > 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}

type Exported = ParsedOf<"entries.import">["entries"][number];

export function* entryImport(
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
});
