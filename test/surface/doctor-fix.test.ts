/** `inbox doctor --fix`: what it repairs, and what it leaves to a person. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errorTable } from "../../src/contract/errors.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { desk, run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { rows } from "../support/stored.ts";
import { usualProfiles } from "../support/team.ts";
import { until } from "../support/until.ts";

interface Check {
  name: string;
  status: string;
  detail?: string;
  fix?: string;
  fixed?: string;
  left?: string;
}

const named = (checks: Check[], name: string) => checks.find((check) => check.name === name)!;
/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = Bun.spawn(["true"]);
  await child.exited;
  return child.pid;
}

test("[N4] doctor says what --fix repairs, repairs it, and reports it; a second run has nothing to do", async () => {
  using at = await desk();
  const pid = await deadPid();
  await at.inbox("send", "user", "look");
  const earlier = openInbox(at.db, { now: () => Date.now() - 2 * 3_600_000 });
  for (const content of ["one", "two", "three"])
    await earlier.call("messages.send", { channel: "builds", content, sender: "ci" });
  await earlier.call("messages.inbox", { channel: "builds", reader: "ci", commit: true, limit: 1 });
  await earlier.call("messages.ackAll", { channel: "builds", agent: "ci" });
  await earlier.close();
  expect((await at.inbox("msg", "gc", "--acked-older-than", "1")).json).toMatchObject({ acked: 3 });
  expect((await at.inbox("msg", "inbox", "builds", "--reader", "ci")).code).toBe(
    errorTable.cursor_expired.exit,
  );
  chmodSync(at.db, 0o644);
  const mark = `${at.db}-wake/here.ada.${pid}`;
  mkdirSync(`${at.db}-wake`, { recursive: true, mode: 0o700 });
  writeFileSync(mark, "");
  const alive = `${at.db}-wake/here.bob.${process.pid}`;
  writeFileSync(alive, "");
  rmSync(join(at.path, ".agents/inbox/entries.jsonl"));
  const work = `${at.db}-work-${pid}-abcdef`;
  mkdirSync(work);
  const busy = `${at.db}-work-${process.pid}-abcdef`;
  mkdirSync(busy);
  mkdirSync(`${at.db}-hub`, { mode: 0o700 });
  const log = `${at.db}-hub/hub.log`;
  writeFileSync(log, `${"x".repeat(999)}\n`.repeat(9000), { mode: 0o600 });

  const { json: found } = await at.inbox("doctor");
  const wrong = ["file", "wake files", "readers", "entries file", "hub log", "work folders"];
  expect(found.fixable.toSorted()).toEqual(wrong.toSorted());
  expect(found.checks.filter(({ status }: Check) => status !== "ok").every(({ fix }: Check) => fix)).toBe(
    true,
  );
  expect([existsSync(mark), existsSync(work)]).toEqual([true, true]);

  const { json: repaired } = await at.inbox("doctor", "--fix");
  expect(repaired.fixable).toEqual([]);
  for (const name of wrong.filter((each) => each !== "work folders")) {
    const check = named(repaired.checks, name);
    expect([name, check.status, typeof check.fixed]).toEqual([name, "ok", "string"]);
  }
  expect(statSync(at.db).mode & 0o777).toBe(0o600);
  expect([existsSync(mark), existsSync(alive), existsSync(work), existsSync(busy)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  expect(readFileSync(join(at.path, ".agents/inbox/entries.jsonl"), "utf8")).toContain("look");
  expect(statSync(log).size).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(readFileSync(log, "utf8").startsWith("x".repeat(999))).toBe(true);
  expect((await at.inbox("msg", "inbox", "builds", "--reader", "ci")).code).toBe(0);
  const again = (await at.inbox("doctor", "--fix")).json;
  expect(again.checks.some(({ fixed }: Check) => fixed !== undefined)).toBe(false);
});

/** What doctor says of the folder of a bus, without --fix and with it. */
async function folderChecks(db: string): Promise<Check[]> {
  const checks: Check[] = [];
  for (const fix of [[], ["--fix"]]) {
    const { json } = await run(["doctor", ...fix, "--db", db, "--json"]);
    checks.push(named(json.checks, "folder"));
  }
  return checks;
}

const modeOf = (path: string) => statSync(path).mode & 0o7777;

test.each([0o755, 0o1777, 0o2775])(
  "[N4.6] a folder that is not the bus's own keeps its mode (%d), and is no problem",
  async (mode) => {
    using folder = temporaryFolder();
    chmodSync(folder.path, mode);
    const db = join(folder.path, "b.db");
    expect((await run(["init", "--db", db])).code).toBe(0);
    for (const { status, detail } of await folderChecks(db))
      expect([status, detail]).toEqual(["ok", `${folder.path} is ${mode.toString(8).padStart(4, "0")}`]);
    expect(modeOf(folder.path)).toBe(mode);
  },
);

