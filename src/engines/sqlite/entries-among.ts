import { connect, knownVersion } from "./connect.ts";
import type { Database } from "./driver.ts";
import { translate } from "./errors.ts";

/**
 * Which of these entries a database file has. It is not migrated for this; an empty file has none. One that cannot be
 * read is an error: its journal may be all that is left of it.
 */
export function entriesAmong(path: string, ids: readonly string[]): string[] {
  let db: Database | undefined;
  try {
    db = connect(path);
    db.run("pragma trusted_schema = off");
    if (knownVersion(db, path) === 0) return [];
    const rows = db
      .query(
        "select entry_id from entries where entry_id in (select value from json_each(?)) order by entry_id",
      )
      .all(JSON.stringify(ids)) as { entry_id: string }[];
    return rows.map(({ entry_id }) => entry_id);
  } catch (error) {
    throw translate(error, path);
  } finally {
    db?.close();
  }
}
