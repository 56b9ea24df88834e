/** What an upgrade does to a database file: brings it forward, and keeps it as it was for a while. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOfBus } from "../../src/documents/bus-files.ts";
import { createDatabase, openDatabase } from "../../src/engines/sqlite/connect.ts";
import { openFile } from "../../src/engines/sqlite/driver.ts";
import { openSqlite } from "../../src/engines/sqlite/engine.ts";
import { migrations } from "../../src/engines/sqlite/schema.ts";
import { run } from "../../src/sql/procedure.ts";
import { fragment } from "../../src/sql/sql.ts";
import { temporaryFolder } from "../support/folder.ts";

const newest = migrations.length;

function facts(path: string) {
  const db = openFile(path);
  try {
    const { user_version } = db.query("pragma user_version").get() as { user_version: number };
    const { quick_check } = db.query("pragma quick_check(1)").get() as { quick_check: string };
    const rows = db.query("select subject from threads order by thread_id").all() as { subject: string }[];
    const schema = db.query("select name, sql from sqlite_schema where sql is not null order by name").all();
    return { user_version, quick_check, subjects: rows.map(({ subject }) => subject), schema };
  } finally {
    db.close();
  }
}

/** A database as the program of that schema left it, with a row in the log that nobody has copied back. */
function older(path: string, version: number): void {
  createDatabase(path, migrations.slice(0, version));
  const db = openFile(path);
  db.run(
    "insert into threads (run_id, task_id, subject, created_by, assigned_to, addressed_to, status, created_at, updated_at) values ('r', 't', 'kept', 'a', 'b', 'b', 'open', '', '')",
  );
  db.close();
}

test("[I4.1] [I4.2] a database of every earlier schema is brought forward, with a copy as it was beside it", () => {
  using folder = temporaryFolder();
  const fresh = join(folder.path, "fresh.db");
  createDatabase(fresh);
  for (let version = 1; version < newest; version++) {
    const path = join(folder.path, `v${version}`, "coord.db");
    older(path, version);
    openDatabase(path).close();
    expect(facts(path)).toMatchObject({ user_version: newest, quick_check: "ok", subjects: ["kept"] });
    const names = (file: string) => facts(file).schema.map((row) => (row as { name: string }).name);
    expect(names(path)).toEqual(names(fresh));
    const copy = `${path}.before-v${newest}`;
    expect(facts(copy)).toMatchObject({ user_version: version, quick_check: "ok", subjects: ["kept"] });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    // The older program can go on with it.
    openDatabase(copy, migrations.slice(0, version)).close();
  }
});

test("[I4.2] the copy goes with the first write after seven days, with those of earlier upgrades", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  older(path, newest - 1);
  openDatabase(path).close();
  const copy = `${path}.before-v${newest}`;
  const [earlier, foreign] = [`${path}.before-v${newest - 1}`, `${path}.before-vacation`];
  for (const file of [earlier, foreign]) writeFileSync(file, "");
  const days = (count: number) => new Date(Date.now() - count * 24 * 60 * 60 * 1000);
  const uses = async (use: "read" | "write") => {
    const engine = openSqlite(path);
    await engine[use](() => run(fragment`select 1`));
    await engine.close();
    return [copy, earlier].map((file) => existsSync(file));
  };
  utimesSync(copy, days(6.9), days(6.9));
  expect(await uses("write")).toEqual([true, true]);
  utimesSync(copy, days(7.1), days(7.1));
  expect(await uses("read")).toEqual([true, true]);
  expect(await uses("write")).toEqual([false, false]);
  expect(readdirSync(folder.path).filter((name) => name.includes("before"))).toEqual([
    "coord.db.before-vacation",
  ]);
});

test("[I4.2] if no copy can be made nothing is changed, and a link in its place is not followed", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  older(path, newest - 1);
  mkdirSync(`${path}.before-v${newest}.tmp`);
  expect(() => openDatabase(path)).toThrow();
  expect(facts(path)).toMatchObject({ user_version: newest - 1, subjects: ["kept"] });
});

test("[I4.2] the copy belongs to the bus and is never shown as a document", () => {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  const copy = `${db}.before-v${newest}`;
  for (const file of [db, copy]) writeFileSync(file, "");
  expect(isOfBus({ db }, copy, statSync(copy))).toBe(true);
});
