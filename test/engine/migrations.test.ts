import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { InboxError } from "../../src/contract/errors.ts";
import { createDatabase, openDatabase } from "../../src/engines/sqlite/connect.ts";
import type { Database as Queried } from "../../src/engines/sqlite/driver.ts";
import { migrations } from "../../src/engines/sqlite/schema.ts";
import { temporaryFolder } from "../support/folder.ts";
import { beforeTokensAreUnique, manyHeldThreads, twoThreadsByOneToken } from "../support/old-leases.ts";

const next = [...migrations, "create table later (a text) strict; insert into later values ('here');"];
const broken = [...migrations, "create table half (a text) strict; insert into nowhere values (1);"];
const version = (db: Queried) =>
  (db.query("pragma user_version").get() as { user_version: number }).user_version;

test("[S3] an older schema is migrated forward, once, with its rows kept", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const old = openDatabase(path);
  old.run("insert into agents (name, first_seen_at, last_seen_at) values ('a', '', '')");
  old.close();
  for (let time = 0; time < 2; time++) {
    const db = openDatabase(path, next);
    expect(version(db)).toBe(next.length);
    expect(db.query("select * from later").all()).toEqual([{ a: "here" }]);
    expect(db.query("select name from agents").all()).toEqual([{ name: "a" }]);
    db.close();
  }
});

test("[S3] a migration that fails leaves nothing behind", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  expect(() => openDatabase(path, broken)).toThrow(InboxError);
  const db = openDatabase(path);
  expect(version(db)).toBe(migrations.length);
  expect(db.query("select count(*) as n from sqlite_schema where name = 'half'").get()).toEqual({ n: 0 });
  db.close();
});

test("[S3] a newer schema is refused and not touched", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path, next);
  for (const open of [() => openDatabase(path), () => createDatabase(path)])
    expect(open).toThrow(expect.objectContaining({ code: "storage", hint: "install a newer inbox" }));
  const db = new Database(path);
  expect(version(db)).toBe(next.length);
  db.close();
});

test("[S3] processes that migrate at once end with one migrated database", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const script = join(import.meta.dir, "migrate-child.ts");
  const children = Array.from({ length: 8 }, () =>
    Bun.spawn([process.execPath, "--no-env-file", script, path], { stdout: "pipe", stderr: "pipe" }),
  );
  const codes = await Promise.all(children.map((child) => child.exited));
  expect(codes).toEqual(codes.map(() => 0));
  const db = new Database(path);
  expect(db.query("select * from later").all()).toEqual([{ a: "here" }]);
  db.close();
});

test("[B4.7] [S3] a token that an older bus holds for two threads is held for the first of them", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path, beforeTokensAreUnique(migrations));
  const old = new Database(path);
  old.run(twoThreadsByOneToken);
  old.close();
  const db = openDatabase(path);
  const held = db.query("select lease_token from leases where released_at is null order by thread_id").all();
  expect(held).toEqual([{ lease_token: "t" }, { lease_token: expect.stringMatching(/^[0-9a-f]{24}$/) }]);
  db.close();
});

test("[S3] an agent that holds very many threads does not make a migration slow", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path, beforeTokensAreUnique(migrations));
  const old = new Database(path);
  old.run(manyHeldThreads(20_000));
  old.close();
  const begun = performance.now();
  openDatabase(path).close();
  // Comparing each lease with each took 11 s.
  expect(performance.now() - begun).toBeLessThan(5000);
});
