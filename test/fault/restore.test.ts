/** [Y6] Disasters and attacks: what was acknowledged before a backup is there afterwards, and a crafted archive does nothing. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openInbox } from "../../src/inbox/inbox.ts";
import { TarWriter } from "../../src/platform/tar.ts";
import { bareEnvironment, desk, run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { kinds } from "../support/places.ts";
import { administrator, postgresUrl } from "../support/postgres.ts";
import { until } from "../support/until.ts";

/** Writes until it is stopped, and remembers what was acknowledged. */
function writer(location: string) {
  const inbox = openInbox(location);
  const acknowledged: string[] = [];
  let stopped = false;
  const done = (async () => {
    for (let i = 1; !stopped; i++) {
      await inbox.call("messages.send", { channel: "log", content: `entry ${i}`, sender: "s" });
      acknowledged.push(`entry ${i}`);
    }
  })().catch(() => {});
  const stop = async () => {
    stopped = true;
    await done;
    await inbox.close().catch(() => {});
  };
  return { acknowledged, stop, [Symbol.asyncDispose]: stop };
}

/** It takes the locks of all tables, and a writer has some: the server may end either of the two. */
async function dropped(schema: string): Promise<void> {
  for (;;)
    try {
      await administrator().unsafe(`drop schema "${schema}" cascade`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "40P01") throw error;
    }
}

const disasters: Record<string, Record<string, (location: string) => unknown>> = {
  file: {
    deleted: (path) => rmSync(path),
    "overwritten with garbage": (path) => writeFileSync(path, "garbage ".repeat(40_000)),
  },
  postgres: {
    dropped: (url) => dropped(/schema=(\w+)/.exec(url)![1]!),
  },
};

for (const kind of Object.keys(kinds))
  for (const [what, strike] of Object.entries(disasters[kind]!))
    test(`[Y6.4] [Y6.7] ${kind} ${what} while a writer runs: all that was acknowledged before the backup is restored, and waits work`, async () => {
      using folder = temporaryFolder();
      await using bus = await kinds[kind]!();
      const cli = (...args: string[]) => run([...args, "--db", bus.location, "--json"], { cwd: folder.path });
      expect((await cli("init")).code).toBe(0);
      await using writing = writer(bus.location);
      await until("something was written", () => writing.acknowledged.length >= 20);
      const before = [...writing.acknowledged];
      expect((await cli("backup", "bus.tar")).json).toMatchObject({ ok: true });
      await until("the writer went on", () => writing.acknowledged.length > before.length);
      await strike(bus.location);
      if (kind === "file") {
        const { json } = await cli("restore", "bus.tar", "--force");
        expect(json.error).toMatchObject({
          code: "busy",
          message: expect.stringContaining(`process ${process.pid}`),
        });
      }
      await writing.stop();
      expect((await cli("restore", "bus.tar", "--force")).json).toMatchObject({ ok: true });
      const inbox = openInbox(bus.location);
      const found: string[] = [];
      for (let after = 0, more = true; more; ) {
        const page = await inbox.call("messages.inbox", { channel: "log", afterId: after, limit: 500 });
        found.push(...page.messages.map(({ content }) => content));
        after = page.messages.at(-1)?.id ?? after;
        more = page.messages.length > 0;
      }
      expect(found.slice(0, before.length)).toEqual(before);
      const waiting = inbox.call("mailbox.wait", { agent: "w", timeoutSeconds: 30 });
      expect((await cli("send", "w", "wake up")).code).toBe(0);
      expect(JSON.stringify(await waiting)).toContain("wake up");
      await inbox.close();
    });
if (!postgresUrl) console.warn("SKIPPED: disasters on Postgres, for TEST_POSTGRES names no server");

