/** Agents start together, and each begins with `inbox init`. The windows are narrow, hence the many rounds; most of them in `npm run prove -- init-race`. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { migrations } from "../../src/engines/sqlite/schema.ts";
import { type Result, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { inFull } from "../support/in-full.ts";
import { flaws, rows } from "../support/stored.ts";

const rounds = inFull(4, 200);
const schemaOf = (db: string) => rows(db, "select type, name, sql from sqlite_schema order by name");
const refusals = (answers: Result[]) =>
  answers.filter(({ code }) => code !== 0).map(({ code, stdout, stderr }) => ({ code, stdout, stderr }));

/** The schema as one process alone makes it. */
function expectedSchema(): unknown[] {
  const db = new Database(":memory:");
  for (const statements of migrations) db.run(statements);
  return db.query("select type, name, sql from sqlite_schema order by name").all();
}

test("[S2] [S3] 20 processes init at once: one creates, all succeed, one schema", async () => {
  for (let round = 0; round < rounds; round++) {
    using folder = temporaryFolder();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => run(["init", "--json"], { cwd: folder.path })),
    );
    expect(refusals(answers)).toEqual([]);
    expect(answers.filter((answer) => answer.json.created)).toHaveLength(1);
    const db = join(folder.path, ".agents/coord.db");
    expect(schemaOf(db)).toEqual(expectedSchema());
    expect(rows(db, "pragma journal_mode")).toEqual([{ journal_mode: "wal" }]);
    expect(rows(db, "pragma user_version")).toEqual([{ user_version: migrations.length }]);
    expect(flaws(db)).toEqual([]);
  }
});

test("[S2] others that come while it is created find it not there yet, or there and usable", async () => {
  for (let round = 0; round < rounds; round++) {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    const creating = Promise.all(Array.from({ length: 3 }, () => run(["init", "--db", db, "--json"])));
    const sent = await Promise.all(
      Array.from({ length: 15 }, (_, i) =>
        run(["send", "--from", `agent-${i}`, "--to", "w", "--subject", "s", "--db", db, "--json"]),
      ),
    );
    expect(refusals(await creating)).toEqual([]);
    expect(refusals(sent).filter(({ stdout }) => !stdout.includes('"code":"not_initialized"'))).toEqual([]);
    expect(rows(db, "select * from threads")).toHaveLength(sent.filter(({ code }) => code === 0).length);
    expect(flaws(db)).toEqual([]);
  }
});
