/** [Y4] What retention deletes makes the file smaller, or at least no bigger. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { temporaryFolder } from "../support/folder.ts";

const old = "2020-01-01T00:00:00.000Z";

/** Acked messages of a kilobyte, made past the program, for speed. */
function fill(path: string, count: number): void {
  const db = new Database(path);
  db.run(`insert into messages (from_agent, to_agent, kind, summary, body, created_at, acked_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select 'a', 'c', 'event', 's', hex(randomblob(500)), '${old}', '${old}' from n`);
  db.close();
}

/** With the log copied back, as the last one to close does. */
const sizeOf = (path: string) => {
  const db = new Database(path);
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  return statSync(path).size;
};

async function gc(path: string, more: { vacuum?: boolean } = {}) {
  const inbox = openInbox(path);
  await inbox.call("retention.set", { kind: "all", days: 30, agent: "boss" });
  const answer = await inbox.call("retention.apply", more);
  await inbox.close();
  return answer;
}

test("[Y4] a new file shrinks in steps, down to what stays free for the next messages", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  fill(path, 5000);
  const full = sizeOf(path);
  const { deleted, freedBytes, warnings } = await gc(path);
  expect([deleted.find(({ kind }) => kind === "mail")?.count, warnings]).toEqual([5000, undefined]);
  expect(sizeOf(path)).toBeLessThan(full / 2);
  expect(freedBytes).toBe(full - sizeOf(path));
  const db = new Database(path);
  expect(db.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  db.close();
});

test("[Y4] a file of an earlier version says that it cannot shrink, and does so once it was rewritten", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const db = new Database(path);
  db.run("pragma auto_vacuum = none; vacuum");
  db.close();
  fill(path, 5000);
  const full = sizeOf(path);
  const before = await gc(path);
  expect([before.freedBytes, before.warnings?.length, sizeOf(path)]).toEqual([0, 1, full]);
  const rewritten = await gc(path, { vacuum: true });
  expect(rewritten.warnings).toBeUndefined();
  expect(rewritten.freedBytes).toBe(full - sizeOf(path));
  expect(sizeOf(path)).toBeLessThan(full / 2);
  // From now on as a new one does.
  fill(path, 5000);
  expect((await gc(path)).freedBytes).toBeGreaterThan(0);
  expect(existsSync(`${path}-journal`)).toBe(false);
});

test("[Y4] with limits and steady traffic the file stays the same size", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  let now = Date.now();
  const inbox = openInbox(path, { now: () => now });
  await inbox.call("retention.set", { kind: "all", days: 1, agent: "boss" });
  const sizes: number[] = [];
  for (let round = 0; round < 8; round++) {
    const content = "word ".repeat(200);
    const sends = Array.from({ length: 300 }, () =>
      inbox.call("messages.send", { channel: "c", content, sender: "a" }),
    );
    await Promise.all(sends);
    await inbox.call("messages.ackAll", { channel: "c", agent: "b" });
    now += 2 * 86_400_000;
    await inbox.call("retention.apply", {});
    sizes.push(sizeOf(path));
  }
  await inbox.close();
  // Once one round is written beside what the last one left, nothing more is needed.
  expect(Math.max(...sizes.slice(3))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 3)) * 1.05);
});