test("[Y6.3] killed in the middle, a backup leaves nothing under its name, and the next one clears up", async () => {
  using at = await desk();
  const db = new Database(at.db);
  db.run(`insert into messages (from_agent, to_agent, kind, summary, body, created_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    select 's', 'w', 'event', 's', hex(randomblob(500)), 'now' from n`);
  db.close();
  const left = () => readdirSync(at.path).filter((name) => name.startsWith("bus.tar"));
  // One that has ended before it could be killed shows nothing: it is made anew.
  await until("a backup is killed in the middle", async () => {
    for (const name of left()) rmSync(join(at.path, name), { recursive: true });
    const child = start(["backup", "bus.tar"], { cwd: at.path });
    await until("it has begun", () => left().length > 0);
    child.kill("SIGKILL");
    await child.exited;
    return !left().includes("bus.tar");
  });
  expect(left()).toEqual([expect.stringMatching(/^bus\.tar-work-/)]);
  expect((await at.inbox("backup", "bus.tar")).code).toBe(0);
  expect(left()).toEqual(["bus.tar"]);
});

test("[Y6.7] refused while a hub serves the bus, with the reason", async () => {
  using at = await desk();
  await at.inbox("backup", "bus.tar");
  const hub = at.start("serve", "--port", "0");
  try {
    await until("the hub noted itself", async () =>
      (await at.inbox("doctor")).json.checks.some(({ detail }: { detail: string }) =>
        detail.endsWith("serves this database"),
      ),
    );
    const { json } = await at.inbox("restore", "bus.tar", "--force");
    expect(json.error).toMatchObject({
      code: "busy",
      message: expect.stringContaining(`process ${hub.pid}`),
    });
  } finally {
    hub.kill("SIGTERM");
    await hub.exited;
  }
  expect((await at.inbox("restore", "bus.tar", "--force")).code).toBe(0);
});

