/** The embedded engine: one file, any number of processes. */
import { InboxError } from "../../contract/errors.ts";
import { idObserver } from "../../platform/system.ts";
import { Refused } from "../../sql/procedure.ts";
import { agentTopic } from "../../sql/topics.ts";
import type { Engine, EngineOptions, Work } from "../engine.ts";
import { Facts } from "../facts.ts";
import { fileClock } from "./clock.ts";
import { openDatabase } from "./connect.ts";
import { type Drive, driver, nothingNoted } from "./drive.ts";
import type { Database } from "./driver.ts";
import { translate } from "./errors.ts";
import { groupCommit } from "./group-commit.ts";
import { copyDropper } from "./kept-copy.ts";
import { leaveLogBehind } from "./leave.ts";
import { whenFree } from "./lock.ts";
import { openPresence } from "./presence.ts";
import { migrations } from "./schema.ts";
import { givesBack, rewrite } from "./space.ts";
import { openWake } from "./wake.ts";

export function openSqlite(path: string, options: EngineOptions = {}): Engine {
  const now = options.now ?? fileClock(path);
  const db = openDatabase(path);
  if (options.brief) leaveLogBehind(path);
  // From here on we wait for the lock ourselves (lock.ts): SQLite's way would block the event loop.
  db.run("pragma busy_timeout = 0");
  if (options.reverseUnordered) db.run("pragma reverse_unordered_selects = on");

  const requireSame = sameFile(path);
  // A command ends before anybody deletes the file under it; only one that waits looks.
  const requireHere = options.brief ? () => {} : requireSame;
  requireHere();
  const wake = openWake({
    folder: `${path}-wake`,
    log: `${path}-wal`,
    dataVersion() {
      requireSame();
      return (db.query("pragma data_version").get() as { data_version: number }).data_version;
    },
    alone: options.alone,
  });
  const facts = new Facts();
  const presence = openPresence(`${path}-wake`, options.brief === true || options.alone === true);
  const written = copyDropper(path, migrations.length);
  const drive = driver(db, now, facts);
  const commits = groupCommit({ db, path, drive, facts, requireHere, wake, written });

  return {
    brief: options.brief ?? false,
    async read(work) {
      try {
        requireHere();
        const result = await whenFree(() => snapshot(db, drive, work));
        if (result instanceof Refused) throw result.error;
        return result;
      } catch (error) {
        throw translate(error, path);
      }
    },
    write: commits.write,
    subscribe: wake.subscribe,
    mail: (agent) => wake.subscribe([agentTopic(agent)]),
    asCaller: (work) => work,
    attend: presence.attend,
    attending: presence.attending,
    async compact() {
      await commits.idle();
      try {
        return await whenFree(() => rewrite(db));
      } catch (error) {
        throw translate(error, path);
      }
    },
    givesBack: () => givesBack(db),
    knownSchema: migrations.length,
    async storedSchema() {
      try {
        requireHere();
        return (db.query("pragma user_version").get() as { user_version: number }).user_version;
      } catch (error) {
        throw translate(error, path);
      }
    },
    async close() {
      await commits.idle();
      wake.close();
      presence.close();
      db.close();
    },
  };
}

/** In one transaction, several statements see the same state of the database. */
function snapshot<T>(db: Database, drive: Drive, work: Work<T>): T | Refused {
  db.run("begin");
  try {
    return drive(work, nothingNoted());
  } finally {
    if (db.inTransaction) db.run("rollback"); // a read has nothing to commit
  }
}

/**
 * [S4] An open file that was deleted can still be written to, and nobody else would ever see what was. Compares with
 * the file that was there at the first call.
 */
function sameFile(path: string): () => void {
  const idNow = idObserver(path);
  let first: string | undefined;
  return () => {
    const found = idNow();
    first ??= found;
    if (found === undefined || found !== first)
      throw new InboxError("storage", `${path} was deleted or replaced while this process had it open`, {
        hint: "run the command again; a hub has to be restarted",
        details: { missing: true },
      });
  };
}
