/** [C8] What can be wrong with a database file, and what to do about it. Changes nothing. */
import type { StatsFs } from "node:fs";
import { dirname } from "node:path";
import type { OutputOf } from "../../contract/operations/index.ts";
import { blank, call, phrase } from "../../contract/phrase.ts";
import { fs } from "../../platform/system.ts";
import { newestHub } from "../tables.ts";
import { openDatabase } from "./connect.ts";
import { type Database, isSafeSqlite } from "./driver.ts";
import { translate } from "./errors.ts";

type Report = OutputOf<"bus.doctor">;
type Check = Report["checks"][number];

export function diagnose(path: string): Report {
  const db = openDatabase(path);
  try {
    const looks: (() => Check | Check[])[] = [
      () => engine(db),
      () => schema(db, path),
      () => integrity(db),
      () => journal(db),
      () => permissions(path),
      () => room(fs().statfsSync(dirname(path)), dirname(path)),
      () => clock(db),
      () => leases(db),
      () => deadLetters(db),
    ];
    const damages = new Set<string>();
    const checks = looks.flatMap((look): Check | Check[] => {
      try {
        return look();
      } catch (error) {
        // A damaged file fails in any of them, in the same way: it is said once.
        const { message } = translate(error, path);
        if (damages.has(message)) return [];
        damages.add(message);
        return { name: "integrity", status: "fail", detail: message, fix: damaged };
      }
    });
    return { healthy: checks.every(({ status }) => status !== "fail"), checks };
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

const damaged = "restore the file from a backup";
const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail });
const get = <T>(db: Database, query: string) => db.query(query).get() as T;

function engine(db: Database): Check {
  const { version } = get<{ version: string }>(db, "select sqlite_version() as version");
  if (isSafeSqlite(version)) return ok("engine", `SQLite ${version}`);
  const detail = `SQLite ${version} can damage a database that several programs use`;
  return {
    name: "engine",
    status: "fail",
    detail,
    fix: "use the built program, which brings its own SQLite",
  };
}

function schema(db: Database, path: string): Check {
  const { user_version } = get<{ user_version: number }>(db, "pragma user_version");
  return ok("schema", `version ${user_version} of ${path}`);
}

function integrity(db: Database): Check {
  const { quick_check } = get<{ quick_check: string }>(db, "pragma quick_check(1)");
  if (quick_check === "ok") return ok("integrity", "no damage found");
  return { name: "integrity", status: "fail", detail: quick_check, fix: damaged };
}

function journal(db: Database): Check {
  const { journal_mode } = get<{ journal_mode: string }>(db, "pragma journal_mode");
  if (journal_mode === "wal") return ok("journal", "write-ahead log, synchronous full");
  const fix = "close every program that uses it, then run: sqlite3 FILE 'pragma journal_mode=wal'";
  return { name: "journal", status: "fail", detail: `journal mode is ${journal_mode}, not wal`, fix };
}

function permissions(path: string): Check[] {
  const wanted: [string, string, number][] = [
    ["file", path, 0o600],
    ["folder", dirname(path), 0o700],
  ];
  return wanted.map(([name, place, mode]) => {
    const found = fs().statSync(place).mode & 0o777;
    const detail = `${place} is ${found.toString(8).padStart(4, "0")}`;
    if ((found & ~mode) === 0) return ok(name, detail);
    return {
      name,
      status: "warn",
      detail: `${detail}: others may read it`,
      fix: `chmod ${mode.toString(8)} ${place}`,
    };
  });
}

const enoughBytes = 64 * 1024 * 1024;

/** Without room the next write fails, and says so; here one learns of it before. */
function room({ bsize, bfree, bavail, files, ffree }: StatsFs, place: string): Check {
  const free = bsize * (process.getuid?.() === 0 ? bfree : bavail);
  const fix = `make room on the disk of ${place}`;
  if (files > 0 && ffree === 0)
    return { name: "disk", status: "fail", detail: `no more files can be made in ${place}`, fix };
  const left = `${(free / 1024 / 1024).toFixed(free < enoughBytes ? 1 : 0)} MiB are free in ${place}`;
  if (free < 1024 * 1024) return { name: "disk", status: "fail", detail: `the disk is full: ${left}`, fix };
  return free < enoughBytes ? { name: "disk", status: "warn", detail: left, fix } : ok("disk", left);
}

function clock(db: Database): Check {
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
  };
}

function leases(db: Database): Check {
  const now = new Date().toISOString();
  const rows = db
    .query(`select leases.thread_id as id, leases.agent_id as agent from leases join threads on threads.thread_id = leases.thread_id
      where leases.released_at is null and leases.expires_at <= ?
      and threads.status in ('claimed', 'in_progress', 'blocked') order by leases.expires_at, leases.thread_id limit 100`)
    .all(now) as { id: number; agent: string }[];
  if (!rows.length) return ok("leases", "none has expired");
  const [oldest] = rows;
  const thread = `thr_${oldest!.id}`;
  const detail = `${rows.length}${rows.length === 100 ? " or more" : ""} ran out and nobody took over, the oldest ${thread} of "${oldest!.agent}"`;
  return {
    name: "leases",
    status: "warn",
    detail,
    fix: phrase`${call("threads.claim", { thread, agent: blank("NAME") })}, or ${call("threads.cancel", { thread, agent: blank("NAME") })}`,
  };
}

function deadLetters(db: Database): Check {
  const { count } = get<{ count: number }>(
    db,
    "select count(*) as count from messages where dead_at is not null",
  );
  if (!count) return ok("dead letters", "none");
  const fix = phrase`${call("deadLetters.list")} shows them; ${call("deadLetters.requeue", { id: blank("ID") })}, or ${call("deadLetters.purge", { id: blank("ID") })}`;
  return { name: "dead letters", status: "warn", detail: `${count} waiting to be requeued or purged`, fix };
}
