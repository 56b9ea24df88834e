/** Words come after the fact: who searches is told what it has not seen. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { matches } from "../../src/bus/procedures/search-find.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { migrations } from "../../src/engines/sqlite/schema.ts";
import { type Inbox, openInbox } from "../../src/inbox/inbox.ts";
import { search } from "../../src/inbox/search.ts";
import type { Match } from "../../src/sql/procedure.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { rows } from "../support/stored.ts";
import { until } from "../support/until.ts";

const behindIn = (db: string) =>
  rows<{ behind: number }>(
    db,
    "select (select max(event_id) from events) - (select event_id from search_progress) as behind",
  )[0]!.behind;

/** What a search finds once it has looked at everything: it answers after half a second, however slow the disk is. */
const found = (inbox: Inbox, q: string) =>
  until("the search has looked at everything", async () => {
    const answer = await inbox.call("search.find", { q });
    return answer.complete ? answer : undefined;
  });

test("[U8] while nothing can be written a search still answers, and says what it has not searched", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const inbox = openInbox(path);
  const send = (content: string) => inbox.call("messages.send", { channel: "c", sender: "x", content });
  await send("first words");
  expect((await found(inbox, "words")).hits).toHaveLength(1);
  await send("second words");
  const other = new Database(path);
  other.run("begin immediate");
  const held = await inbox.call("search.find", { q: "words" });
  expect(held).toMatchObject({ complete: false, hits: [{ id: "msg_1" }] });
  expect(held.behind).toBeGreaterThan(0);
  other.run("rollback");
  other.close();
  expect((await found(inbox, "words")).hits).toHaveLength(2);
  await inbox.close();
});

test("[U8] a send writes no search words; a hub updates them automatically", async () => {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  createDatabase(db);
  const inbox = openInbox(db);
  // Few enough for one of the hub's turns (250 ms): what is left after it waits for the next, 15 s later.
  for (let i = 0; i < 40; i++)
    await inbox.call("messages.send", { channel: "c", sender: "x", content: `n${i} ${"long ".repeat(100)}` });
  await inbox.close();
  expect(behindIn(db)).toBeGreaterThanOrEqual(40);
  await using hub = await hubHere({ db });
  await until("no word is behind", () => behindIn(db) === 0);
  const { json } = await hub.ask("GET /api/search?q=n39");
  expect(json).toMatchObject({ complete: true, hits: [{ id: "msg_40" }] });
});

/** Words of messages that are not there: only what finds them is looked at. */
async function index(
  engine: Engine,
  from: number,
  to: number,
  title: string[],
  body: string[],
): Promise<void> {
  for (let at = from; at <= to; at += 500) {
    const texts = Array.from({ length: Math.min(500, to - at + 1) }, (_, i) => ({
      ref: at + i,
      title,
      body,
    }));
    await engine.write((tx) => tx.search.put(3, texts));
  }
}

const lookIn = (engine: Engine, words: string[], part?: number) =>
  engine.read((tx) => matches(tx, "messages", words, { among: 1000, best: 40, part }));

async function emptyBus(): Promise<{ path: string; engine: Engine } & AsyncDisposable> {
  const folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  createDatabase(path);
  const engine = openEngine(path);
  return {
    path,
    engine,
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      folder[Symbol.dispose]();
    },
  };
}

test("[U8] a search looks through the words part by part, newest first, and no part is large", async () => {
  await using bus = await emptyBus();
  const { engine } = bus;
  await index(engine, 1, 5000, ["build"], ["common", "words"]);
  await index(engine, 5001, 5004, [], ["commonly", ...Array<string>(30_000).fill("long")]);
  const parts: Match[][] = [];
  let part: number | undefined;
  do {
    const { found, next } = await lookIn(engine, ["common"], part);
    parts.push(found);
    part = next;
  } while (part !== undefined);
  const refs = parts.map((found) => found.map(({ ref }) => ref).sort((a, b) => a - b));
  expect(refs.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 5004 }, (_, i) => i + 1));
  // Of texts with three words no more than 1024, of those with 30,000 one.
  expect(refs.map(({ length }) => length)).toEqual([1, 1, 1, 1, 904, 1024, 1024, 1024, 1024]);
  for (const [i, newer] of refs.entries()) if (i > 0) expect(newer.at(-1)!).toBeLessThan(refs[i - 1]![0]!);
  // The other words of a part are none of its concern.
  expect((await lookIn(engine, ["build"], 5)).found).toEqual([]);
  expect((await lookIn(engine, ["long", "build"], 5)).found).toEqual([]);
});

