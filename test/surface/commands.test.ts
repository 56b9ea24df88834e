/** The command line as agents use it: JSON, exit codes, flags. */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { errorTable } from "../../src/contract/errors.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { migrations } from "../../src/engines/sqlite/schema.ts";
import { flagsOf, globalFlags } from "../../src/surfaces/cli/flags.ts";
import { snakeCase } from "../../src/surfaces/text/recase.ts";
import { desk, orch as orchProgram, program, type RunOptions, root, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isForWarm, runWarm } from "../support/warm.ts";

/** The program that has it; what both have is tried in the first. */
const nameOf = (op: AnyOperation) => (op.cli.program === "orch" ? "orch" : "inbox");
const programOf = (op: AnyOperation) => join(root, "dist", nameOf(op));

test("[C3.1] the commands that exit 10 are those of the table, and every other list that is empty exits 0", async () => {
  const spec = readFileSync(join(root, "SPEC.md"), "utf8");
  const row = /^\| 10 \| (.*) \|$/m.exec(spec)![1]!;
  const named = [...row.matchAll(/`([^`]+)`/g)].map(([, command]) => command!.replace(" --wait", ""));
  const declared = table.filter((op: AnyOperation) => op.nothing).map(({ cli }) => cli.command);
  expect(named.toSorted()).toEqual(declared.toSorted());
  using at = await desk();
  const empty: string[] = [];
  for (const op of table as readonly AnyOperation[]) {
    const lists = Object.entries(op.output().entries ?? {}).filter(
      ([, schema]) => (schema as v.GenericSchema).type === "array",
    );
    if (op.kind !== "read" || !lists.length) continue;
    const required = flagsOf(op).filter(({ field, role }) => field.required && role === "value");
    const args = required.flatMap(({ name, field }) => (field.type === "flag" ? [] : [name, "x"]));
    const { code, stdout } = await run([...op.cli.command.split(" "), ...args, "--json"], {
      cwd: at.path,
      program: [programOf(op)],
    });
    // An export is lines, here none.
    const json = JSON.parse(stdout || "[]");
    // What is about one thing, and that is not there.
    if (json.ok === false) continue;
    const found = Array.isArray(json) ? json : Object.values(json).find(Array.isArray);
    if (found?.length) continue;
    empty.push(op.name);
    expect([op.name, code]).toEqual([op.name, op.nothing ? 10 : 0]);
  }
  expect(empty.length).toBeGreaterThan(12);
  expect(empty).toEqual(
    expect.arrayContaining(["threads.list", "threads.fetch", "mailbox.list", "search.find"]),
  );
});

test("[C1] [C2] every command answers in JSON with ok, command, and the fields of its output schema in their order", async () => {
  using at = await desk();
  const w = ["--agent", "w"];
  const entry = crypto.randomUUID();
  const line = { id: entry, ts: 1, comments: "look", sender: "w" };
  writeFileSync(join(at.path, "entries.jsonl"), JSON.stringify(line));
  const aside = ["--worker", "w"];
  const round: [string, string[], string][] = [
    ["send", ["--from", "lead", "--to", "w", "--subject", "s"], "threads.send"],
    ["send", ["w", "hello"], "mailbox.send"],
    ["ask", ["lead", "Which?", "--choices", "a,b"], "mailbox.ask"],
    ["fetch", w, "threads.fetch"],
    ["claim", ["thr_1", ...w], "threads.claim"],
    ["renew", ["thr_1", ...w], "threads.renew"],
    ["update", ["thr_1", "--status", "blocked", "--summary", "?", ...w], "threads.update"],
    ["reply", ["thr_1", "yes", "--from", "lead"], "threads.reply"],
    ["wait-reply", ["thr_1", ...w], "threads.waitReply"],
    ["release", ["thr_1", ...w], "threads.release"],
    ["claim", w, "threads.claim"],
    ["done", ["thr_1", "ok", ...w], "threads.done"],
    ["send", ["--from", "lead", "--to", "w", "--subject", "s"], "threads.send"],
    ["claim", ["thr_2", ...w], "threads.claim"],
    ["fail", ["thr_2", "no", ...w], "threads.fail"],
    ["send", ["--from", "lead", "--to", "w", "--subject", "s"], "threads.send"],
    ["reassign", ["thr_3", "--to", "w2", "--agent", "lead"], "threads.reassign"],
    ["cancel", ["thr_3", "--agent", "lead"], "threads.cancel"],
    ["list", [], "threads.list"],
    ["show", ["thr_1"], "threads.show"],
    ["watch", ["--after-event", "0"], "events.watch"],
    ["pool join", ["p", ...w], "pools.join"],
    ["pool leave", ["p", ...w], "pools.leave"],
    ["pool list", [], "pools.list"],
    ["pool remove", ["p"], "pools.remove"],
    ["mail", w, "mailbox.list"],
    ["receive", w, "mailbox.receive"],
    ["send", ["w", "again"], "mailbox.send"],
    ["check", w, "mailbox.check"],
    ["send", ["w", "again"], "mailbox.send"],
    ["wait", ["--batch-window", "0", ...w], "mailbox.wait"],
    ["send", ["w", "again"], "mailbox.send"],
    ["gather", ["--from", "main", ...w], "mailbox.gather"],
    ["dlq list", [], "deadLetters.list"],
    ["retain", [], "retention.show"],
    ["retain set", ["events", "--days", "30"], "retention.set"],
    ["gc", ["--dry-run"], "retention.apply"],
    ["quota", [], "quotas.list"],
    ["quota set", ["w", "--messages-per-minute", "1000"], "quotas.set"],
    ["costs", [], "costs.show"],
    ["costs set", ["--usd", "20"], "costs.set"],
    ["dlq requeue", ["--channel", "w"], "deadLetters.requeue"],
    ["dlq purge", ["--channel", "w"], "deadLetters.purge"],
    ["token create", w, "tokens.create"],
    ["token list", [], "tokens.list"],
    ["token revoke", ["tok_1"], "tokens.revoke"],
    ["agents", [], "agents.list"],
    ["stats", [], "stats.show"],
    ["push", ["name=one", ...aside, "do", "this"], "tasks.push"],
    ["push", ["name=two", ...aside, "do that"], "tasks.push"],
    ["queue", [], "tasks.queue"],
    ["show", ["one"], "tasks.show"],
    ["log", ["one"], "tasks.log"],
    ["move", ["two", "1"], "tasks.move"],
    ["edit", ["two", "do something else"], "tasks.edit"],
    ["remove", ["two"], "tasks.remove"],
    ["run", ["1"], "tasks.run"],
    ["agents", [], "tasks.profiles"],
    ["supervise", [], "bus.supervise"],
    ["workspace add", [".", "--label", "Here"], "workspaces.add"],
    ["workspace list", [], "workspaces.list"],
    ["entries import", ["entries.jsonl"], "entries.import"],
    ["entries list", [], "entries.history"],
    ["entries show", [entry], "entries.show"],
    ["entries read", [entry], "entries.read"],
    ["entries unread", [entry], "entries.unread"],
    ["entries reply", [entry, "thanks"], "entries.reply"],
    ["entries snooze", [entry], "entries.snooze"],
    ["entries unsnooze", [entry], "entries.unsnooze"],
    ["entries archive", [entry], "entries.archive"],
    ["entries unarchive", [entry], "entries.unarchive"],
    ["entries read-all", [], "entries.readAll"],
    ["entries counts", [], "entries.counts"],
    ["entries changes", [entry], "entries.changes"],
    ["entries seen", [entry], "entries.seen"],
    ["notify key", [], "notifications.key"],
    ["notify remove", ["https://push.example.com/x"], "notifications.remove"],
    ["mute add", ["w"], "mutes.add"],
    ["mute list", [], "mutes.list"],
    ["mute remove", ["w"], "mutes.remove"],
    ["entries delete", [entry], "entries.delete"],
    ["entries restore", [entry], "entries.restore"],
    ["search", ["look"], "search.find"],
    ["audit", [], "audit.list"],
    ["trust", ["--yes"], "bus.trust"],
    ["upgrade", ["--check"], "bus.upgrade"],
    ["doctor", [], "bus.doctor"],
    ["init", [], "bus.init"],
    ["migrate", ["--from", at.db, "--to", "copy.db"], "bus.migrate"],
    ["backup", ["bus.tar"], "bus.backup"],
    ["restore", ["bus.tar", "--db", "restored.db", "--force"], "bus.restore"],
    ["export", ["bus.jsonl"], "bus.export"],
    ["import", ["bus.jsonl", "--db", "imported.db"], "bus.import"],
  ];
  for (const [command, args, name] of round) {
    const op = table.find((operation) => operation.name === name)!;
    const { code, stdout, json } = await run([...command.split(" "), ...args, "--json"], {
      cwd: at.path,
      program: [programOf(op)],
    });
    expect([command, code]).toEqual([command, 0]);
    expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
    const known = [
      "ok",
      "command",
      ...Object.keys(op.output().entries).map((key) => Object.keys(snakeCase({ [key]: 0 }) as object)[0]!),
    ];
    expect(known.filter((key) => key in json)).toEqual(Object.keys(json));
    expect(json).toMatchObject({ ok: true, command });
  }
  // Channels have a shape of their own (channels.test.ts), a dead letter takes minutes to die, the hub does not end,
  // a workspace's id nobody knows before (workspaces.test.ts), an export is lines (entries.test.ts), and what starts or
  // ends sub-agents has suites of its own (test/orch), as have the hub in the background, the demo and the first five minutes.
  const elsewhere = (name: string) =>
    /^messages\.|^deadLetters\.show$|^entries\.(push|export)$|^workspaces\.(edit|remove)$|^tasks\.(assign|handoff|kill|diff|merge|discard|permit|report|send)$|^mailbox\.(decide|answer)$|^notifications\.add$|^bus\.(serve|mcp|setup|up|down|status|logs|top|demo|quickstart)$/.test(
      name,
    );
  const all = table.map(({ name }) => name as string).filter((name) => !elsewhere(name));
  expect(new Set(round.map(([, , name]) => name))).toEqual(new Set(all));
});

test("[C1] every answer of the bus fits its declared schema exactly", async () => {
  using at = await desk();
  const { openInbox } = await import("../../src/inbox/inbox.ts");
  const inbox = openInbox(at.db);
  const answers = {
    "threads.send": await inbox.call("threads.send", {
      from: "a",
      to: "b",
      subject: "s",
      artifacts: [{ path: "/x" }],
    }),
    "mailbox.send": await inbox.call("mailbox.send", { from: "a", to: "b", message: "m" }),
    "threads.claim": await inbox.call("threads.claim", { agent: "b" }),
    "threads.update": await inbox.call("threads.update", { agent: "b", thread: "thr_1" }),
    "threads.show": await inbox.call("threads.show", { thread: "thr_1" }),
    "threads.fetch": await inbox.call("threads.fetch", { agent: "b", status: ["in_progress"] }),
    "events.watch": await inbox.call("events.watch", { afterEvent: 0 }),
    "agents.list": await inbox.call("agents.list", {}),
    "threads.done": await inbox.call("threads.done", { agent: "b", thread: "thr_1" }),
    "threads.list": await inbox.call("threads.list", {}),
  };
  await inbox.close();
  for (const [name, answer] of Object.entries(answers)) {
    const op = table.find((operation) => operation.name === name)!;
    expect(v.safeParse(op.output(), answer).issues).toBeUndefined();
  }
});

test("[C2] the documented shapes: claim, wait-reply, error", async () => {
  using at = await desk();
  await at.inbox(
    "send",
    "--from",
    "lead",
    "--to",
    "backend-worker",
    "--subject",
    "s",
    "--task",
    "T4",
    "--payload-json",
    '{"Key One": 1}',
  );
  const claim = (await at.inbox("claim", "--agent", "backend-worker", "--thread", "thr_1")).json;
  expect(claim.thread).toMatchObject({
    thread_id: "thr_1",
    task_id: "T4",
    status: "claimed",
    assigned_to: "backend-worker",
  });
  expect(Object.keys(claim.lease)).toEqual(["token", "expires_at", "attempt"]);
  expect(claim.messages[0]).toEqual({
    message_id: "msg_1",
    thread_id: "thr_1",
    from_agent: "lead",
    to_agent: "backend-worker",
    kind: "task",
    summary: "s",
    body: "",
    payload_json: '{"Key One":1}',
    artifacts: [],
    created_at: claim.messages[0].created_at,
    sender_verified: false,
  });
  const conflict = await at.inbox("claim", "--agent", "other", "--thread", "thr_1");
  expect(conflict.code).toBe(20);
  expect(conflict.json.ok).toBe(false);
  expect(Object.keys(conflict.json.error)).toEqual(["code", "message", "hint", "details"]);
  expect(conflict.json.error.code).toBe("lease_conflict");
  expect(conflict.stderr).toBe("");
  await at.inbox("reply", "--from", "lead", "--thread", "thr_1", "--summary", "Use email/password for MVP");
  const reply = (await at.inbox("wait-reply", "--thread", "thr_1", "--after-event", "1")).json;
  expect(reply).toMatchObject({
    woke: true,
    next_event_id: expect.any(Number),
    message: { kind: "answer", thread_id: "thr_1" },
  });
});

test("[C3] [B5] a gather with some of the answers is exit 0 and lists the missing agents; one without any is 10", async () => {
  using at = await desk();
  const gather = () => at.inbox("gather", "--from", "a,b", "--timeout-seconds", "0");
  expect((await gather()).code).toBe(10);
  await at.inbox("send", "main", "done", "--from", "a");
  const some = await gather();
  expect(some.code).toBe(0);
  expect(some.json).toMatchObject({ woke: false, missing: ["b"], messages: [{ sender_id: "a" }] });
});

test("[W3] --timeout-seconds none waits for as long as it takes", async () => {
  using at = await desk();
  const waits = at.inbox("receive", "--agent", "w", "--timeout-seconds", "none");
  await at.inbox("send", "w", "hello");
  expect((await waits).json.messages).toMatchObject([{ message: "hello" }]);
});

test("[C3] exit codes: nothing matched, conflict, invalid, not found, not initialised", async () => {
  using at = await desk();
  using empty = temporaryFolder();
  const code = async (...args: string[]) => (await at.inbox(...args)).code;
  expect(await code("fetch", "--agent", "w")).toBe(10);
  expect(await code("claim", "--agent", "w")).toBe(10);
  expect(await code("claim", "--agent", "w", "--wait", "--timeout-seconds", "0")).toBe(10);
  expect(await code("watch", "--timeout-seconds", "0")).toBe(10);
  expect(await code("list")).toBe(0);
  expect(await code("agents")).toBe(0);
  expect(await code("show", "thr_1")).toBe(40);
  await at.inbox("send", "--from", "a", "--to", "w", "--subject", "s");
  expect(await code("wait-reply", "thr_1", "--agent", "w", "--timeout-seconds", "0")).toBe(10);
  expect(await code("done", "thr_1", "--agent", "w")).toBe(30);
  await at.inbox("claim", "thr_1", "--agent", "w");
  expect(await code("claim", "thr_1", "--agent", "x")).toBe(20);
  expect(await code("frobnicate")).toBe(30);
  expect((await run(["list", "--json"], { cwd: empty.path })).code).toBe(40);
  expect((await run(["list", "--json"], { cwd: empty.path })).json.error.code).toBe("not_initialized");
});

test("[C3] the table of codes has the documented exit for each", () => {
  const exits = Object.fromEntries(Object.entries(errorTable).map(([code, { exit }]) => [code, exit]));
  expect(exits).toEqual({
    invalid_input: 30,
    too_large: 30,
    invalid_state: 30,
    not_allowed: 30,
    unauthenticated: 30,
    limited: 50,
    conflict: 20,
    cursor_expired: 40,
    lease_conflict: 20,
    lease_lost: 20,
    not_found: 40,
    not_initialized: 40,
    busy: 50,
    storage: 50,
    internal: 50,
  });
});

test("[S1] the database is --db, else INBOX_DB, else the nearest one upwards", async () => {
  using at = await desk();
  using other = await desk();
  const deep = join(at.path, "a/b/c");
  mkdirSync(deep, { recursive: true });
  await at.inbox("send", "--from", "a", "--to", "near", "--subject", "near");
  await other.inbox("send", "--from", "a", "--to", "far", "--subject", "far");
  const first = async (args: string[], env = {}) =>
    (await run(["list", "--json", ...args], { cwd: deep, env })).json.threads[0].subject;
  expect(await first([])).toBe("near");
  expect(await first([], { INBOX_DB: other.db })).toBe("far");
  expect(await first(["--db", "../../../.agents/coord.db"], { INBOX_DB: other.db })).toBe("near");
  expect((await run(["--db", other.db, "list", "--json"], { cwd: deep })).json.threads[0].subject).toBe(
    "far",
  );
  for (const db of ["", "mysql://localhost/x"])
    expect((await run(["list", "--json", "--db", db], { cwd: deep })).json.error.code).toBe("invalid_input");
});

test("[C2] output that is appended to a file is the answer and nothing else, of any length", async () => {
  using at = await desk();
  const append = () =>
    run(["-c", `"${program}" mail --agent w --json >> answers`], { cwd: at.path, program: ["sh"] });
  for (const length of [10, 1000, 1500, 3000, 30_000]) {
    await at.inbox("send", "w", "ä".repeat(length));
    expect((await append()).code).toBe(0);
  }
  const lines = readFileSync(join(at.path, "answers"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).messages.length)).toEqual([1, 2, 3, 4, 5]);
});

test("[S2] init creates here, names an outer one, and changes nothing the second time", async () => {
  using at = await desk();
  const inner = join(at.path, "inner");
  mkdirSync(inner);
  const made = (await run(["init", "--json"], { cwd: inner })).json;
  expect(made).toEqual({
    ok: true,
    command: "init",
    db: join(inner, ".agents/coord.db"),
    created: true,
    schema_version: migrations.length,
    gitignore: join(inner, ".agents/.gitignore"),
    outer: at.db,
    trusted: true,
  });
  await run(["send", "w", "hello"], { cwd: inner });
  const again = (await run(["init", "--json"], { cwd: inner })).json;
  expect(again).toMatchObject({ created: false });
  expect((await run(["agents", "--json"], { cwd: inner })).json.agents).toHaveLength(1);
  const named = join(inner, "deep/er/my.db");
  expect((await run(["init", "--db", named, "--json"], { cwd: inner })).json).toMatchObject({
    db: named,
    created: true,
  });
});

test("[S2] files that init creates stay out of a repository, files to be shared do not", async () => {
  using folder = temporaryFolder();
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", ...args], { cwd: folder.path })
      .stdout.toString()
      .trim()
      .split("\n")
      .toSorted();
  git("init", "--quiet");
  const ignore = join(folder.path, ".agents/.gitignore");
  expect((await run(["init"], { cwd: folder.path })).stdout).toContain(
    `${ignore} excludes it from git; the profile file agents.toml in the same folder can be committed`,
  );
  await run(["send", "b", "hello"], { cwd: folder.path });
  expect(git("status", "--short")).toEqual([""]);
  writeFileSync(join(folder.path, ".agents/agents.toml"), "");
  git("add", "--all");
  expect(git("ls-files")).toEqual([".agents/agents.toml"]);
  using other = temporaryFolder();
  mkdirSync(join(other.path, ".agents"), { mode: 0o700 });
  writeFileSync(join(other.path, ".agents/.gitignore"), "mine\n");
  const beside = await run(["init", "--json"], { cwd: other.path });
  expect([beside.code, beside.json.gitignore]).toEqual([0, undefined]);
  expect(readFileSync(join(other.path, ".agents/.gitignore"), "utf8")).toBe("mine\n");
});

test("[S2] without init every command is not_initialized, names the fix, and creates nothing", async () => {
  using empty = temporaryFolder();
  // These make one, or need none.
  const needless = [
    "bus.init",
    "bus.serve",
    "bus.setup",
    "bus.mcp",
    "bus.restore",
    "bus.import",
    "bus.up",
    "bus.demo",
    "bus.quickstart",
    "bus.upgrade",
  ];
  for (const op of table.filter(({ name }) => !needless.includes(name))) {
    const plain = op.name.startsWith("tasks.") ? plainForTask(op) : plainFor(op.cli.command);
    const words = [...op.cli.command.split(" "), ...plain, "--agent", "w", "--json"];
    const { code, json } = await runWarm(words, { cwd: empty.path }, nameOf(op));
    expect([op.name, code, json.error.code]).toEqual([op.name, 40, "not_initialized"]);
    // What is copied must be there: a new one would be empty.
    expect([op.name, json.error.hint]).toEqual([
      op.name,
      expect.stringContaining(op.name === "bus.migrate" ? "--from" : "inbox init"),
    ]);
  }
  expect(await Array.fromAsync(new Bun.Glob("**").scan({ cwd: empty.path, dot: true }))).toEqual([]);
});

/** A word for each plain argument there is. */
const plainForTask = (op: AnyOperation) =>
  (op.cli.plain ?? []).map((key) => (key === "count" || key === "to" ? "1" : "x"));

const onChannel = ["msg inbox", "msg ack all", "msg pending"];
const onMessage = ["msg ack", "msg status", "dlq show", "token revoke"];
const onThread = ["renew", "update", "reply", "done", "fail", "cancel", "show", "wait-reply", "release"];
const plainFor = (command: string) =>
  ({
    send: ["--to", "w", "--subject", "s"],
    "pool join": ["p"],
    "pool leave": ["p"],
    gather: ["--from", "a"],
    migrate: ["--from", ".agents/coord.db", "--to", "copy.db"],
    backup: ["bus.tar"],
    "msg send": ["c", "hello"],
    "msg replies": ["r"],
    "dlq requeue": ["1"],
    "dlq purge": ["1"],
  })[command] ??
  (onThread.includes(command)
    ? ["thr_1"]
    : onChannel.includes(command)
      ? ["c"]
      : onMessage.includes(command)
        ? ["1"]
        : []);

test("[C9] flags that had another name are accepted by it, and shown by the new one only", async () => {
  using at = await desk();
  const orch = (...args: string[]) => run(args, { cwd: at.path, program: [orchProgram] });
  expect((await at.inbox("send", "w", "hi", "--from", "ada")).json.message.from_agent).toBe("ada");
  expect((await at.inbox("msg", "send", "c", "hi", "--sender", "ada")).json.sender).toBe("ada");
  for (const flag of ["--wait-seconds", "--timeout-seconds"])
    expect((await orch("handoff", "--terminal-id", "nobody", flag, "0", "--json")).json.error.code).toBe(
      "not_found",
    );
  const helped = async (...args: string[]) => (await at.human(...args, "--help")).stdout;
  expect(await helped("send")).not.toContain("--from");
  expect(await helped("msg", "send")).not.toContain("--sender");
  expect(await helped("receive")).toContain("--from AGENT");
  const { stdout } = await orch("handoff", "--help");
  expect(stdout).toContain("--wait-seconds");
  expect(stdout).not.toContain("--timeout-seconds");
});

test("[C9] identity: --agent or --from, else INBOX_AGENT; the short send is main; worker commands require one", async () => {
  using at = await desk();
  const as = (env: Record<string, string>, ...args: string[]) =>
    run([...args, "--json"], { cwd: at.path, env });
  expect((await at.inbox("send", "w", "hi")).json.message.from_agent).toBe("main");
  expect((await as({ INBOX_AGENT: "env" }, "send", "w", "hi")).json.message.from_agent).toBe("env");
  expect(
    (await as({ INBOX_AGENT: "env" }, "send", "w", "hi", "--agent", "flag")).json.message.from_agent,
  ).toBe("flag");
  const long = ["send", "--to", "w", "--subject", "s"];
  expect((await as({ INBOX_AGENT: "env" }, ...long, "--from", "from")).json.thread.created_by).toBe("from");
  expect((await as({ INBOX_AGENT: "" }, ...long)).json.error.code).toBe("invalid_input");
  for (const command of [
    ["fetch"],
    ["claim"],
    ["renew", "thr_1"],
    ["done", "thr_1"],
    ["cancel", "thr_1"],
    ["pool", "join", "p"],
  ]) {
    const { code, json } = await at.inbox(...command);
    expect([command[0], code, json.error.hint]).toEqual([
      command[0],
      30,
      "add --agent NAME, or set INBOX_AGENT",
    ]);
  }
});

test("[C9] list, show and watch are not filtered by the environment's identity", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "a", "--to", "b", "--subject", "s");
  const stranger = (...args: string[]) =>
    run([...args, "--json"], { cwd: at.path, env: { INBOX_AGENT: "stranger" } });
  expect((await stranger("list")).json.threads).toHaveLength(1);
  expect((await stranger("show", "thr_1")).code).toBe(0);
  expect((await stranger("watch", "--after-event", "0")).json.events).toHaveLength(2);
  expect((await at.inbox("list", "--agent", "stranger")).json.threads).toHaveLength(0);
});

test("[T10] artifacts resolve against the working directory; a missing file is a warning", async () => {
  using at = await desk();
  writeFileSync(join(at.path, "here.log"), "x");
  const { code, json } = await at.inbox(
    ...["send", "--from", "a", "--to", "b", "--subject", "s"],
    ...[
      "--artifact",
      "here.log",
      "--artifact-kind",
      "log",
      "--artifact-metadata-json",
      '{"lines":1}',
      "--artifact",
      "gone.patch",
    ],
  );
  expect(code).toBe(0);
  expect(json.message.artifacts).toEqual([
    { artifact_id: "art_1", path: join(at.path, "here.log"), kind: "log", metadata_json: '{"lines":1}' },
    { artifact_id: "art_2", path: join(at.path, "gone.patch"), kind: "file", metadata_json: "{}" },
  ]);
  expect(json.warnings).toEqual([expect.stringContaining("gone.patch")]);
  const orphan = await at.inbox(
    "send",
    "--from",
    "a",
    "--to",
    "b",
    "--subject",
    "s",
    "--artifact-kind",
    "log",
  );
  expect(orphan.json.error.code).toBe("invalid_input");
});

test("[T10] text comes from a file or from standard input", async () => {
  using at = await desk();
  writeFileSync(join(at.path, "task.md"), "# Task\n\nDo it.\n");
  const long = ["send", "--from", "a", "--to", "b", "--subject", "s"];
  expect((await at.inbox(...long, "--body-file", "task.md")).json.message.body).toBe("# Task\n\nDo it.\n");
  const piped = await run([...long, "--body-file", "-", "--json"], { cwd: at.path, stdin: "from a pipe ✓" });
  expect(piped.json.message.body).toBe("from a pipe ✓");
  for (const bad of [
    ["--body-file", "none.md"],
    ["--body-file", "."],
    ["--body", "x", "--body-file", "task.md"],
  ])
    expect((await at.inbox(...long, ...bad)).json.error.code).toBe("invalid_input");
});

test("[W6] watch --follow prints one JSON line per event from the cursor on", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "a", "--to", "b", "--subject", "s");
  const child = at.start("watch", "--follow", "--after-event", "0");
  const lines: string[] = [];
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    lines.splice(0, lines.length, ...text.split("\n").slice(0, -1));
    if (lines.length === 2) await at.inbox("send", "b", "plain");
    if (lines.length >= 4) break;
  }
  child.kill();
  await child.exited;
  expect(lines.map((line) => JSON.parse(line).event_id)).toEqual([1, 2, 3, 4]);
  const timed = await at.human("watch", "--follow", "--after-event", "0", "--timeout-seconds", "0.2");
  expect(timed.code).toBe(0);
  expect(timed.stdout.trim().split("\n")).toHaveLength(4);
});

/** What a shell makes of a line, and what the program answers to that. */
async function doneAsTyped(example: string, op: AnyOperation, options: RunOptions) {
  const said = `inbox() { printf '%s\\0' "$@"; }; orch() { inbox "$@"; }; ${example} --json`;
  const shell = await run(["-c", said], { ...options, program: ["bash"] });
  const words = shell.stdout.split("\0").slice(0, -1);
  const { json } = await (isForWarm(op)
    ? runWarm(words, options)
    : run(words, { ...options, program: [programOf(op)] }));
  return json;
}

test("[C8] every command has help with its flags and an example, and every example parses", async () => {
  using at = await desk();
  writeFileSync(join(at.path, "task.md"), "x");
  writeFileSync(join(at.path, "result.md"), "x");
  writeFileSync(join(at.path, "entries.jsonl"), "");
  const quick = 'kind = "command"\ncommand = ["true"]\nmodel = ["{model}"]\n';
  writeFileSync(join(at.path, ".agents/agents.toml"), `default = "claude"\n[runners.claude]\n${quick}`);
  for (const op of table) {
    const human = (...args: string[]) => runWarm(args, { cwd: at.path }, nameOf(op));
    const { code, stdout } = await human(...op.cli.command.split(" "), "--help");
    expect(code).toBe(0);
    for (const { name } of flagsOf(op)) expect(stdout).toContain(name);
    for (const { name } of globalFlags) expect(stdout).toContain(name);
    for (const example of op.examples) {
      expect(stdout).toContain(example);
      // They block, need a server, print lines, or have a suite of their own.
      if (
        /--wait|entries export|inbox export|\| |--follow|postgres:|inbox (watch|wait|receive|gather|serve|mcp|msg wait|demo)|orch handoff/.test(
          example,
        )
      )
        continue;
      const answer = await doneAsTyped(example, op, { cwd: at.path, env: { INBOX_AGENT: "me" } });
      if (answer.ok === false) expect([example, answer.error.code]).not.toEqual([example, "invalid_input"]);
    }
    expect((await human("help", ...op.cli.command.split(" "))).stdout).toBe(stdout);
  }
});

test("[C8.4] --version names program, product and version, and orch has its own name", async () => {
  const manifest = await Bun.file(join(root, "package.json")).json();
  expect((await run(["--version"])).stdout).toBe(`inbox (Restante) ${manifest.version}\n`);
  expect((await run(["-V", "--json"])).json).toEqual({ ok: true, version: manifest.version });
  for (const orch of [join(root, "dist/orch"), join(root, "bin/orch")])
    expect((await run(["--version"], { program: [orch] })).stdout).toBe(
      `orch (Restante) ${manifest.version}\n`,
    );
  expect((await run([])).code).toBe(30);
  expect((await run(["--help"])).stdout).toContain("Usage: inbox COMMAND");
});
