/** A disk that is really full: a small file system, filled to the last byte. */
import { expect, test } from "bun:test";
import { closeSync, copyFileSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { InboxError } from "../../src/contract/errors.ts";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { type Result, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { describeMounting, smallDisk } from "../support/mounts.ts";
import { counts, flaws, rows } from "../support/stored.ts";

/** Takes all the room that is left. */
function fillUp(path: string): void {
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, new Uint8Array(4096));
  } catch (error) {
    expect((error as { code: string }).code).toBe("ENOSPC");
  } finally {
    closeSync(file);
  }
}

/** Looks into a copy elsewhere: to open the database itself would need room, and might make some. */
function lookInto<T>(disk: string, look: (db: string) => T): T {
  using elsewhere = temporaryFolder();
  for (const name of ["coord.db", "coord.db-wal"])
    if (existsSync(join(disk, name))) copyFileSync(join(disk, name), join(elsewhere.path, name));
  return look(join(elsewhere.path, "coord.db"));
}

const onDisk = (disk: string) => {
  const db = join(disk, "coord.db");
  return { db, inbox: (...args: string[]) => run([...args, "--db", db, "--json"], { cwd: disk }) };
};

function expectNoRoom(result: Result): void {
  expect(result.json.error.code).toBe("storage");
  expect(result.json.error.hint).toContain("disk space");
  expect(result.code).toBe(50);
  expect(result.stderr).toBe("");
}

const sending = (subject: string) => ["send", "--from", "l", "--to", "w", "--subject", subject];

