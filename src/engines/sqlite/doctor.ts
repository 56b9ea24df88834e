/** [C8] [N4] What can be wrong with a database file, and what to do about it. Checking changes nothing. */
import type { StatsFs } from "node:fs";
import { dirname } from "node:path";
import { type Diagnosis, diagnosis, type Finding, well as ok, reasons } from "../../contract/finding.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import { fs, look } from "../../platform/system.ts";
import { newestHub } from "../tables.ts";
import { openDatabase } from "./connect.ts";
import { type Database, isSafeSqlite } from "./driver.ts";
import { translate } from "./errors.ts";
import { staleMarks } from "./presence.ts";

export function diagnose(path: string): Diagnosis {
  const db = openDatabase(path);
  try {
    const looks: (() => Finding | Finding[])[] = [
      () => engine(db),
      () => schema(db, path),
      () => integrity(db),
      () => journal(db, path),
      () => writeAheadLog(path),
      () => wakeFiles(`${path}-wake`),
      () => permissions(path),
      () => room(fs().statfsSync(dirname(path)), dirname(path)),
      () => clock(db),
      () => leases(db),
      () => deadLetters(db),
    ];
    const damages = new Set<string>();
    const checks = looks.flatMap((look): Finding | Finding[] => {
      try {
        return look();
      } catch (error) {
        // A damaged file fails in each of these in the same way: it is reported once.
        const { message } = translate(error, path);
        if (damages.has(message)) return [];
        damages.add(message);
        return { name: "integrity", status: "fail", detail: message, ...damaged };
      }
    });
    return diagnosis(checks);
  } finally {
    db.close();
  }
}

export function notedHub(path: string): string | null {
  const db = openDatabase(path);
  try {
    return get<{ hub_url: string } | null>(db, newestHub)?.hub_url ?? null;
  } finally {
    db.close();
  }
}

const damaged = { fix: "restore the file from a backup", left: "the lost data can only come from a backup" };
const get = <T>(db: Database, query: string) => db.query(query).get() as T;

function engine(db: Database): Finding {
  const { version } = get<{ version: string }>(db, "select sqlite_version() as version");
  if (isSafeSqlite(version)) return ok("engine", `SQLite ${version}`);
  const detail = `SQLite ${version} can damage a database that several programs use`;
  return {
    name: "engine",
    status: "fail",
    detail,
    fix: "use the built program, which brings its own SQLite",
    left: "it is another program",
  };
}

function schema(db: Database, path: string): Finding {
  const { user_version } = get<{ user_version: number }>(db, "pragma user_version");
  return ok("schema", `version ${user_version} of ${path}`);
}

function integrity(db: Database): Finding {
  const { quick_check } = get<{ quick_check: string }>(db, "pragma quick_check(1)");
  if (quick_check === "ok") return ok("integrity", "no damage found");
  return { name: "integrity", status: "fail", detail: quick_check, ...damaged };
}

function journal(db: Database, path: string): Finding {
  const { journal_mode } = get<{ journal_mode: string }>(db, "pragma journal_mode");
  if (journal_mode === "wal") return ok("journal", "journal mode wal, synchronous full");
  const fix = "close every program that uses it, then run: sqlite3 FILE 'pragma journal_mode=wal'";
  const repair = () => {
    const own = openDatabase(path);
    try {
      const after = get<{ journal_mode: string }>(own, "pragma journal_mode = wal").journal_mode;
      if (after !== "wal") throw new Error(`the journal mode stays ${after}`);
      return "set the journal mode to wal";
    } finally {
      own.close();
    }
  };
  return { name: "journal", status: "fail", detail: `journal mode is ${journal_mode}, not wal`, fix, repair };
}

/**
 * A process has been reading for a long time, or was stopped while reading; commands copy the log back once it has a
 * hundred pages.
 */
const largeLog = 64 * 1024 * 1024;

function writeAheadLog(path: string): Finding {
  const size = fs().statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const detail = `${(size / 1024 / 1024).toFixed(1)} MiB`;
  if (size <= largeLog) return ok("log", `the write-ahead log has ${detail}`);
  const repair = () => {
    const own = openDatabase(path);
    try {
      const { busy } = get<{ busy: number }>(own, "pragma wal_checkpoint(truncate)");
      if (busy) throw new Error("another program is reading from it; end that program first");
      return `copied ${detail} into the database`;
    } finally {
      own.close();
    }
  };
  const fix = "close programs that read from it, then run: sqlite3 FILE 'pragma wal_checkpoint(truncate)'";
  return { name: "log", status: "warn", detail: `the write-ahead log has ${detail}`, fix, repair };
}

