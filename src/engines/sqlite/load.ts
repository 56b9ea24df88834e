/** Fills a new database file, of an earlier schema if needed, with rows from elsewhere, one by one. */
import { InboxError } from "../../contract/errors.ts";
import type { Row } from "../../sql/procedure.ts";
import { createDatabase, openDatabase } from "./connect.ts";
import type { Database } from "./driver.ts";
import { translate } from "./errors.ts";
import { migrations } from "./schema.ts";

/** The number of rows per transaction. */
const together = 5000;

export interface Loading {
  busId: string;
  /** The last number that was given in each numbered table. */
  numbers: Record<string, number>;
  version: number;
}

export interface Loader {
  /** Throws what is wrong with it, as text for the end of a sentence. */
  add(table: string, row: Record<string, unknown>): void;
  /** All rows have been added. */
  end(): void;
  close(): void;
}

/** Nothing of it is durable before `end`: an interrupted load starts again from the beginning. */
export function openLoader(path: string, { busId, numbers, version }: Loading): Loader {
  const schema = migrations.slice(0, version);
  createDatabase(path, schema);
  const db = openDatabase(path, schema);
  // References to rows that come later are checked at the end.
  db.run("pragma foreign_keys = off; pragma synchronous = off; begin");
  db.query("update bus set bus_id = ?").run(busId);
  const inserts = new Map<string, (row: Record<string, unknown>) => void>();
  let count = 0;
  return {
    add(table, row) {
      const insert = inserts.get(table) ?? insertInto(db, table);
      inserts.set(table, insert);
      insert(row);
      if (++count % together === 0) db.run("commit; begin");
    },
    end() {
      for (const [name, last] of Object.entries(numbers)) {
        db.query("delete from sqlite_sequence where name = ?").run(name);
        db.query("insert into sqlite_sequence (name, seq) values (?, ?)").run(name, last);
      }
      db.run("commit");
      const orphan = db.query("pragma foreign_key_check").get() as { table: string } | null;
      if (orphan)
        throw new InboxError("invalid_input", `a row of ${orphan.table} refers to one that is not there`);
    },
    close: () => db.close(),
  };
}

function insertInto(db: Database, table: string): (row: Record<string, unknown>) => void {
  const columns = (
    db.query("select name from pragma_table_info(?) order by cid").all(table) as { name: string }[]
  ).map(({ name }) => name);
  const statement = db.query(
    `insert into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
  );
  return (row) => {
    const odd = Object.keys(row).find((key) => !columns.includes(key));
    if (odd !== undefined) throw new Error(`${table} has no column ${JSON.stringify(odd)}`);
    const values = columns.map((column) => {
      const value = row[column];
      if (value === undefined) throw new Error(`the column ${column} is missing`);
      if (value !== null && typeof value !== "string" && !Number.isSafeInteger(value))
        throw new Error(`${column} is neither text, a whole number nor null`);
      return value as Row[string];
    });
    try {
      statement.run(...values);
    } catch (error) {
      throw new Error(translate(error, table).message);
    }
  };
}
