/** [Y6] A backup has the whole bus, and what is restored from it goes on as the bus would have. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { busBackup } from "../../src/admin/bus-backup.ts";
import { busRestore } from "../../src/admin/bus-restore.ts";
import { migrations } from "../../src/engines/sqlite/schema.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { temporaryFolder } from "../support/folder.ts";
import { kinds } from "../support/places.ts";
import { refusal } from "../support/refusal.ts";
import { fillRichly, goOn } from "../support/rich-bus.ts";

const env = process.env;
const back = (db: string, file: string) => busBackup({ db, env, cwd: "/nowhere" }, { file });
const restore = (db: string, file: string, force = false) =>
  busRestore({ db, env, cwd: "/nowhere" }, { file, force });

for (const kind of Object.keys(kinds))
  test(`[Y6.1] [Y6.5] on ${kind}: all rows and numbers come back, and leases, cursors, readers and tokens go on`, async () => {
    using folder = temporaryFolder();
    await using source = await kinds[kind]!();
    await using target = await kinds[kind]!();
    const rich = await fillRichly(source.location);
    const before = await source.contents();
    const file = join(folder.path, "bus.tar");
    const made = await back(source.location, file);
    expect(made).toMatchObject({ file, schemaVersion: migrations.length, busId: before.bus![0]!.bus_id });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await source.contents()).toEqual(before);

    const restored = await restore(target.location, file);
    expect(restored).toMatchObject({ busId: made.busId, rows: made.rows, kept: [], trusted: true });
    expect(await target.contents()).toEqual(before);
    expect(await goOn(target.location, rich)).toEqual(await goOn(source.location, rich));
  });

for (const kind of Object.keys(kinds))
  test(`[Y6.6] on ${kind}: a bus is replaced with force only, is kept, and no id of it is given again`, async () => {
    using folder = temporaryFolder();
    await using bus = await kinds[kind]!();
    await fillRichly(bus.location);
    const file = join(folder.path, "bus.tar");
    await back(bus.location, file);
    const send = async () => {
      const inbox = openInbox(bus.location);
      const sent = await inbox.call("threads.send", { from: "lead", to: "w", subject: "later" });
      await inbox.close();
      return sent.thread.threadId;
    };
    const later = await send();
    const before = await bus.contents();
    const refused = await refusal(restore(bus.location, file));
    expect(refused.code).toBe("conflict");
    expect(await bus.contents()).toEqual(before);

    const { kept } = await restore(bus.location, file, true);
    expect(kept).toHaveLength(kind === "file" ? 3 : 1);
    const inbox = openInbox(bus.location);
    const { threads } = await inbox.call("threads.list", { limit: 200 });
    expect(threads.map(({ threadId }) => threadId)).not.toContain(later);
    await inbox.close();
    expect(Number((await send()).slice(4))).toBe(Number(later.slice(4)) + 1);

    const old = openInbox(
      kind === "file" ? kept[0]! : bus.location.replace(/schema=\w+/, `schema=${kept[0]}`),
    );
    expect((await old.call("threads.show", { thread: later })).thread.subject).toBe("later");
    await old.call("threads.send", { from: "lead", to: "w", subject: "the old one works" });
    await old.close();
    if (kind !== "file") await bus.run(`drop schema "${kept[0]}" cascade`);
  });

test("[Y6.2] transcripts, journal and profiles come back, and a transcript is found at its new place", async () => {
  using folder = temporaryFolder();
  await using source = await kinds.file!();
  await using target = await kinds.file!();
  await fillRichly(source.location);
  await source.run(
    "update tasks set status = 'finished', folder = '/gone/tasks/1', host = 'another' where task_number = 1",
  );
  const task = join(`${source.location}-tasks`, "1");
  mkdirSync(task, { recursive: true });
  const line = { at: "2026-03-01T12:00:00.000Z", kind: "output", text: "as it was" };
  writeFileSync(join(task, "transcript.jsonl"), `${JSON.stringify(line)}\n`);
  writeFileSync(join(task, "keeper.log"), "not of the bus\n");
  const journal = join(source.location, "../inbox");
  writeFileSync(join(journal, "entries.jsonl"), '{"id":"x"}\n');
  const profiles = join(source.location, "../agents.toml");
  writeFileSync(profiles, '[profiles.p]\nrunner = "claude"\n');

  const file = join(folder.path, "bus.tar");
  expect((await back(source.location, file)).parts).toBe(5);
  await restore(target.location, file);
  const inbox = openInbox(target.location);
  const { entries } = await inbox.call("tasks.log", { name: "first" });
  expect(entries).toMatchObject([{ kind: "output", text: "as it was" }]);
  await inbox.close();
  const beside = (name: string) => join(target.location, "..", name);
  expect(readFileSync(beside("inbox/entries.jsonl"), "utf8")).toBe('{"id":"x"}\n');
  expect(readFileSync(beside("agents.toml"), "utf8")).toBe(readFileSync(profiles, "utf8"));
  expect(existsSync(beside("coord.db-tasks/1/keeper.log"))).toBe(false);

  // Again, over what is there: the old is kept, and a profile file that is there stays.
  writeFileSync(beside("agents.toml"), "# changed\n");
  const again = await restore(target.location, file, true);
  expect(again.kept).toHaveLength(4);
  for (const place of again.kept) expect(existsSync(place)).toBe(true);
  expect(again.warnings!.join()).toContain("agents.toml was not changed");
  expect(readFileSync(beside("agents.toml"), "utf8")).toBe("# changed\n");
});

test("[Y6.3] an earlier backup is replaced, any other file is not", async () => {
  using folder = temporaryFolder();
  await using source = await kinds.file!();
  await fillRichly(source.location);
  const file = join(folder.path, "bus.tar");
  await back(source.location, file);
  await back(source.location, file);
  const other = join(folder.path, "notes.txt");
  writeFileSync(other, "mine");
  for (const place of [other, source.location, folder.path])
    expect((await refusal(back(source.location, place))).code).toBe("conflict");
  expect(readFileSync(other, "utf8")).toBe("mine");
});
