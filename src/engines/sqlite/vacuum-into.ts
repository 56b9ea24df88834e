/** A copy of a database as SQLite makes it: of one state, whatever others write meanwhile. */
import { openOwnNew } from "../../platform/own-files.ts";
import { fs } from "../../platform/system.ts";
import type { Database } from "./driver.ts";

/** SQLite would make the file with whatever mode the umask leaves. */
export function vacuumInto(db: Database, into: string): void {
  fs().closeSync(openOwnNew(into));
  db.query("vacuum into ?").run(into);
}

/** What was created or renamed in it is there after a power failure. */
export function syncFolder(folder: string): void {
  const { closeSync, fsyncSync, openSync } = fs();
  const opened = openSync(folder, "r");
  fsyncSync(opened);
  closeSync(opened);
}