/** The parts of a tar, changed, as a new one. */
function forged(file: string, into: string, change: (parts: Map<string, Buffer>) => void): void {
  const parts = new Map<string, Buffer>();
  const bytes = readFileSync(file);
  for (let at = 0; bytes[at]; ) {
    const name = bytes.toString("latin1", at, bytes.indexOf(0, at));
    const size = Number.parseInt(bytes.toString("latin1", at + 124, at + 135), 8);
    parts.set(name, Buffer.from(bytes.subarray(at + 512, at + 512 + size)));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  change(parts);
  writeFileSync(into, "");
  const opened = openSync(into, "r+");
  const tar = new TarWriter(opened);
  for (const [name, content] of parts) tar.addText(name, content as unknown as string);
  tar.end();
  closeSync(opened);
}

/** Makes the list of parts right again, as an attacker would. */
function relist(parts: Map<string, Buffer>, change: object = {}): void {
  const manifest = JSON.parse(parts.get("manifest.json")!.toString());
  manifest.parts = [...parts]
    .filter(([name]) => !["restante-backup.json", "manifest.json", "mark"].includes(name))
    .map(([name, content]) => ({
      name,
      bytes: content.length,
      sha256: new Bun.CryptoHasher("sha256").update(content).digest("hex"),
    }));
  parts.set("manifest.json", Buffer.from(JSON.stringify({ ...manifest, ...change })));
}

/** The database of an archive, changed by a statement. */
function withSql(parts: Map<string, Buffer>, statement: string): void {
  using folder = temporaryFolder();
  const path = join(folder.path, "x.db");
  writeFileSync(path, parts.get("bus.db")!);
  const db = new Database(path);
  db.run(statement);
  db.close();
  parts.set("bus.db", readFileSync(path));
  relist(parts);
}

test("[Y6.8] a damaged or crafted archive is refused, says why, and nothing is made", async () => {
  using at = await desk();
  await at.inbox("send", "w", "hello");
  await at.inbox("backup", "bus.tar");
  const good = join(at.path, "bus.tar");
  const bad = join(at.path, "bad.tar");
  const cases: [string, () => void][] = [
    [
      "it is truncated, or it is not a backup",
      () => writeFileSync(bad, readFileSync(good).subarray(0, -1024)),
    ],
    ["is truncated: the end of", () => writeFileSync(bad, readFileSync(good).subarray(0, 4096))],
    ["it is not a tar file", () => writeFileSync(bad, "x".repeat(2048))],
    ["no list of its parts", () => forged(good, bad, (parts) => parts.delete("manifest.json"))],
    [
      "bus.db is damaged: its checksum does not match",
      () => forged(good, bad, (parts) => parts.get("bus.db")!.writeUInt8(7, 9000)),
    ],
    [
      "its database is damaged",
      () =>
        forged(good, bad, (parts) => {
          parts.get("bus.db")!.fill(0x5a, 8192, 12_288);
          relist(parts);
        }),
    ],
    ['"../evil" is not a part', () => forged(good, bad, (parts) => parts.set("../evil", Buffer.from("x")))],
    [
      '"/tmp/evil" is not a part',
      () => forged(good, bad, (parts) => parts.set("/tmp/evil", Buffer.from("x"))),
    ],
    ["is not a part", () => forged(good, bad, (parts) => parts.set("tasks/1/../../x", Buffer.from("x")))],
    [
      "agents.toml is not in its list",
      () => forged(good, bad, (parts) => parts.set("agents.toml", Buffer.from("x"))),
    ],
    [
      "is missing",
      () => forged(good, bad, (parts) => parts.delete("journal/entries.jsonl") || parts.delete("bus.db")),
    ],
    ["format version 2", () => forged(good, bad, (parts) => relist(parts, { version: 2 }))],
    ["schema version 9999", () => forged(good, bad, (parts) => relist(parts, { schemaVersion: 9999 }))],
    [
      "has a trigger",
      () =>
        forged(good, bad, (parts) =>
          withSql(parts, "create trigger evil after insert on threads begin delete from messages; end"),
        ),
    ],
    ["has a view", () => forged(good, bad, (parts) => withSql(parts, "create view evil as select 1"))],
    [
      "is not a plain file",
      () => {
        const bytes = readFileSync(good);
        bytes.write("2", 156); // a symbolic link
        const sum = [...bytes.subarray(0, 512)].reduce(
          (total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte),
          0,
        );
        bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
        writeFileSync(bad, bytes);
      },
    ],
  ];
  for (const [reason, make] of cases) {
    make();
    const { json } = await run(["restore", bad, "--db", "new/coord.db", "--json"], { cwd: at.path });
    expect([reason, json.error]).toEqual([
      reason,
      expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(reason) }),
    ]);
    expect(existsSync(join(at.path, "new"))).toBe(false);
    expect(existsSync(join(at.path, "evil"))).toBe(false);
  }
});

test("[Y6.9] [X7] only what this user backed up of an approved bus is approved when restored", async () => {
  using at = await desk();
  using elsewhere = temporaryFolder();
  const env = { ...bareEnvironment(), INBOX_TRUST: "", XDG_STATE_HOME: join(at.path, "state") };
  const cli = (args: string[], more: Record<string, string> = {}) =>
    run([...args, "--json"], { cwd: at.path, env: { ...env, ...more } });
  const restored = async (file: string, name: string, more = {}) =>
    (await cli(["restore", file, "--db", `${name}/coord.db`], more)).json.trusted;
  // Made by another: its backup has no mark.
  await cli(["backup", "foreign.tar"]);
  expect(await restored("foreign.tar", "one")).toBe(false);
  await cli(["trust", "--yes"]);
  await cli(["backup", "own.tar"]);
  expect(await restored("own.tar", "two")).toBe(true);
  expect(await restored("own.tar", "three", { XDG_STATE_HOME: elsewhere.path })).toBe(false);
  // Changed since: the mark is of another list.
  forged(join(at.path, "own.tar"), join(at.path, "changed.tar"), (parts) =>
    withSql(parts, "update agents set last_seen_at = 'never'"),
  );
  expect(await restored("changed.tar", "four")).toBe(false);
});