describeMounting("a full disk", import.meta.path, () => {
  test("[C8] doctor reports a full disk, and where it is", async () => {
    using disk = smallDisk(4096);
    const { inbox } = onDisk(disk.path);
    const room = async () => {
      const { json } = await inbox("doctor");
      const { status, detail, fix } = json.checks.find(({ name }: { name: string }) => name === "disk");
      expect(detail).toContain(disk.path);
      return { status, fix, healthy: json.healthy };
    };
    expect((await inbox("init")).code).toBe(0);
    expect((await room()).status).toBe("warn");
    // A reader of a database needs its files of shared memory: they are made before the disk is full.
    const filler = join(disk.path, "filler");
    writeFileSync(filler, new Uint8Array(3_600_000));
    expect(await room()).toEqual({
      status: "fail",
      fix: `make room on the disk of ${disk.path}`,
      healthy: false,
    });
  });

  test("[G4] [S4] the command that finds it full reports that and writes nothing; with free space everything continues", async () => {
    using disk = smallDisk(2048);
    using outside = temporaryFolder();
    const { db, inbox } = onDisk(disk.path);
    expect((await inbox("init")).code).toBe(0);
    const filler = join(disk.path, "filler");
    writeFileSync(filler, new Uint8Array(400_000));
    const body = join(outside.path, "body");
    writeFileSync(body, "x".repeat(50_000));

    const acknowledged: string[] = [];
    let before = {};
    for (;;) {
      const sent = await inbox(...sending(`work ${acknowledged.length}`), "--body-file", body);
      if (sent.code !== 0) {
        expectNoRoom(sent);
        break;
      }
      acknowledged.push(sent.json.message.message_id);
      before = lookInto(disk.path, counts);
    }
    expect(acknowledged.length).toBeGreaterThan(5);
    expectNoRoom(await inbox(...sending("once more"), "--body-file", body));
    expect(lookInto(disk.path, counts)).toEqual(before);
    expect(lookInto(disk.path, flaws)).toEqual([]);

    rmSync(filler);
    const after = await inbox(...sending("with room"), "--body-file", body);
    expect(after.code).toBe(0);
    expect((await inbox("claim", "--agent", "w")).json.thread.thread_id).toBe("thr_1");
    const stored = rows<{ id: string; size: number }>(
      db,
      "select 'msg_' || message_id as id, length(body) as size from messages order by message_id",
    );
    expect(stored).toEqual(
      [...acknowledged, after.json.message.message_id].map((id) => ({ id, size: 50_000 })),
    );
    expect(flaws(db)).toEqual([]);
  });

  test("[G4] [C3] without a byte left every command says why, and nothing is lost", async () => {
    using disk = smallDisk(1024);
    const { db, inbox } = onDisk(disk.path);
    expect((await inbox("init")).code).toBe(0);
    expect((await inbox(...sending("before"))).code).toBe(0);
    const before = counts(db);
    const filler = join(disk.path, "filler");
    fillUp(filler);
    const results = [
      await inbox(...sending("no room")),
      await inbox("claim", "--agent", "w"),
      await inbox("list"),
      await inbox("wait-reply", "thr_1", "--agent", "l", "--timeout-seconds", "1"),
    ];
    rmSync(filler);
    for (const result of results) {
      expect(result.code).toBe(50);
      expect(result.json.error.code).toBe("storage");
    }
    expect(counts(db)).toEqual(before);
    expect((await inbox("claim", "--agent", "w")).code).toBe(0);
    expect(flaws(db)).toEqual([]);
    for (const result of results) expectNoRoom(result);
  });

  test("[G4] an answer that cannot be marked as read for lack of room is still shown, and stays unread", async () => {
    using disk = smallDisk(1024);
    const { db, inbox } = onDisk(disk.path);
    expect((await inbox("init")).code).toBe(0);
    expect((await inbox(...sending("question"))).code).toBe(0);
    // Another process keeps the log and its index on the disk: there is room to read, but none to write.
    const holder = openInbox(db);
    const filler = join(disk.path, "filler");
    try {
      await holder.call("threads.list", {});
      fillUp(filler);
      const shown = await inbox("show", "thr_1", "--agent", "w", "--mark-read");
      expect(shown.code).toBe(50);
      expect(shown.json.messages).toHaveLength(1);
      expect(shown.stderr).toContain("not marked as read");
      expectNoRoom(await inbox("claim", "--agent", "w"));
    } finally {
      rmSync(filler, { force: true });
      await holder.close();
    }
    expect(rows(db, "select acked_at from messages")).toEqual([{ acked_at: null }]);
    expect(counts(db)).toMatchObject({ thread_reads: 0, leases: 0 });
  });

  test("[G4] [S2] init on a full disk fails and can be run again", async () => {
    using disk = smallDisk(1024);
    const filler = join(disk.path, "filler");
    fillUp(filler);
    const { db, inbox } = onDisk(disk.path);
    expectNoRoom(await inbox("init"));
    const listed = await inbox("list");
    expect(listed.json.error.code).toBe("not_initialized");
    rmSync(filler);
    expect((await inbox("init")).json.created).toBe(true);
    expect(flaws(db)).toEqual([]);
  });

  const crowds = [
    { what: "400 calls at once", kilobytes: 2048, calls: 400, size: 12_000 },
    // More than SQLite keeps in memory: the disk is found full in the middle of a statement, not at the commit.
    { what: "100 big calls at once", kilobytes: 12_288, calls: 100, size: 500_000 },
  ];

  test.each(crowds)(
    "[G4] [S4] $what meet the end of the disk: those answered are there, the others are not",
    async ({ kilobytes, calls, size: big }) => {
      using disk = smallDisk(kilobytes);
      const { db } = onDisk(disk.path);
      createDatabase(db);
      const filler = join(disk.path, "filler");
      // Half of it: once that is free the log fits into the database, whatever it has grown to.
      writeFileSync(filler, new Uint8Array(kilobytes * 512));
      const inbox = openInbox(db);
      try {
        const send = (subject: string, size: number) =>
          inbox.call("threads.send", { from: "l", to: "w", subject, body: "x".repeat(size) });
        // Big and small mixed: after a big one did not fit, a small one of the same transaction might.
        const subjects = Array.from({ length: calls }, (_, i) => `work ${i}`);
        const outcomes = await Promise.allSettled(
          subjects.map((subject, i) => send(subject, i % 3 ? big : 10)),
        );
        const fulfilled = subjects.filter((_, i) => outcomes[i]!.status === "fulfilled");
        const reasons = outcomes.flatMap((outcome) =>
          outcome.status === "rejected" ? [outcome.reason] : [],
        );
        expect(fulfilled.length).toBeGreaterThan(0); // how many fit into a batch is the machine's affair
        expect(reasons.length).toBeGreaterThan(10);
        for (const reason of reasons) {
          expect(reason).toBeInstanceOf(InboxError);
          expect((reason as InboxError).code).toBe("storage");
        }
        const subjectsIn = (path: string) =>
          rows<{ subject: string }>(path, "select subject from threads order by thread_id").map(
            (row) => row.subject,
          );
        expect(lookInto(disk.path, subjectsIn).sort()).toEqual([...fulfilled].sort());

        rmSync(filler);
        // The same connection, without a restart.
        const after = await send("with room", 10_000);
        expect(after.thread.status).toBe("pending");
        expect((await inbox.call("threads.claim", { agent: "w" })).thread).not.toBeNull();
        expect(subjectsIn(db).sort()).toEqual([...fulfilled, "with room"].sort());
      } finally {
        await inbox.close();
      }
      expect(flaws(db)).toEqual([]);
    },
  );
});