/** [B8] Files of waits whose process was killed or interrupted: that is usual, and nobody takes them for an open wait. */
function wakeFiles(folder: string): Finding {
  const stale = staleMarks(folder);
  if (!stale.length) return ok("wake files", "no stale ones");
  const detail = `${stale.length} left by programs that were ended while they waited; they are ignored`;
  const repair = () => {
    for (const file of stale) fs().rmSync(file, { force: true });
    return `removed ${stale.length} stale file(s) from ${folder}`;
  };
  return { name: "wake files", status: "ok", detail, repair };
}

/** SQLite makes its side files with the mode of the database, and refuses to be read by more users than that ([X8.3]). */
function permissions(path: string): Finding {
  const octal = (mode: number) => (mode & 0o777).toString(8).padStart(4, "0");
  const found = ["", "-wal", "-shm", "-journal"].flatMap((end) => {
    const file = look(`${path}${end}`);
    return file?.kind === "file" ? [{ file: `${path}${end}`, mode: file.mode }] : [];
  });
  const wide = found.filter(({ mode }) => (mode & 0o177) !== 0);
  const listed = wide.map(({ file, mode }) => `${file} is ${octal(mode)}`).join(", ");
  if (!wide.length) return ok("file", `${path} is ${octal(found[0]?.mode ?? 0)}`);
  return {
    name: "file",
    status: "warn",
    detail: `${listed}: others may read it`,
    fix: `chmod 600 ${wide.map(({ file }) => file).join(" ")}`,
    repair: () => {
      // The database last: a side file with more rights than it has is refused.
      for (const { file, mode } of wide.toReversed()) if (look(file)) fs().chmodSync(file, mode & 0o600);
      return `set ${wide.map(({ file, mode }) => `${file} to ${octal(mode & 0o600)}`).join(", ")}`;
    },
  };
}

const enoughBytes = 64 * 1024 * 1024;

/** Without free space the next write fails with an error; this reports it before. */
function room({ bsize, bfree, bavail, files, ffree }: StatsFs, place: string): Finding {
  const free = bsize * (process.getuid?.() === 0 ? bfree : bavail);
  const advice = { fix: `make room on the disk of ${place}`, left: reasons.machine };
  if (files > 0 && ffree === 0)
    return { name: "disk", status: "fail", detail: `no more files can be created in ${place}`, ...advice };
  const left = `${(free / 1024 / 1024).toFixed(free < enoughBytes ? 1 : 0)} MiB are free in ${place}`;
  if (free < 1024 * 1024)
    return { name: "disk", status: "fail", detail: `the disk is full: ${left}`, ...advice };
  return free < enoughBytes ? { name: "disk", status: "warn", detail: left, ...advice } : ok("disk", left);
}

function clock(db: Database): Finding {
  const { last } = get<{ last: string | null }>(
    db,
    "select max(created_at) as last from (select created_at from events order by event_id desc limit 100)",
  );
  const aheadMs = last === null ? 0 : Date.parse(last) - Date.now();
  if (aheadMs < 2000) return ok("clock", "not behind the newest event");
  const detail = `the newest event is ${Math.round(aheadMs / 1000)} s in the future: the clock was set back`;
  return {
    name: "clock",
    status: "warn",
    detail,
    fix: "set the clock; leases last longer until it has caught up",
    left: reasons.machine,
  };
}

function leases(db: Database): Finding {
  const now = new Date().toISOString();
  const rows = db
    .query(`select leases.thread_id as id, leases.agent_id as agent from leases join threads on threads.thread_id = leases.thread_id
      where leases.released_at is null and leases.expires_at <= ?
      and threads.status in ('claimed', 'in_progress', 'blocked') order by leases.expires_at, leases.thread_id limit 100`)
    .all(now) as { id: number; agent: string }[];
  if (!rows.length) return ok("leases", "none has expired");
  const [oldest] = rows;
  const thread = `thr_${oldest!.id}`;
  const detail = `${rows.length}${rows.length === 100 ? " or more" : ""} expired and nobody has taken over, the oldest: ${thread} of "${oldest!.agent}"`;
  return {
    name: "leases",
    status: "warn",
    detail,
    fix: phrase`${call("threads.claim", { thread, agent: blank("NAME") })}, or ${call("threads.cancel", { thread, agent: blank("NAME") })}`,
    left: reasons.decision,
  };
}

function deadLetters(db: Database): Finding {
  const { count } = get<{ count: number }>(
    db,
    "select count(*) as count from messages where dead_at is not null",
  );
  if (!count) return ok("dead letters", "none");
  const fix = phrase`${call("deadLetters.list")} shows them; ${call("deadLetters.requeue", { id: blank("ID") })}, or ${call("deadLetters.purge", { id: blank("ID") })}`;
  const detail = `${count} waiting to be requeued or purged`;
  return { name: "dead letters", status: "warn", detail, fix, left: reasons.decision };
}
