/** What a command that ends leaves beside the database. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { desk, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const send = ["send", "bob", "hello", "--from", "al"];

test("[S1] a command leaves its write in the log, and a copy of file and log has it", async () => {
  using bus = await desk();
  using elsewhere = temporaryFolder();
  const path = join(bus.path, ".agents/coord.db");
  const size = statSync(path).size;
  for (let i = 0; i < 3; i++) expect((await bus.inbox(...send)).code).toBe(0);
  expect(statSync(path).size).toBe(size);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  // As after a loss of power: no connection was closed.
  mkdirSync(join(elsewhere.path, ".agents"), { mode: 0o700 });
  for (const end of ["", "-wal"]) copyFileSync(path + end, join(elsewhere.path, `.agents/coord.db${end}`));
  expect(
    (await run(["mail", "--agent", "bob", "--json"], { cwd: elsewhere.path })).json.messages,
  ).toHaveLength(3);
});

test("[S1] a log of more than 1 MB is copied back by the command that finds it", async () => {
  using bus = await desk();
  const path = join(bus.path, ".agents/coord.db");
  const db = new Database(path);
  db.run(
    "pragma wal_autocheckpoint = 0; create table filler (text); insert into filler values (hex(randomblob(3000000)))",
  );
  // A copy of the log, as a process that was killed leaves it.
  using kept = temporaryFolder();
  for (const end of ["", "-wal"]) copyFileSync(path + end, join(kept.path, `coord.db${end}`));
  db.close();
  for (const end of ["", "-wal"]) copyFileSync(join(kept.path, `coord.db${end}`), path + end);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(4 * 1024 * 1024);
  expect((await bus.inbox(...send)).code).toBe(0);
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect((await bus.inbox("mail", "--agent", "bob", "--json")).json.messages).toHaveLength(1);
});