test("[N4.6] a folder in which any user can replace the database, or one above it, is reported and not changed", async () => {
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o777);
  const below = join(folder.path, "below");
  mkdirSync(below, { mode: 0o755 });
  for (const place of [folder.path, below]) {
    const db = join(place, "b.db");
    expect((await run(["init", "--db", db])).code).toBe(0);
    for (const { status, detail, fix, left } of await folderChecks(db)) {
      expect([status, left]).toEqual(["warn", "other users may need that folder as it is"]);
      expect(detail).toContain(`${folder.path} is writable by everybody, without the sticky bit`);
      expect(fix).toContain(`chmod +t ${folder.path}`);
    }
  }
  expect([modeOf(folder.path), modeOf(below)]).toEqual([0o777, 0o755]);
});

test("[N4.6] .agents is made private again, unless it holds what is not the bus's", async () => {
  using at = await desk();
  const agents = join(at.path, ".agents");
  writeFileSync(join(agents, "agents.toml"), usualProfiles);
  chmodSync(agents, 0o755);
  expect(named((await at.inbox("doctor", "--fix")).json.checks, "folder")).toMatchObject({
    status: "ok",
    fixed: `set ${agents} to 0700`,
  });
  expect(modeOf(agents)).toBe(0o700);
  mkdirSync(join(agents, "skills"));
  chmodSync(agents, 0o755);
  expect(named((await at.inbox("doctor", "--fix")).json.checks, "folder")).toEqual({
    name: "folder",
    status: "ok",
    detail: `${agents} is 0755`,
  });
  expect(modeOf(agents)).toBe(0o755);
});

test("[N4.1] [X8.3] SQLite's files become private with the database: beside it they would be refused", async () => {
  using at = await desk();
  chmodSync(at.db, 0o644);
  const open = openInbox(at.db);
  try {
    await open.call("mailbox.send", { from: "lead", to: "ada", message: "hello" });
    expect(modeOf(`${at.db}-wal`)).toBe(0o644);
    expect((await at.inbox("doctor", "--fix")).code).toBe(0);
    for (const end of ["", "-wal", "-shm"]) expect([end, modeOf(`${at.db}${end}`)]).toEqual([end, 0o600]);
    expect((await at.inbox("mail", "--agent", "ada")).json.total).toBe(1);
  } finally {
    await open.close();
  }
});

test("[N4] what needs a decision is left, with the reason and the command", async () => {
  using at = await desk();
  const inbox = openInbox(at.db, { now: () => Date.now() - 3_600_000 });
  await inbox.call("threads.send", { from: "lead", to: "ada", subject: "s" });
  await inbox.call("threads.claim", { agent: "ada", leaseSeconds: 1 });
  await inbox.close();
  using db = new Database(at.db);
  db.run("update messages set dead_at = created_at, dead_reason = 'x'");
  const { json } = await at.inbox("doctor", "--fix");
  for (const name of ["leases", "dead letters"]) {
    const { status, fix, left, fixed } = named(json.checks, name);
    expect([name, status, fixed]).toEqual([name, "warn", undefined]);
    expect(fix).toContain("inbox ");
    expect(left).toContain("decide");
  }
  const { stdout } = await at.human("doctor");
  expect(stdout).toContain("not automatic somebody has to decide");
});

test("[N4] [Q7] tasks whose supervisor was lost get another", async () => {
  using at = await desk();
  writeFileSync(join(at.path, ".agents/agents.toml"), usualProfiles);
  const inbox = openInbox(at.db);
  await inbox.call("tasks.push", { agent: "main", name: "one", prompt: "echo done", cwd: at.path });
  await inbox.close();
  {
    using db = new Database(at.db);
    db.run("update tasks set status = 'waiting'");
  }
  const { json } = await at.inbox("doctor", "--fix");
  expect(named(json.checks, "supervisor")).toMatchObject({ status: "ok", fixed: "started a supervisor" });
  const finished = "select 1 from tasks where status = 'finished' and success = 1";
  await until("the task has finished", () => rows(at.db, finished).length === 1);
  expect(readdirSync(`${at.db}-tasks`).length).toBeGreaterThan(0);
});

test("[N4] [B8] a wait that was interrupted is nothing to warn about", async () => {
  using at = await desk();
  const waits = start(["receive", "--agent", "ada"], { cwd: at.path });
  const marks = () => readdirSync(`${at.db}-wake`).filter((name) => name.startsWith("here.ada."));
  await until("the wait is open", () => existsSync(`${at.db}-wake`) && marks().length > 0);
  waits.kill("SIGINT");
  await waits.exited;
  const { stdout, code } = await at.human("doctor");
  expect([code, stdout.includes("warn"), stdout.includes("--fix")]).toEqual([0, false, false]);
  await at.human("doctor", "--fix");
  expect(marks()).toEqual([]);
});
