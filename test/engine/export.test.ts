/** [Y7] A whole bus as JSON lines, and back. */
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { busBackup } from "../../src/admin/bus-backup.ts";
import { busExport } from "../../src/admin/bus-export.ts";
import { busImport } from "../../src/admin/bus-import.ts";
import { createBus } from "../../src/engines/registry.ts";
import { tables } from "../../src/engines/tables.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { temporaryFolder } from "../support/folder.ts";
import { kinds } from "../support/places.ts";
import { refusal } from "../support/refusal.ts";
import { fillRichly, goOn } from "../support/rich-bus.ts";

const env = process.env;
const exporting = (db: string, file: string) =>
  busExport({ db, env, cwd: "/nowhere" }, { file }, () =>
    Promise.reject(new Error("not to standard output")),
  );
const importing = (db: string, file: string) => busImport({ db, env, cwd: "/nowhere" }, { file });
const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");

for (const kind of Object.keys(kinds))
  test(`[Y7.1] [Y7.2] out of ${kind}: every row is a line, and makes the same bus on every engine`, async () => {
    using folder = temporaryFolder();
    await using source = await kinds[kind]!();
    const rich = await fillRichly(source.location);
    const before = await source.contents();
    const file = join(folder.path, "bus.jsonl");
    const told = (await exporting(source.location, file))!;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = linesOf(file).map((line) => JSON.parse(line));
    expect(lines).toHaveLength(told.rows + 2);
    expect(lines[0]).toMatchObject({ format: "restante-export", version: 1, bus_id: told.busId });
    for (const { name } of tables)
      expect([name, lines.filter(({ table }) => table === name).length]).toEqual([
        name,
        before[name]!.length,
      ]);
    expect(lines.at(-1)).toEqual({ end: true, rows: told.rows, sha256: told.sha256 });

    for (const other of Object.keys(kinds)) {
      await using target = await kinds[other]!();
      if (other === kind) await createBus(target.location);
      const made = await importing(target.location, file);
      expect(made).toMatchObject({ busId: told.busId, rows: told.rows });
      expect(made.warnings).toEqual([expect.stringContaining("1 of its tokens are valid")]);
      expect(await target.contents()).toEqual(before);
      if (other !== kind) await goOn(target.location, rich);
    }
  });

test("[Y6.10] export and backup refuse a folder that does not exist, name it, and create nothing", async () => {
  using folder = temporaryFolder();
  await using source = await kinds.file!();
  await createBus(source.location);
  const backup = (file: string) => busBackup({ db: source.location, env, cwd: folder.path }, { file });
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("file"), "");
  mkdirSync(at("here"));
  symlinkSync(at("here"), at("link"));
  symlinkSync(at("unmounted"), at("loose"));
  const refused: [Promise<unknown>, string, string][] = [
    [exporting(source.location, at("a/b/bus.jsonl")), `${at("a/b")} does not exist`, `mkdir -p ${at("a/b")}`],
    [backup("my disk/bus.tar"), `${at("my disk")} does not exist`, `mkdir -p '${at("my disk")}'`],
    [backup("disk/"), `${at("disk")} does not exist`, `mkdir -p ${at("disk")}`],
    [backup("loose/bus.tar"), `${at("loose")} is a link to what does not exist`, "an existing folder"],
    [backup("file/bus.tar"), `${at("file")} is not a folder`, "give a file in a folder"],
  ];
  for (const [call, message, hint] of refused) {
    const error = await refusal(call);
    expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining(message) });
    expect(error.hint).toContain(hint);
  }
  expect(readdirSync(folder.path).sort()).toEqual(["file", "here", "link", "loose"]);
  await backup("link/bus.tar");
  expect(readdirSync(at("here"))).toEqual(["bus.tar"]);
});

test("[Y7.4] two buses are not merged, and the reason is given", async () => {
  using folder = temporaryFolder();
  await using source = await kinds.file!();
  await using target = await kinds.file!();
  await fillRichly(source.location);
  const file = join(folder.path, "bus.jsonl");
  await exporting(source.location, file);
  await createBus(target.location);
  const inbox = openInbox(target.location);
  await inbox.call("threads.send", { from: "lead", to: "w", subject: "mine" });
  await inbox.close();
  const before = await target.contents();
  const { code, message } = await refusal(importing(target.location, file));
  expect(code).toBe("conflict");
  expect(message).toContain("an import needs an empty database");
  expect(await target.contents()).toEqual(before);
});

test("[Y7.3] an incomplete, changed or foreign export is refused with its line, and nothing is created", async () => {
  using folder = temporaryFolder();
  await using source = await kinds.file!();
  await fillRichly(source.location);
  const file = join(folder.path, "bus.jsonl");
  await exporting(source.location, file);
  const good = linesOf(file);
  const last = good.length - 1;
  const at = (index: number, change: (line: string) => string) =>
    good.map((line, i) => (i === index ? change(line) : line));
  const head = (change: object) => at(0, (line) => JSON.stringify({ ...JSON.parse(line), ...change }));
  const bad: [string, string[]][] = [
    ["it is empty", []],
    ["line 1: it is not the first line of an export", good.slice(1)],
    ["schema version 9999", head({ schema_version: 9999 })],
    ["format version 2", head({ version: 2 })],
    ['no table "sqlite_schema"', head({ tables: { sqlite_schema: 1 } })],
    ["the last line is missing", good.slice(0, -1)],
    [`line ${last + 2}: there are more lines`, [...good, good[1]!]],
    ["neither a row nor the last line", at(1, (line) => line.slice(0, -5))],
    ["rows of artifacts are missing", good.filter((line) => !line.startsWith('{"table":"artifacts"'))],
    ["the checksum does not match", at(1, (line) => line.replace("pending", "waiting"))],
    ['line 2: threads: threads has no column "evil"', at(1, (line) => line.replace('"run_id"', '"evil"'))],
    ["is neither text", at(1, (line) => line.replace('"thread_id":1', '"thread_id":1.5'))],
    ["UNIQUE constraint failed", at(2, () => good[1]!)],
  ];
  for (const [reason, lines] of bad) {
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
    const target = join(folder.path, "new", "coord.db");
    const { code, message } = await refusal(importing(target, file));
    expect([reason, code, message]).toEqual([reason, "invalid_input", expect.stringContaining(reason)]);
    expect(message).toEndWith("nothing was changed");
    expect(existsSync(join(folder.path, "new"))).toBe(false);
  }
});

test("[Y7.5] an export of an earlier schema is brought forward", async () => {
  using folder = temporaryFolder();
  const rows = [
    { table: "agents", row: { name: "w", first_seen_at: "then", last_seen_at: "then" } },
    { table: "pool_members", row: { agent_id: "w", pool: "crew", joined_at: "then" } },
  ];
  const head = {
    format: "restante-export",
    version: 1,
    program: "0.0.1",
    created_at: "then",
    bus_id: "0123456789abcdef0123456789abcdef",
    schema_version: 5,
    tables: { agents: 1, pool_members: 1 },
    numbers: { threads: 41 },
  };
  const text = [head, ...rows].map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const file = join(folder.path, "old.jsonl");
  writeFileSync(file, `${text}${JSON.stringify({ end: true, rows: 2, sha256 })}\n`);
  const db = join(folder.path, "coord.db");
  await importing(db, file);
  const inbox = openInbox(db);
  expect((await inbox.call("pools.list", {})).pools).toMatchObject([{ pool: "crew" }]);
  const { thread } = await inbox.call("threads.send", { from: "lead", to: "w", subject: "next" });
  expect(thread.threadId).toBe("thr_42");
  await inbox.close();
});
