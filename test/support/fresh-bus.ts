/** A new database file for a test, as `createDatabase` makes it: copied, since making one takes longer (20 ms) than most tests. */
import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { temporaryFolder } from "./folder.ts";

let template: string | undefined;

/** Made once for each test file. */
function templateFile(): string {
  if (template !== undefined) return template;
  const folder = temporaryFolder();
  process.on("exit", () => folder[Symbol.dispose]());
  template = join(folder.path, "template.db");
  createDatabase(template);
  return template;
}

/** Each has an id of its own, as every bus has. */
export function freshDatabase(path: string): void {
  copyFileSync(templateFile(), path);
  using db = new Database(path);
  db.run("pragma synchronous = off; update bus set bus_id = lower(hex(randomblob(16)))");
}
