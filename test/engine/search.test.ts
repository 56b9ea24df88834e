/** Words come after the fact: who searches is told what it has not seen. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { rows } from "../support/stored.ts";
import { until } from "../support/until.ts";

const behindIn = (db: string) =>
  rows<{ behind: number }>(
    db,
    "select (select max(event_id) from events) - (select event_id from search_progress) as behind",
  )[0]!.behind;

test("[U8] while nothing can be written a search answers all the same, and says what it has not looked at", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const inbox = openInbox(path);
  const send = (content: string) => inbox.call("messages.send", { channel: "c", sender: "x", content });
  await send("first words");
  expect((await inbox.call("search.find", { q: "words" })).hits).toHaveLength(1);
  await send("second words");
  const other = new Database(path);
  other.run("begin immediate");
  const held = await inbox.call("search.find", { q: "words" });
  expect(held).toMatchObject({ complete: false, hits: [{ id: "msg_1" }] });
  expect(held.behind).toBeGreaterThan(0);
  other.run("rollback");
  other.close();
  await until(async () => (await inbox.call("search.find", { q: "words" })).complete);
  expect((await inbox.call("search.find", { q: "words" })).hits).toHaveLength(2);
  await inbox.close();
});

test("[U8] a send writes no words; a hub brings them up to date by itself", async () => {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const inbox = openInbox(db);
  for (let i = 0; i < 250; i++)
    await inbox.call("messages.send", { channel: "c", sender: "x", content: `n${i} ${"long ".repeat(500)}` });
  await inbox.close();
  expect(behindIn(db)).toBeGreaterThanOrEqual(250);
  await using hub = await hubHere({ db });
  await until(() => behindIn(db) === 0);
  const { json } = await hub.ask("GET /api/search?q=n249");
  expect(json).toMatchObject({ complete: true, hits: [{ id: "msg_250" }] });
});
