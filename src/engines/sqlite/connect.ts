/** Opening, creating and migrating a database file. */

import { InboxError } from "../../contract/errors.ts";
import { call, option, phrase } from "../../contract/phrase.ts";
import { shellWord } from "../../contract/shell-word.ts";
import { openOwnToAppend, requireOwn, requireReadable } from "../../platform/own-files.ts";
import { dirname } from "../../platform/path.ts";
import { sleepSync } from "../../platform/runtime.ts";
import { exists, fs, look } from "../../platform/system.ts";
import { type Database, openFile, requireDriver } from "./driver.ts";
import { isBusy, notOurs, translate } from "./errors.ts";
import { keepCopy } from "./kept-copy.ts";
import { migrations as ours } from "./schema.ts";

/** "REST" in ASCII, in the file's header: distinguishes our files from other SQLite databases. */
const applicationId = 0x52455354;
const lockPatienceMs = 5000;

export function openDatabase(path: string, migrations: readonly string[] = ours): Database {
  if (!exists(path)) {
    requireReadable(dirname(path));
    throw notInitialized(path);
  }
  try {
    const db = connect(path);
    try {
      const version = identify(db, path);
      if (version === 0) throw notInitialized(path);
      if (version > migrations.length) throw newer(path, version, migrations.length);
      if (version < migrations.length) migrate(db, path, migrations);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw translate(error, path);
  }
}

/** Creates what is missing: the folder (0700), the file (0600), the schema. True if there was none before. */
export function createDatabase(path: string, migrations: readonly string[] = ours): boolean {
  try {
    requireDriver();
    const { chmodSync, closeSync, existsSync, mkdirSync, statSync } = fs();
    const folder = dirname(path);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isThere(path)) closeSync(openOwnToAppend(path));
    const file = statSync(path);
    if (!file.isFile()) throw notOurs(path, "it is not a file");
    if (file.size === 0) chmodSync(path, 0o600);
    const db = connect(path);
    try {
      const before = identify(db, path);
      if (before > migrations.length) throw newer(path, before, migrations.length);
      // Only a file without tables can be set up to give space back ([Y4]); an older one must be rewritten (space.ts).
      if (before === 0)
        patiently(() => db.run("pragma auto_vacuum = incremental; pragma journal_mode = wal"));
      return migrate(db, path, migrations) === 0;
    } finally {
      db.close();
    }
  } catch (error) {
    throw translate(error, path);
  }
}

/** Anything that is neither a file nor a link is refused below: it is not a database. */
const isThere = (path: string) => {
  const kind = look(path)?.kind;
  return kind === "folder" || kind === "other" || requireOwn(path, "file") !== undefined;
};

/** A file that exists, whatever it contains. */
export function connect(path: string): Database {
  if (exists(`${path}/.`)) throw notOurs(path, "it is a folder");
  requireOwnFiles(path);
  const db = openFile(path);
  // The timeout comes first: changing the journal mode needs a lock, and processes that open the file at once would fail.
  // temp_store: otherwise savepoints would write a temporary file. wal_autocheckpoint: a log of 16 MB is copied back
  // less often than one of 4 MB, and is read just as fast.
  db.run(
    `pragma busy_timeout = ${lockPatienceMs}; pragma synchronous = full; pragma foreign_keys = on; pragma temp_store = memory; pragma wal_autocheckpoint = 4000`,
  );
  return db;
}

/**
 * [X8] Checks the owners of the files. SQLite reads a log beside the file into the database, wherever it came from,
 * and creates its own with the file's mode: a log that more users may read was put there by another program, such as
 * git.
 */
function requireOwnFiles(path: string): void {
  if (look(path)?.kind === "other") throw notOurs(path, "it is not a file");
  const file = requireOwn(path, "file");
  const modeOf = ({ mode }: { mode: number }) => (mode & 0o777).toString(8).padStart(3, "0");
  // Also if root could read it: SQLite would create the files beside it with a mode that is refused later.
  if (file && (file.mode & 0o400) === 0)
    throw new InboxError("storage", `${path} has mode ${modeOf(file)}: its owner may not read it`, {
      hint: `chmod 600 ${shellWord(path)}`,
    });
  for (const end of ["-wal", "-journal", "-shm"]) {
    const log = requireOwn(`${path}${end}`, "file");
    // The owner's own permission bits give nobody else access.
    if (!file || !log || (log.mode & 0o077 & ~file.mode) === 0) continue;
    const beside = `${path}${end}`;
    throw new InboxError(
      "not_allowed",
      `${beside} has mode ${modeOf(log)}, wider than the database's ${modeOf(file)}: SQLite did not make it`,
      {
        hint: `if both are yours, chmod ${modeOf(file)} ${shellWord(beside)}: it may hold your last writes, so do not delete it; if they came with a checkout, move both away, as they are another user's data`,
      },
    );
  }
}

/** The schema's version, 0 for an empty file; throws if the file belongs to another program. */
function identify(db: Database, path: string): number {
  // Both are set in one transaction. To prepare the statement below takes ten times as long as these two.
  const mark = db.query("pragma application_id").get() as { application_id: number };
  if (mark.application_id === applicationId)
    return (db.query("pragma user_version").get() as { user_version: number }).user_version;
  // In one statement: another process may be creating it.
  const { application, version, tables } = db
    .query(`select (select application_id from pragma_application_id) as application,
      (select user_version from pragma_user_version) as version, (select count(*) from sqlite_schema) as tables`)
    .get() as { application: number; version: number; tables: number };
  if (application === applicationId) return version;
  if (application !== 0 || version !== 0 || tables > 0)
    throw notOurs(path, "it holds another program's tables");
  return 0;
}

/** The same, for a file of this program or of an earlier version. */
export function knownVersion(db: Database, path: string, migrations: readonly string[] = ours): number {
  const version = identify(db, path);
  if (version > migrations.length) throw newer(path, version, migrations.length);
  return version;
}

/** Migrates the schema in one transaction, and returns the version before. Concurrent processes wait for each other. */
function migrate(db: Database, path: string, migrations: readonly string[]): number {
  patiently(() => db.run("begin immediate"));
  try {
    const before = identify(db, path);
    if (before > 0 && before < migrations.length) keepCopy(path, migrations.length);
    for (const statements of migrations.slice(before)) db.run(statements);
    if (before < migrations.length)
      db.run(`pragma application_id = ${applicationId}; pragma user_version = ${migrations.length}`);
    db.run("commit");
    return before;
  } catch (error) {
    if (db.inTransaction) db.run("rollback");
    throw error;
  }
}

/** Some statements fail as busy at once in spite of the timeout, such as changing the journal mode. */
function patiently(attempt: () => void): void {
  const deadline = Date.now() + lockPatienceMs;
  for (;;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      sleepSync(5);
    }
  }
}

const notInitialized = (path: string) =>
  new InboxError("not_initialized", `there is no Restante database at ${path}`, {
    hint: phrase`${call("bus.init", {}, { db: path })} creates it; without ${option("db")} it creates one in the current folder`,
  });

const newer = (path: string, found: number, known: number) =>
  new InboxError(
    "storage",
    `${path} has schema version ${found}; this program knows ${known}: nothing was changed`,
    {
      hint: "install a newer inbox",
    },
  );
