/** A command leaves its writes in the log beside the database. The last connection that closes folds them into the file. */
import { Database } from "bun:sqlite";

export function foldLog(path: string): void {
  const db = new Database(path);
  db.query("select count(*) from threads").get();
  db.close();
}
