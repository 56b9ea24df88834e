/** Databases that are none, are not ours, or are not there: the right refusal, and not one byte changed. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/cli.ts";
import { fingerprint } from "../support/fingerprint.ts";
import { foldLog } from "../support/fold-log.ts";
import { temporaryFolder } from "../support/folder.ts";

const inbox = (db: string, args: readonly string[]) => run([...args, "--db", db, "--json"]);

async function ourDatabase(path: string): Promise<void> {
  expect((await inbox(path, ["init"])).code).toBe(0);
  expect((await inbox(path, ["send", "--from", "l", "--to", "w", "--subject", "s"])).code).toBe(0);
  foldLog(path);
}

function alter(path: string, statements: string): void {
  const db = new Database(path);
  db.run(statements);
  db.close();
}

interface Place {
  what: string;
  code: string;
  /** Puts it there; answers with another path than the one given where that is the point. */
  make(path: string): unknown;
  /** What init says of it; the same as every other command unless told. */
  init?: "storage" | "creates" | "not_allowed";
}

const places: Place[] = [
  {
    what: "a text file",
    code: "storage",
    make: (path) => writeFileSync(path, "Dear diary, this is no database at all.\n".repeat(100)),
  },
  { what: "a few bytes", code: "storage", make: (path) => writeFileSync(path, "\u0001\u0002\u0003") },
  {
    what: "another program's database",
    code: "storage",
    make: (path) => alter(path, "create table theirs (x); insert into theirs values (1)"),
  },
  {
    what: "another program's database in write-ahead mode",
    code: "storage",
    make: (path) => alter(path, "pragma journal_mode = wal; create table threads (thread_id)"),
  },
  {
    what: "a database without tables that another program has marked as its own",
    code: "storage",
    make: (path) => alter(path, "pragma application_id = 77; pragma user_version = 1"),
  },
  {
    what: "a newer schema",
    code: "storage",
    make: async (path) => {
      await ourDatabase(path);
      alter(path, "pragma user_version = 9999");
    },
  },
  {
    what: "a database that was cut off",
    code: "storage",
    make: async (path) => {
      await ourDatabase(path);
      truncateSync(path, readFileSync(path).length / 2);
    },
  },
  { what: "a folder", code: "storage", make: (path) => mkdirSync(path) },
  { what: "a pipe", code: "storage", make: (path) => spawnSync("sh", ["-c", 'mkfifo -m 644 "$0"', path]) },
  {
    what: "an empty file",
    code: "not_initialized",
    make: (path) => writeFileSync(path, ""),
    init: "creates",
  },
  { what: "nothing", code: "not_initialized", make: () => {}, init: "creates" },
  {
    what: "nothing, nor its folder",
    code: "not_initialized",
    make: (path) => join(path, "a/b/coord.db"),
    init: "creates",
  },
  {
    what: "a link to nothing",
    code: "not_initialized",
    make: (path) => symlinkSync(`${path}-elsewhere`, path),
    init: "not_allowed",
  },
  {
    what: "a file below a file",
    code: "not_initialized",
    make: (path) => {
      writeFileSync(path, "a file");
      return join(path, "coord.db");
    },
    init: "storage",
  },
];

const exits: Record<string, number> = { storage: 50, not_initialized: 40, not_allowed: 30 };
const commands = [
  ["list"],
  ["show", "thr_1"],
  ["fetch", "--agent", "w"],
  ["send", "--from", "l", "--to", "w", "--subject", "s"],
  ["send", "w", "hello"],
  ["claim", "--agent", "w"],
  ["done", "thr_1", "--agent", "w"],
  ["wait-reply", "thr_1", "--agent", "l", "--timeout-seconds", "1"],
  ["watch", "--after-event", "0", "--timeout-seconds", "1"],
  ["doctor"],
].map((args) => ({ command: args.join(" "), args }));

describe.each(places)("$what", ({ make, code, init = code }) => {
  let folder: ReturnType<typeof temporaryFolder>;
  let path: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    path = join(folder.path, "coord.db");
    const made = await make(path);
    if (typeof made === "string") path = made;
  });
  afterEach(() => folder[Symbol.dispose]());

  test.each(commands)("[S2] [S3] $command is refused, and nothing is changed", async ({ args }) => {
    const before = fingerprint(folder.path);
    const result = await inbox(path, args);
    expect(result.json.error.code).toBe(code);
    expect(result.code).toBe(exits[code]!);
    expect(result.json.error.hint).not.toBe("");
    expect(result.stderr).toBe("");
    expect(fingerprint(folder.path)).toEqual(before);
  });

  if (init === "creates")
    test("[S2] init creates one there", async () => {
      expect((await inbox(path, ["init"])).json.created).toBe(true);
      expect((await inbox(path, ["init"])).json.created).toBe(false);
      expect((await inbox(path, ["list"])).json.threads).toEqual([]);
    });
  else
    test("[S2] [S3] init is refused, and nothing is changed", async () => {
      const before = fingerprint(folder.path);
      const result = await inbox(path, ["init"]);
      expect(fingerprint(folder.path)).toEqual(before);
      expect(result.json.error.code).toBe(init);
      expect(result.code).toBe(exits[init]!);
    });
});

test("[X8] a database by a link is refused", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  await ourDatabase(path);
  symlinkSync(path, join(folder.path, "link.db"));
  expect((await inbox(join(folder.path, "link.db"), ["list"])).json.error.code).toBe("not_allowed");
});

test("[S4] pages of garbage in the middle are an error, not an answer", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "coord.db");
  await ourDatabase(path);
  const bytes = readFileSync(path);
  crypto.getRandomValues(bytes.subarray(4096));
  writeFileSync(path, bytes);
  copyFileSync(path, `${path}.before`);
  for (const { command, args } of commands) {
    const result = await inbox(path, args);
    expect([command, result.json.error?.code, result.code]).toEqual([command, "storage", 50]);
  }
  expect(readFileSync(path).equals(readFileSync(`${path}.before`))).toBe(true);
});
