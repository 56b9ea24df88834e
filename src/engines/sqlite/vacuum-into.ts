/** A copy of a database made by SQLite: of one state, even if others write meanwhile. */
import { openOwnNew } from "../../platform/own-files.ts";
import { fs } from "../../platform/system.ts";
import type { Database } from "./driver.ts";

/** SQLite would create the file with the mode that the umask leaves. */
export function vacuumInto(db: Database, into: string): void {
  fs().closeSync(openOwnNew(into));
  db.query("vacuum into ?").run(into);
}

/** Makes creations and renames in the folder survive a power failure. */
export function syncFolder(folder: string): void {
  const { closeSync, fsyncSync, openSync } = fs();
  const opened = openSync(folder, "r");
  fsyncSync(opened);
  closeSync(opened);
}
