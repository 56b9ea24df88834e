/** [U5] Entries out of a bus, in pages. */
import type { OutputOf, ParsedOf } from "../../contract/operations/index.ts";
import type { Context, Procedure } from "../../sql/procedure.ts";
import { all } from "../../sql/procedure.ts";
import { literal, sql } from "../../sql/sql.ts";
import { type EntryRow, entryColumns, entryView, noEntry } from "../entry.ts";
import { entryNumber } from "../entry-journal.ts";

/** The maximum size of a page, whatever its entries contain. */
const pageBytes = 4 * 1024 * 1024;

export function* entriesExport(
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