test("[U8] for a word that everything has only the newest parts are looked at; for a rare one all", async () => {
  await using bus = await emptyBus();
  const { engine } = bus;
  await index(engine, 1, 1, ["needle"], ["common"]);
  await index(engine, 2, 5000, [], ["common", "words"]);
  const reads = async (q: string) => {
    let steps = 0;
    const read: Engine["read"] = (work) => {
      steps++;
      return engine.read(work);
    };
    await search({ ...engine, read }, { q, limit: 5, kinds: ["messages"] });
    return steps;
  };
  const nothing = await reads("!?");
  // A look at each part, and one at the texts themselves. The newest part has not yet a thousand.
  expect(await reads("common words")).toBe(nothing + 2 + 1);
  expect(await reads("needle")).toBe(nothing + 5 + 1);
  expect(await reads("common absent")).toBe(nothing + 5);
});

test("[U8] the same text counts for the same in a part where its words are common and in one where they are rare", async () => {
  await using bus = await emptyBus();
  const { engine } = bus;
  const text = [["deploy"], ["login", "failed", "again"]] as const;
  await index(engine, 1, 1, [...text[0]], [...text[1]]);
  await index(engine, 2, 1023, ["x"], ["login", "deploy", "deploy"]);
  await index(engine, 1024, 1024, [...text[0]], [...text[1]]);
  await index(engine, 1025, 2500, ["x"], ["y", "z"]);
  await index(engine, 2501, 2501, [...text[0]], [...text[1]]);
  const scores = async (words: string[]) => {
    const found = [await lookIn(engine, words, 0), await lookIn(engine, words)].flatMap((part) => part.found);
    return [1, 1024, 2501].map((ref) => found.find((match) => match.ref === ref)!.score);
  };
  const [one, two, three] = await scores(["login"]);
  expect(one).toBeGreaterThan(0);
  expect([two, three]).toEqual([expect.closeTo(one!, 6), expect.closeTo(one!, 6)]);
  const [first, , last] = await scores(["deploy", "fail"]);
  expect(last! / first!).toBeGreaterThan(0.7);
  expect(last! / first!).toBeLessThan(1.4);
});

test("[U8] searches take turns, and between two long steps everybody else is served", async () => {
  await using bus = await emptyBus();
  const { engine } = bus;
  await index(engine, 1, 5000, [], ["common", "words"]);
  let served = 0;
  let running = true;
  const others = () => {
    served++;
    if (running) setImmediate(others);
  };
  setImmediate(others);
  let steps: number[] = [];
  const slow: Engine = {
    ...engine,
    read: async (work) => {
      const started = performance.now();
      while (performance.now() - started < 5); // longer than a turn
      steps.push(served);
      return engine.read(work);
    },
  };
  await search(slow, { q: "!?", limit: 5 });
  const alone = steps.length;
  steps = [];
  await Promise.all(
    ["common absent", "words absent", "absent"].map((q) =>
      search(slow, { q, limit: 5, kinds: ["messages"] }),
    ),
  );
  running = false;
  const looked = steps.slice(3 * alone);
  expect(looked).toHaveLength(3 * 5);
  for (const [i, before] of looked.slice(0, -1).entries()) expect(looked[i + 1]!).toBeGreaterThan(before);
});

test("[U8] words of an earlier format are written again", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  const parted = migrations.findIndex((statements) => statements.includes("create table search_parts"));
  createDatabase(path, migrations.slice(0, parted));
  const db = new Database(path);
  db.run(`insert into messages (message_id, from_agent, to_agent, kind, summary, body, created_at)
    values (1, 'x', 'c', 'message', 'of old', 'some ancient words', '2026-01-01T00:00:00.000Z');
    insert into events (source, event_type, message_id, created_at) values ('x', 'message.sent', 1, '2026-01-01T00:00:00.000Z');
    insert into search_words (rowid, title, body) values (${3 * 2 ** 48 + 1}, 'of old', 'x some ancient words');
    update search_progress set event_id = (select max(event_id) from events)`);
  db.close();
  const inbox = openInbox(path);
  expect((await found(inbox, "ancient old")).hits.map(({ id }) => id)).toEqual(["msg_1"]);
  await inbox.close();
});
