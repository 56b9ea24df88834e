/** The laws of procedures (src/sql/procedure.ts) on the SQLite engine, and what group commit makes of them. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { InboxError } from "../../src/contract/errors.ts";
import type { Engine } from "../../src/engines/engine.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openSqlite } from "../../src/engines/sqlite/engine.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { all, type Context, known, one, type Row, refused, run } from "../../src/sql/procedure.ts";
import { repeated } from "../../src/sql/repeated.ts";
import { type Sql, sql } from "../../src/sql/sql.ts";
import { root } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/until.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let engine: Engine;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "coord.db");
  createDatabase(path);
  engine = openSqlite(path);
});

afterEach(async () => {
  await engine.close();
  folder[Symbol.dispose]();
});

const add = (name: string) =>
  sql`insert into agents (name, first_seen_at, last_seen_at) values (${name}, '', '')`;

async function names(): Promise<string[]> {
  const rows = await engine.read(function* () {
    return yield* all<{ name: string }>(sql`select name from agents order by name`);
  });
  return rows.map((row) => row.name);
}

test("[S4] a refusal commits what was written before it; a throw rolls back", async () => {
  const refuses = engine.write(function* () {
    yield* run(add("kept"));
    return refused(new InboxError("invalid_state", "no"));
  });
  expect((await refusal(refuses)).code).toBe("invalid_state");
  const throws = engine.write(function* () {
    yield* run(add("undone"));
    throw new InboxError("invalid_state", "no");
  });
  expect((await refusal(throws)).code).toBe("invalid_state");
  expect(await names()).toEqual(["kept"]);
});

test("[S4] in a shared transaction a number is new after every insert, also one that returns its own", async () => {
  await engine.write(() => run(add("first"))); // so that the next ones gather
  const sent = sql`insert into messages (from_agent, to_agent, kind, summary, created_at) values ('a', 'b', 'event', '', '') returning message_id`;
  const [before, made, after] = await Promise.all([
    engine.write((tx) => tx.number("messages")),
    engine.write(() => one<{ message_id: number }>(sent)),
    engine.write((tx) => tx.number("messages")),
  ]);
  expect([before, made?.message_id, after]).toEqual([1, 1, 2]);
});

test("[S4] in a shared transaction a failing procedure undoes its own writes only", async () => {
  await engine.write(() => run(add("first"))); // so that the next ones gather
  const settled = await Promise.allSettled(
    ["a", "b", "c", "d"].map((name) =>
      engine.write(function* () {
        yield* run(add(name));
        if (name === "b") throw new InboxError("conflict" as never, "no");
        if (name === "c") yield* run(add("a")); // the primary key refuses
        return name;
      }),
    ),
  );
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(await names()).toEqual(["a", "d", "first"]);
});

test("[S4] procedures that arrive together share commits, and each is answered after its own", async () => {
  await engine.write(() => run(add("first")));
  const watcher = new Database(path, { readonly: true });
  const commits = new Set<number>();
  const version = () => (watcher.query("pragma data_version").get() as { data_version: number }).data_version;
  version();
  await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      engine
        .write(() => run(add(`n${i}`)))
        .then(() => {
          commits.add(version());
          expect(watcher.query("select 1 from agents where name = ?").get(`n${i}`)).not.toBeNull();
        }),
    ),
  );
  // Mostly one; a machine that takes longer than a batch may last makes it a few.
  expect(commits.size).toBeLessThan(50);
  watcher.close();
});

test("[S4] a procedure that shares a transaction sees the writes of earlier ones, even in statements that were already run", async () => {
  await engine.write(() => run(add("first")));
  const count = sql`select count(*) as count from agents`;
  const counted = (write?: Sql) =>
    engine.write(function* () {
      if (write) yield* run(write);
      return (yield* one<{ count: number }>(sql`${count}`))!.count;
    });
  const found = await Promise.all([
    counted(),
    counted(),
    counted(add("second")),
    counted(sql`update agents set last_seen_at = 'x'`),
    counted(sql`delete from agents where name = 'first'`),
    counted(),
    counted(sql`${add("third")} on conflict do nothing`),
  ]);
  expect(found).toEqual([1, 1, 2, 2, 1, 1, 2]);
});

test("[S4] in a shared transaction a read with a name is made once, until a caller writes to its table", async () => {
  await engine.write(() => run(add("first"))); // so that the next ones gather
  let made = 0;
  const agents = {
    query() {
      made++;
      return sql`select count(*) as count from agents`;
    },
    pick: ([row]: Row[]) => row!.count as number,
  };
  const count = (tx: Context) => repeated(tx, "how many", agents, undefined);
  const counts = await Promise.all([
    engine.write(count),
    engine.write(count),
    engine.write(() => run(add("second"))),
    engine.write(count),
    engine.write(() => run(sql`insert into pools (pool, created_at) values ('p', '')`)),
    engine.write(() =>
      run(sql`insert into pools (pool, created_at) values ('p', '') on conflict do nothing`),
    ),
    engine.write(() => run(sql`update pools set created_at = 'x'`)),
    engine.write(count),
    engine.write(() => run(sql`delete from agents where name = 'first'`)),
    engine.write(count),
  ]);
  const answers = [1, 1, undefined, 2, undefined, undefined, undefined, 2, undefined, 1];
  expect([counts, made]).toEqual([answers, 3] as never);
  // The next transaction knows nothing of it.
  await engine.write(() => run(add("third")));
  expect([await engine.write(count), made]).toEqual([2, 4]);
});

test("[S4] in a shared transaction what a write to a virtual table changes in its own tables is seen", async () => {
  await engine.write(() => run(add("first"))); // so that the next ones gather
  const indexed = sql`select count(*) as count from search_words_docsize`;
  const counted = (write?: Sql) =>
    engine.write(function* () {
      if (write) yield* run(write);
      return (yield* one<{ count: number }>(sql`${indexed}`))!.count;
    });
  const found = await Promise.all([
    counted(),
    counted(sql`insert into search_words (rowid, title, body) values (1, 'a', 'b')`),
    counted(),
    counted(sql`delete from search_words where rowid = 1`),
  ]);
  expect(found).toEqual([0, 1, 1, 0]);
});

test("[S4] what a call has put into its context is not in that of the next", async () => {
  await engine.write(() => run(add("first"))); // so that the next ones gather
  const woken: string[] = [];
  const change = (tx: Context) => {
    tx.surface = "rest";
    tx.wake = (topic) => void woken.push(topic);
    tx.learn("fact", "of a call that fails");
    throw new InboxError("invalid_state", "no");
  };
  const [, found] = await Promise.all([
    refusal(engine.write(change)),
    engine.write((tx) => {
      tx.wake("somebody");
      return known([tx.surface, tx.recall("fact")]);
    }),
  ]);
  expect([found, woken]).toEqual([[undefined, undefined], []]);
  expect(await engine.read((tx) => known([tx.surface, tx.recall("fact")]))).toEqual([undefined, undefined]);
});

test("[S4] procedures that share a transaction get consecutive numbers, whatever is refused in between", async () => {
  const inbox = openInbox(path);
  const send = (sender: string, more = {}) =>
    inbox.call("messages.send", { channel: "builds", content: "x", sender, ...more });
  await inbox.call("pools.join", { agent: "a", pool: "crew" });
  const sent = await Promise.allSettled([
    send("a"),
    send("b", { channel: "nobody-has-this", strict: true }),
    send("c"),
    inbox.call("threads.send", { from: "a", to: "w", subject: "s" }),
    send("b", { channel: "crew" }),
    inbox.call("mailbox.send", { from: "b", to: "a", body: "x" } as never),
    send("d"),
  ]);
  const numbers = sent.flatMap((each) =>
    each.status === "fulfilled" && "id" in each.value ? [each.value.id as number] : [],
  );
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
  const stored = await engine.read(() =>
    all<{ message_id: number }>(sql`select messages.message_id from messages order by messages.message_id`),
  );
  expect(stored.map((row) => row.message_id)).toEqual(stored.map((_, i) => i + 1));
  await inbox.close();
});

test("[S4] a pool that is joined in the same transaction gets later messages", async () => {
  const inbox = openInbox(path);
  const send = () => inbox.call("messages.send", { channel: "crew", content: "x", sender: "s" });
  await send();
  const [before, , after] = await Promise.all([
    send(),
    inbox.call("pools.join", { agent: "a", pool: "crew" }),
    send(),
  ]);
  expect([before.copies, after.copies?.map(({ channel }) => channel)]).toEqual([undefined, ["a"]]);
  await inbox.close();
});

test("[S4] a statement that was made but never run is an error under test", async () => {
  const forgets = engine.write(function* () {
    add("lost"); // a forgotten yield
    yield* run(add("written"));
  });
  expect((await refusal(forgets)).message).toContain("never run");
  expect(await names()).toEqual([]);
});

/** What is given to `together` or `ending` is run by it. */
function withoutTogether(text: string): string {
  const call = /yield\* (together|ending)\(/;
  for (let found = call.exec(text); found; found = call.exec(text)) {
    let end = found.index + found[0].length;
    for (let depth = 1; depth > 0; end++) depth += text[end] === "(" ? 1 : text[end] === ")" ? -1 : 0;
    text = text.slice(0, found.index) + text.slice(end);
  }
  return text;
}

test("[S4] no procedure of the bus is called without yield*", () => {
  const files = readdirSync(join(root, "src/bus"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const texts = [...files.map((file) => join("src/bus", file)), "src/sql/procedure.ts"].map((file) =>
    withoutTogether(readFileSync(join(root, file), "utf8").replace(/=>\s+/g, "=> ")),
  );
  const generator = /function\* (\w+)/g;
  const withoutGenerator = /(?:function |const )(\w+)(?: = )?\((?:(?!=>|;).){0,200}?\): Procedure</gs;
  const procedures = new Set(
    texts.flatMap((text) =>
      [generator, withoutGenerator].flatMap((form) => Array.from(text.matchAll(form), (match) => match[1]!)),
    ),
  );
  expect(procedures.size).toBeGreaterThan(20);
  expect(procedures).toContain("append");
  for (const text of texts)
    for (const call of text.matchAll(/(\S+ )?(\S*?)\b(\w+)(<[^>()]*>)?\(/g)) {
      const [, before = "", prefix, name] = call;
      if (!procedures.has(name!) || prefix?.endsWith(".")) continue;
      expect(`${before}${prefix}${name}`).toMatch(/^(\S*yield\* |function\*? |return |=> |\s*\*)/);
    }
});

test("[S4] what a read writes is not kept", async () => {
  await engine.read(() => run(add("smuggled")));
  expect(await names()).toEqual([]);
});

test("[S4] the database runs with a write-ahead log, full synchronous and foreign keys", async () => {
  const pragma = async (query: ReturnType<typeof sql>) =>
    Object.values((await engine.read(() => one<object>(query)))!)[0];
  expect(await pragma(sql`pragma journal_mode`)).toBe("wal");
  expect(await pragma(sql`pragma synchronous`)).toBe(2);
  expect(await pragma(sql`pragma foreign_keys`)).toBe(1);
});

test("[S4] a lock held by another process is waited for without stopping the event loop; then it is busy", async () => {
  const other = new Database(path);
  other.run("begin immediate");
  let turns = 0;
  const ticking = setInterval(() => turns++, 5);
  const waiting = engine.write(() => run(add("patient")));
  // A loop that stood still until the write gave up would have it busy.
  await until("the event loop has turned ten times", () => turns > 10);
  other.run("rollback");
  await waiting;
  expect(await names()).toEqual(["patient"]);
  other.run("begin immediate");
  expect((await refusal(engine.write(() => run(add("too patient"))))).code).toBe("busy");
  other.run("rollback");
  clearInterval(ticking);
  other.close();
  expect(await names()).toEqual(["patient"]);
});

test("[S4] a process that stood still while it waited for the lock tries again before it says busy", async () => {
  const other = new Database(path);
  other.run("begin immediate");
  const waiting = engine.write(() => run(add("asleep")));
  await Bun.sleep(50); // it has tried
  // As after a machine was suspended: a minute is over from one moment to the next.
  const late = performance.now() + 60_000;
  const clock = spyOn(performance, "now").mockImplementation(() => late);
  await Bun.sleep(50);
  clock.mockRestore();
  other.run("rollback");
  other.close();
  await waiting;
  expect(await names()).toEqual(["asleep"]);
});

test("[B4] [T11] what a program in the same process is handed is collected in the transaction that answers", async () => {
  const inbox = openInbox(path);
  await inbox.call("threads.send", { from: "lead", to: "w", subject: "s" });
  await inbox.call("messages.send", { channel: "w", sender: "lead", content: "mail" });
  const { write } = inbox.engine;
  let writes = 0;
  inbox.engine.write = (work, options) => {
    writes++;
    return write(work, options);
  };
  await inbox.call("threads.claim", { agent: "w" });
  await inbox.call("mailbox.check", { agent: "w" });
  expect(writes).toBe(2);
  for (const id of [1, 2])
    expect(await inbox.call("messages.status", { id })).toMatchObject({ status: "acked", handed: 1 });
  await inbox.close();
});
