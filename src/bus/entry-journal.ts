/** [U5] What the journal needs to read from the table of entries. */
import type { Procedure } from "../sql/procedure.ts";
import { all, one } from "../sql/procedure.ts";
import { joined, literal, sql } from "../sql/sql.ts";
import { type EntryRow, entryColumns } from "./entry.ts";

const pageRows = 200;

/** The number of an entry, also of an erased one; undefined for one that was never here. */
export function* entryNumber(id: string): Procedure<number | undefined> {
  const row = yield* one<{ entry_number: number }>(sql`
    select entries.entry_number from entries where entries.entry_id = ${id}
    union all select erased_entries.entry_number from erased_entries where erased_entries.entry_id = ${id} limit 1`);
  return row?.entry_number;
}

/** Entries in the order in which they were added, including those that are deleted but not erased yet. */
export function* entriesAfter(number: number): Procedure<EntryRow[]> {
  return yield* all<EntryRow>(sql`
    select ${entryColumns} from entries where entries.entry_number > ${number}
    order by entries.entry_number limit ${literal(pageRows)}`);
}

export function* erasedAfter(number: number): Procedure<{ ids: string[]; last: number }> {
  const rows = yield* all<{ erased_number: number; entry_id: string }>(sql`
    select erased_entries.erased_number, erased_entries.entry_id from erased_entries
    where erased_entries.erased_number > ${number} order by erased_entries.erased_number`);
  return { ids: rows.map(({ entry_id }) => entry_id), last: rows.at(-1)?.erased_number ?? number };
}

/** Which of these are or were here. */
export function* knownAmong(ids: readonly string[]): Procedure<string[]> {
  const rows = yield* all<{ entry_id: string }>(sql`
    select entries.entry_id from entries where entries.entry_id in (${joined(ids)})`);
  return [...rows.map(({ entry_id }) => entry_id), ...(yield* erasedAmong(ids))];
}

/** Which of these have been erased. */
export function* erasedAmong(ids: readonly string[]): Procedure<string[]> {
  const rows = yield* all<{ entry_id: string }>(
    sql`select erased_entries.entry_id from erased_entries where erased_entries.entry_id in (${joined(ids)})`,
  );
  return rows.map(({ entry_id }) => entry_id);
}
