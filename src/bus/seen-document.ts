/** [U15] The texts of documents as the person last read them, within limits. */
import { seenLimits } from "../contract/document.ts";
import type { Procedure } from "../sql/procedure.ts";
import { all, run } from "../sql/procedure.ts";
import { joined, sql } from "../sql/sql.ts";
import { columnsOf, insert, type NewRow, type RowOf } from "../sql/table.ts";
import { seenDocuments } from "../sql/tables.ts";

export type SeenRow = RowOf<typeof seenDocuments>;
const seenColumns = columnsOf(seenDocuments);

/** Of these documents, by path. */
export function* seenOf(
  workspaceId: string,
  paths: readonly string[],
): Procedure<ReadonlyMap<string, SeenRow>> {
  if (!paths.length) return new Map();
  const rows = yield* all<SeenRow>(sql`
    select ${seenColumns} from seen_documents
    where seen_documents.workspace_id = ${workspaceId} and seen_documents.path in (${joined(paths)})
    order by seen_documents.path`);
  return new Map(rows.map((row) => [row.path, row]));
}

export function* keepSeen(row: NewRow<typeof seenDocuments>): Procedure<void> {
  yield* run(sql`${insert(seenDocuments, row)} on conflict (workspace_id, path)
    do update set entry_id = excluded.entry_id, seen_at = excluded.seen_at, text = excluded.text`);
}

/** The text that was read longest ago is deleted first. */
export function* forgetOldSeen(): Procedure<void> {
  yield* run(sql`delete from seen_documents where seen_at <= (
    select kept.seen_at from seen_documents as kept order by kept.seen_at desc limit 1 offset ${seenLimits.documents})`);
}

export function* forgetSeenIn(entryId: string): Procedure<void> {
  yield* run(sql`delete from seen_documents where entry_id = ${entryId}`);
}

export function* forgetSeenWithin(workspaceId: string): Procedure<void> {
  yield* run(sql`delete from seen_documents where workspace_id = ${workspaceId}`);
}
