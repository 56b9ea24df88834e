/** Database files as a whole: a consistent copy of one that is in use, checking one from elsewhere, and replacing one. */
import { dirname } from "node:path";
import { InboxError } from "../../contract/errors.ts";
import { requireOwn } from "../../platform/own-files.ts";
import { fs } from "../../platform/system.ts";
import { knownVersion, openDatabase } from "./connect.ts";
import { type Database, openFile } from "./driver.ts";
import { isBusy, translate } from "./errors.ts";
import { syncFolder, vacuumInto } from "./vacuum-into.ts";

/** Copies one state of it to a new file, while others continue to read and write. */
export function copyDatabase(path: string, into: string): void {
  const db = openDatabase(path);
  try {
    vacuumInto(db, into);
  } catch (error) {
    throw translate(error, into);
  } finally {
    db.close();
  }
}

/**
 * Why a file from elsewhere is refused; undefined if it is accepted. Its rows are copied into a database that this
 * program creates, so its own schema is never used; and anything that could run while it is read (a view in place of
 * a table, a trigger during a migration) is refused.
 */
export function problemIn(path: string): string | undefined {
  let db: Database | undefined;
  try {
    db = openFile(path);
    db.run("pragma trusted_schema = off; pragma cell_size_check = on; pragma busy_timeout = 0");
    return knownVersion(db, path) === 0 ? "it is an empty database" : problemOf(db);
  } catch (error) {
    return translate(error, "the database in it").message;
  } finally {
    db?.close();
  }
}

function problemOf(db: Database): string | undefined {
  const get = <T>(query: string) => db.query(query).get() as T | null;
  const odd = get<{
    type: string;
    name: string;
  }>(`select type, name from sqlite_schema where type not in ('table', 'index')
    or (type = 'table' and rootpage = 0 and not (name = 'search_words' and lower(sql) like '%using fts5%'))`);
  if (odd)
    return `its database has a ${odd.type === "table" ? "virtual table" : odd.type}, ${JSON.stringify(odd.name)}, and a bus has none`;
  const check = get<{ quick_check: string }>("pragma quick_check(1)");
  if (check?.quick_check !== "ok") return `its database is damaged: ${check?.quick_check}`;
  const orphan = get<{ table: string }>("pragma foreign_key_check");
  return orphan
    ? `its database is damaged: a row of ${orphan.table} refers to one that is not there`
    : undefined;
}

/** Copies the log of a closed database back into it: after this the file alone is the whole database, and durable. */
export function settleDatabase(path: string): void {
  const db = openDatabase(path);
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  const { closeSync, fsyncSync, openSync, statSync } = fs();
  if (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size)
    throw new InboxError("busy", `another process has ${path} open`);
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

const logs = ["-wal", "-shm", "-journal"];

/**
 * Replaces a database file by another closed one; the old content goes to `kept`. No other process may have the old
 * one open. A process that opened it in the last moment, and waits for its lock, finds it marked as no bus: its
 * writes cannot be lost in the old file, nor can the log of the old one be taken for the new one's.
 */
export function replaceDatabase(path: string, by: string, kept: string | undefined): void {
  try {
    const isCopied = requireOwn(path, "file") && fs().statSync(path).size > 0 && retire(path, kept);
    // A log that was left beside a deleted file would be read into the new one. The log of a copied database is not
    // needed any more.
    for (const end of logs) setAside(`${path}${end}`, isCopied ? undefined : kept && `${kept}${end}`);
    fs().renameSync(by, path);
    syncFolder(dirname(path));
  } catch (error) {
    throw translate(error, path);
  }
}

/** A damaged database may be opened with its log but fail to be closed properly: that looks like a lock. */
function isDatabase(path: string): boolean {
  let db: Database | undefined;
  try {
    db = openFile(path);
    db.run("pragma busy_timeout = 1000");
    const found = db.query("pragma quick_check(1)").get() as { quick_check: string } | null;
    return found?.quick_check === "ok";
  } catch (error) {
    return !isDamage(error);
  } finally {
    db?.close();
  }
}

/** Whether all of it, including its log, was copied to `kept`; otherwise the file itself was moved there. */
function retire(path: string, kept: string | undefined): boolean {
  if (!isDatabase(path)) {
    setAside(path, kept);
    return false;
  }
  let db: Database | undefined;
  try {
    db = openFile(path);
    // Changing the journal mode copies the log back and needs exclusive access; the locking mode keeps it exclusive.
    db.run("pragma busy_timeout = 1000; pragma locking_mode = exclusive; pragma journal_mode = delete");
    db.run("begin exclusive; commit");
    if (kept !== undefined) vacuumInto(db, kept);
    db.run("pragma journal_mode = memory; pragma application_id = 1");
  } catch (error) {
    if (isBusy(error))
      throw new InboxError("busy", `another process has ${path} open; nothing was changed`, {
        hint: "stop the hub, supervisors and waiting commands that use it, then restore again",
        cause: error,
      });
    if (!isDamage(error)) throw error;
    // It can no longer be read as a database: it is kept as it is.
    if (kept !== undefined) fs().rmSync(kept, { force: true });
    setAside(path, kept);
    return false;
  } finally {
    db?.close();
  }
  if (kept === undefined) return true;
  const copy = openFile(kept);
  copy.run("pragma journal_mode = wal");
  copy.close();
  return true;
}

const isDamage = (error: unknown) =>
  /^SQLITE_(NOTADB|CORRUPT|FORMAT|ERROR|PROTOCOL)/.test(String((error as { code?: unknown }).code));

function setAside(path: string, kept: string | undefined): void {
  if (!requireOwn(path, "file")) return;
  if (kept === undefined) fs().rmSync(path);
  else fs().renameSync(path, kept);
}
