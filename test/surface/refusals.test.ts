/** [C3] [C13] [C15] Refusals and answers as somebody reads them who has never seen the program. */
import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { call } from "../../src/contract/phrase.ts";
import { acceptedFlagsOf, flagsOf, globalFlags } from "../../src/surfaces/cli/flags.ts";
import { commandHelp } from "../../src/surfaces/cli/help.ts";
import { scanArguments } from "../../src/surfaces/cli/scan.ts";
import { inShell } from "../../src/surfaces/spelling/shell.ts";
import { bareEnvironment, type Desk, desk, program as inboxProgram, orch, run } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";

const words = (text: string) =>
  text.match(/'[^']*'|"[^"]*"|\S+/g)!.map((word) => word.replace(/^["']|["']$/g, ""));

/** What a person reads on standard error, without the exit code. */
const refused = async (at: Desk, line: string, program?: string) => {
  const { code, stderr } = program
    ? await run(words(line), { cwd: at.path, program: [program] })
    : await at.human(...words(line));
  return `${code} ${stderr.trimEnd()}`;
};

test("[C17] [C13] of two flags that exclude each other the hint says to leave one out", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "s");
  const pairs: [line: string, first: string, second: string, program?: string][] = [
    ["merge x --squash --rebase", "--squash", "--rebase", orch],
    ["wait-reply thr_1 --after-message msg_1 --after-event 1", "--after-message", "--after-event"],
    ["cancel thr_1 --agent a --reason x --summary y", "--reason", "--summary"],
    ["trust --yes --revoke", "--yes", "--revoke"],
    ["release thr_1 --agent a --force --lease-token 0123456789abcdef01234567", "--lease-token", "--force"],
    ["claim thr_1 --agent a --wait", "THREAD", "--wait"],
    ["claim thr_1 --agent a --done thr_2", "THREAD", "--done"],
    ["claim --agent a --done thr_1 --fail thr_2", "--done", "--fail"],
    ["msg inbox c --newest --after 1", "--newest", "--after"],
    ["msg inbox c --newest --reader r", "--newest", "--reader"],
    ["mute add x --thread thr_1", "AGENT", "--thread"],
    ["dlq requeue 1 --channel c", "ID", "--channel"],
    ["move x 1 before=y", "N", "--before", orch],
    ["handoff hello --continue x", "--continue", "PROMPT", orch],
    ["handoff --continue x --profile p", "--continue", "--profile", orch],
    ["handoff --continue x --timeout 9", "--continue", "--timeout", orch],
    ["assign hello worker=w --profile p", "--worker", "--profile", orch],
    ["push hello worker=w --model m", "--worker", "--model", orch],
    ["push hello worker=w --review-rounds 2", "--worker", "--review-rounds", orch],
    ["log x --tail 5 --after 9", "--tail", "--after", orch],
    ["log x --tail 5 --limit 9", "--tail", "--limit", orch],
    ["log x --tail 5 --before 9 --follow", "--before", "--follow", orch],
    ["log x --tail 5 --before 9 --timeout-seconds 1", "--before", "--timeout-seconds", orch],
    ["log x --follow --timeout-seconds 1", "--follow", "--timeout-seconds", orch],
    ["move x before=y after=z", "--before", "--after", orch],
    ["msg inbox c --only-acked --include-acked", "--only-acked", "--include-acked"],
    ["watch --follow --limit 5", "--follow", "--limit"],
    ["gc --dry-run --vacuum", "--dry-run", "--vacuum"],
    ["top --once --interval 5", "--once", "--interval"],
    ["trust --revoke --digest abc", "--digest", "--revoke"],
    ["setup claude --remove --url http://127.0.0.1:3456", "--remove", "--url"],
    ["setup claude --remove --session x", "--remove", "--session"],
    ["ask user Go? --wait --correlation ask-1", "--correlation", "QUESTION"],
  ];
  for (const [line, first, second, program] of pairs)
    expect([line, await refused(at, line, program)]).toEqual([
      line,
      `30 error give only one of ${first} and ${second} (invalid_input)\nhint  leave out ${first}, or leave out ${second}`,
    ]);
});

test("[C17] [C13] a flag that has no effect without another is refused with what to add", async () => {
  using at = await desk();
  const cases: [line: string, given: string, missing: string, added?: string, program?: string][] = [
    ["receive --visibility-seconds 60", "--visibility-seconds", "--ack manual"],
    ["check --visibility-seconds 5 --ack auto", "--visibility-seconds", "--ack manual"],
    ["wait --visibility-seconds 5", "--visibility-seconds", "--ack manual"],
    ["gather --from a --visibility-seconds 5", "--visibility-seconds", "--ack manual"],
    ["log x --before 9", "--before", "--tail", "--tail N", orch],
    ["msg wait c --commit", "--commit", "--reader", "--reader NAME"],
    [
      "claim --agent a --wait --lease-token 0123456789abcdef01234567",
      "--lease-token",
      "THREAD, --done or --fail",
      "--thread THREAD",
    ],
    ["setup claude --scope user --session x", "--session", "--scope project"],
    ["ask user Go? --need 2", "--need", "--wait"],
    ["ask user Go? --escalate-after 3", "--escalate-after", "--wait"],
    ["ask user Go? --timeout-seconds 1", "--timeout-seconds", "--wait"],
    ["ask user Go? --wait --escalate-after 3", "--escalate-after", "--escalate-to", "--escalate-to AGENT"],
    ["claim --agent a --timeout-seconds 1", "--timeout-seconds", "--wait"],
    ["claim --agent a --summary x", "--summary", "--done or --fail", "--done THREAD"],
    ["claim --agent a --artifact x.txt", "--artifact", "--done or --fail", "--done THREAD"],
    ["msg inbox c --commit", "--commit", "--reader", "--reader NAME"],
  ];
  for (const [line, given, missing, added = missing, program] of cases)
    expect([line, await refused(at, line, program)]).toEqual([
      line,
      `30 error ${given} requires ${missing} (invalid_input)\nhint  add ${added}, or leave out ${given}`,
    ]);
  expect((await at.inbox("entries", "list")).json.entries).toEqual([]);
});

test("[C17] a setting that the bus would ignore is refused: a quota of the person, a worker's program", async () => {
  using at = await desk();
  expect(await refused(at, "quota set user --open-threads 3")).toBe(
    '30 error a quota for "user" has no effect: the person has no quota (invalid_input)\nhint  name an agent: inbox quota set AGENT --open-threads 3',
  );
  expect((await at.inbox("quota")).json.quotas).toEqual([]);
  await run(["push", "name=dig", "worker=w", "hello"], { cwd: at.path, program: [orch] });
  for (const flag of ["profile", "model"])
    expect(await refused(at, `edit dig --${flag} x`, orch)).toBe(
      `30 error --${flag} has no effect: "w" is already running (invalid_input)\nhint  leave out --${flag}; it is for tasks for which a sub-agent is started`,
    );
});

test("[A5] a question is answered by either form of its id, once, and says how to wait for the decision", async () => {
  using at = await desk();
  const asked = await at.human("ask", "bob", "Go?", "--choices", "yes,no");
  const correlation = /--correlation (ask-\S+)/.exec(asked.stdout)![1]!;
  expect(asked.stdout).toContain(
    `\nbob answers it; inbox ask --wait --correlation ${correlation} waits for the decision\n`,
  );
  const late = await at.human("ask", "--wait", "--correlation", correlation, "--timeout-seconds", "0");
  expect([late.code, late.stderr]).toEqual([
    10,
    `not decided yet; inbox ask --wait --correlation ${correlation} continues waiting\n`,
  ]);
  expect(await refused(at, "answer msg_1 --agent bob")).toBe(
    '30 error the answer is empty: give a choice or a message (invalid_input)\nhint  add --choice yes, or --message "…"',
  );
  expect((await at.inbox("answer", "msg_1", "yes", "--agent", "bob")).code).toBe(0);
  expect(await refused(at, "answer 1 yes --agent bob")).toBe(
    '30 error "bob" has already answered this question (invalid_state)\nhint  the first answer counts; to add something, use inbox send main "…"',
  );
  await at.inbox("send", "--from", "lead", "--to", "bob", "--subject", "s");
  expect(await refused(at, "answer 3 yes --agent bob")).toContain(
    "message 3 is not a question; its kind is task",
  );
  await at.inbox("claim", "thr_1", "--agent", "bob");
  await at.inbox("update", "thr_1", "Which?", "--status", "blocked", "--agent", "bob");
  expect(await refused(at, "answer msg_4 yes --agent lead")).toContain(
    'inbox reply thr_1 "…" answers in its thread',
  );
});

test("[C15] a message's id is accepted with and without msg_, wherever one is taken", async () => {
  using at = await desk();
  await at.inbox("msg", "send", "c", "hello");
  for (const id of ["1", "msg_1"]) {
    expect((await at.inbox("msg", "read", id)).json.id).toBe(1);
    expect((await at.inbox("msg", "status", id)).json.id).toBe(1);
    expect((await at.inbox("msg", "inbox", "c", "--after", id)).json).toEqual([]);
    expect((await at.inbox("dlq", "show", id)).json.error.code).toBe("not_found");
  }
  expect((await at.inbox("msg", "ack", "msg_1")).code).toBe(0);
  expect((await at.inbox("msg", "ack", "x")).json.error.message).toBe(
    'ID must be a message\'s id like 12 or msg_12, got "x"',
  );
});

test("[C15] an example has real values, and a refused item of a list is shown as it was given", async () => {
  using at = await desk();
  const cases: [line: string, said: string][] = [
    ["entries snooze x", "inbox entries snooze 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11"],
    ["entries snooze 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11 --until soon", "--until 2099-05-18T08:00:00Z;"],
    ["entries list --before x", "--before 0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11;"],
    ["entries list --workspace x", "--workspace ws-abc123;"],
    ["workspace remove x", "inbox workspace remove ws-abc123;"],
    ["token revoke x", "inbox token revoke tok_1;"],
    [
      "list --status pending,finished",
      '--status must be one of pending, claimed, in_progress, blocked, done, failed, cancelled; got "finished"',
    ],
    [
      "entries push ws-abc1 --docs a.md,/etc/passwd",
      '--docs must be a path relative to the workspace, got "/etc/passwd"',
    ],
    ["gather --from a,,b", "item 2 of --from must not be empty"],
  ];
  for (const [line, said] of cases)
    expect([line, await refused(at, line)]).toEqual([line, expect.stringContaining(said)]);
});

test("[C15.4] a refusal names everything that is missing, not only the first thing", async () => {
  using at = await desk();
  const cases: [string, string][] = [
    ["send --to", "--to needs a value; your agent name and --subject are missing too"],
    ["send --agent w --to", "--to needs a value; --subject is missing too"],
    ["send --to --subject --agent", "--to, --subject and --agent need values"],
    ["send --to bob", "inbox send requires your agent name and --subject"],
    ["send", "inbox send requires your agent name, --to and --subject"],
    ["send --agent w", "a new thread requires --to and --subject"],
    ["reassign", "inbox reassign requires your agent name, THREAD and --to"],
    ["msg send", "CHANNEL and CONTENT are required"],
    ["workspace add", "PATH and --label are required"],
    ["workspace add --label", "--label needs a value; PATH is missing too"],
    ["token create --agent", "--agent needs a value"],
  ];
  for (const [line, said] of cases)
    expect([line, await refused(at, line)]).toEqual([
      line,
      expect.stringContaining(`30 error ${said} (invalid_input)`),
    ]);
  expect(await refused(at, "send")).toContain(
    "hint  add --agent NAME, --to AGENT and --subject TEXT, or set INBOX_AGENT",
  );
});

test("[C15.5] a text that is the name of a flag is sent with =, and is never taken for that flag", async () => {
  using at = await desk();
  await at.inbox("send", "user", "here", "--agent", "bob");
  const sent = async (...words: string[]) => at.human("send", "bob", "--agent", "ada", ...words);
  for (const text of ["--help", "--version", "--json", "--db", "--message=x", "--agent"]) {
    const { code, stdout, stderr } = await sent("--message", text);
    expect([text, code, stdout.includes("Usage"), stdout.includes("0.1.0")]).toEqual([
      text,
      30,
      false,
      false,
    ]);
    expect(stderr + stdout).toContain(`write --message=${text}`);
    const whole = await sent(`--message=${text}`);
    expect([text, whole.code, whole.stdout.trimEnd().split("\n").at(-1)]).toEqual([
      text,
      0,
      expect.stringContaining(text),
    ]);
  }
  for (const short of ["-h", "-V", "-1"]) expect((await sent("--message", short)).code).toBe(0);
  expect(
    (await at.inbox("mail", "--agent", "bob")).json.messages.map(
      ({ message }: { message: string }) => message,
    ),
  ).toEqual(["--help", "--version", "--json", "--db", "--message=x", "--agent", "-h", "-V", "-1"]);
  // A flag that only lacks its value still has the help of its command.
  expect((await at.human("send", "--help", "--message")).stdout).toContain("Usage");
});

test("[C15.7] help that may be meant as text is printed, and the call that was not made is no success", async () => {
  using at = await desk();
  await at.inbox("send", "user", "here", "--agent", "bob");
  const hint = (call: string) => `hint  if it is text, put -- before it: inbox ${call}\n`;
  for (const [text, shown] of [
    ["--help", "Usage: inbox send"],
    ["-h", "Usage: inbox send"],
    ["--version", "inbox (Restante)"],
  ] as const) {
    const { code, stdout, stderr } = await at.human("send", "bob", text, "--agent", "ada");
    expect([text, code, stdout]).toEqual([text, 30, expect.stringContaining(shown)]);
    expect(stderr).toContain(`nothing was done, because ${text} was read as a flag`);
    expect(stderr).toContain(hint(`send bob --agent ada -- ${text}`));
    expect((await at.human("send", "bob", "--agent", "ada", "--", text)).code).toBe(0);
    const { code: exit, json } = await at.inbox("send", "bob", text, "--agent", "ada");
    expect([exit, json.ok, json.error.code]).toEqual([30, false, "invalid_input"]);
  }
  const more = await at.human("done", "thr_1", "--help", "my text");
  expect([more.code, more.stderr]).toEqual([
    30,
    expect.stringContaining(hint("done thr_1 -- --help 'my text'")),
  ]);
  const flags = await at.human("ask", "bob", "--choices", "yes,no", "--help", "--agent", "ada");
  expect([flags.code, flags.stderr]).toEqual([
    30,
    expect.stringContaining(hint("ask bob --choices yes,no --agent ada -- --help")),
  ]);
  const mail = (await at.inbox("mail", "--agent", "bob")).json.messages;
  expect(mail.map(({ message }: { message: string }) => message)).toEqual(["--help", "-h", "--version"]);
  // Help that is asked for is a success.
  for (const words of [
    ["send", "--help"],
    ["--help", "send"],
    ["send", "--agent", "ada", "-h"],
    ["send", "--help", "bob"],
    ["show", "thr_1", "--help"],
  ]) {
    const { code, stdout, stderr } = await at.human(...words);
    expect([words, code, stdout, stderr]).toEqual([words, 0, expect.stringContaining("Usage"), ""]);
  }
  const prompted = await run(["push", "fix", "the", "--help"], { cwd: at.path, program: [orch] });
  expect([prompted.code, prompted.stderr]).toEqual([
    30,
    expect.stringContaining("orch push fix the -- --help"),
  ]);
  const named = await run(["diff", "a", "--help"], { cwd: at.path, program: [orch] });
  expect([named.code, named.stderr]).toEqual([0, ""]);
});

test("[C15.5] this holds for every flag of every command", () => {
  for (const op of table as readonly AnyOperation[]) {
    const flags = acceptedFlagsOf(op);
    for (const { name, value } of [...globalFlags, ...flags]) {
      if (value === undefined) continue;
      for (const text of ["--help", "--version", "--json", name]) {
        const scan = (...words: string[]) => scanArguments(words, flags, op.cli.command, { collects: true });
        expect([op.name, scan(name, text).asValue]).toEqual([op.name, `${name}=${text}`]);
        const { given, globals } = scan(`${name}=${text}`);
        expect([op.name, given[0]?.value ?? globals[name.slice(2) as "agent"]]).toEqual([op.name, text]);
        expect([op.name, globals.help, globals.version, globals.json]).toEqual([
          op.name,
          false,
          false,
          false,
        ]);
      }
    }
  }
});

test("[C15.4] the same over REST", async () => {
  await using hub = await hubHere();
  const missing = async (route: string, input: Record<string, string>) =>
    (await hub.ask(route, input)).json.error.message;
  expect(await missing("POST /api/workspaces", {})).toBe("path and label are required");
  expect(await missing("POST /api/threads", { from: "w" })).toBe("a new thread requires to and subject");
});

test("[C3] words without a command get an error that the command is missing", async () => {
  using at = await desk();
  expect(await refused(at, "--agent")).toBe(
    "30 error --agent needs a value (invalid_input)\nhint  inbox --help lists the flags",
  );
  expect(await refused(at, "--agent foo")).toBe(
    "30 error a command is missing after --agent foo (invalid_input)\nhint  inbox --help lists the commands",
  );
  expect(await refused(at, "http://127.0.0.1:3456 claim")).toBe(
    '30 error inbox has no command "http://127.0.0.1:3456", which is an address (invalid_input)\n' +
      "hint  --db names the bus: inbox --db http://127.0.0.1:3456 COMMAND",
  );
  expect(await refused(at, "send bob hello --subject x")).toContain(
    '--subject cannot be combined with the argument "bob"',
  );
  expect(await refused(at, "ask bob hi --strict --wait")).toContain(
    "--wait cannot be combined with --strict",
  );
});

test("[C3] an unknown host is not reported as a bug of the program", async () => {
  using at = await desk();
  for (const command of ["serve", "up"]) {
    const { code, json } = await at.inbox(
      command,
      "--host",
      "nohost.invalid",
      "--port",
      "0",
      "--db",
      "other.db",
    );
    expect([command, code, json.error.code]).not.toContain("internal");
    expect(json.error.hint).not.toContain("bug");
  }
});

test("[C3] a damaged bus is called damaged and offered its restore; no hint says to delete a log", async () => {
  using at = await desk();
  await at.inbox("send", "bob", "hello");
  const whole = join(at.path, "whole.db");
  copyFileSync(at.db, whole);
  const bytes = readFileSync(at.db);
  for (const end of ["-wal", "-shm"]) if (existsSync(at.db + end)) writeFileSync(at.db + end, "");
  writeFileSync(at.db, bytes.fill(0, 0, 100));
  const damaged = (await at.inbox("list")).json.error;
  expect(damaged.message).toContain(`${at.db} is damaged, or not a Restante database`);
  expect(damaged.hint).toContain(`inbox restore FILE --force --db ${at.db}`);
  writeFileSync(
    join(at.path, "notes.txt"),
    "not a database, and long enough to be looked at as one".repeat(10),
  );
  const to = (await at.inbox("migrate", "--from", whole, "--to", "notes.txt")).json.error;
  expect(to.hint).toBe("give a new or empty database to copy to: --to PATH");
  const from = (await at.inbox("migrate", "--from", "notes.txt", "--to", "new.db")).json.error;
  expect(from.hint).toBe("give the database to copy from: --from PATH");
  copyFileSync(whole, at.db);
  writeFileSync(`${at.db}-wal`, "", { mode: 0o600 });
  chmodSync(at.db, 0);
  const closed = (await at.inbox("list")).json.error;
  expect([closed.message, closed.hint]).toEqual([
    `${at.db} has mode 000: its owner may not read it`,
    `chmod 600 ${at.db}`,
  ]);
  chmodSync(at.db, 0o600);
  chmodSync(`${at.db}-wal`, 0o644);
  const wide = (await at.inbox("list")).json.error;
  expect(wide.message).toContain(`${at.db}-wal has mode 644, wider than the database's 600`);
  expect(wide.hint).toContain("do not delete it");
});

test("[Y6] what backup, restore and import refuse is said in words of files", async () => {
  using at = await desk();
  await at.inbox("send", "bob", "hello");
  writeFileSync(join(at.path, "x"), "something");
  const said = async (...line: string[]) => (await at.human(...line)).stderr;
  expect(await said("backup", "x")).toContain("x already exists and is not a backup; it was not changed");
  expect((await at.inbox("backup", "b.tar")).code).toBe(0);
  expect(await said("restore", "b.tar")).toMatch(
    /coord\.db already exists; nothing was changed .*\n.*add --force to replace this bus/,
  );
  writeFileSync(join(at.path, "cut.tar"), readFileSync(join(at.path, "b.tar")).subarray(0, 20_000));
  expect(await said("restore", "cut.tar", "--db", "n.db")).toContain(
    'it is truncated: the end of "bus.db" is missing',
  );
  expect(await said("import", "nofile")).toMatch(
    /there is no file .*nofile .*\nhint {2}give a file written by inbox export FILE/,
  );
  await at.inbox("export", "e.jsonl");
  writeFileSync(
    join(at.path, "e.jsonl"),
    readFileSync(join(at.path, "e.jsonl"), "utf8").replace("hello", "hallo"),
  );
  expect(await said("import", "e.jsonl", "--db", "n.db")).toContain(
    "the checksum does not match: a line before this one was changed",
  );
  const again = await at.human("restore", "b.tar", "--force");
  expect(again.stdout).toMatch(/was restored from .*b\.tar, as it was at .*\nthe previous bus was kept as /);
  expect(readdirSync(join(at.path, ".agents")).filter((name) => name.endsWith("-journal"))).toEqual([]);
});

test("[C3] an error about a taken name says whose it is", async () => {
  using at = await desk();
  writeFileSync(
    join(at.path, ".agents/agents.toml"),
    'default = "t"\n[runners.t]\nkind = "command"\ncommand = ["true"]\n',
  );
  const pushed = (name: string) => refused(at, `push name=${name} hello`, orch);
  expect(await pushed("user")).toContain('the name "user" is taken: it is the person\'s');
  expect(await pushed("main")).toContain('the name "main" is taken: it is your own');
  expect(await refused(at, "push --with-changes --permission reject hello", orch)).not.toContain(
    "git repository",
  );
  expect(await refused(at, "push name=a hello", orch)).toBe("0 ");
  expect(await pushed("a")).toContain('the name "a" is taken: a task of that name is queued');
});

test("[C2] [Y1.1] answers say what was done: mute, retain, setup, logs, pools, cancel", async () => {
  using at = await desk();
  const said = async (...line: string[]) => (await at.human(...line)).stdout.trimEnd();
  expect(await said("mute", "add", "bot")).toBe("muted; muted now: bot");
  expect(await said("mute", "add", "bot")).toBe("already muted; muted now: bot");
  expect(await said("mute", "remove", "bot")).toBe("unmuted; nothing is muted");
  expect(await said("mute", "remove", "bot")).toBe("was not muted; nothing is muted");
  expect(await said("retain", "set", "threads", "--count", "5", "--days", "9")).not.toContain("note");
  expect(await said("retain", "set", "threads", "--days", "30")).toMatch(/^threads +30 +5 /m);
  expect(await said("retain", "set", "threads", "--days", "none")).toMatch(/^threads +no limit +5 /m);
  expect(await said("retain", "set", "mail")).toEndWith("mail: no limit now, nothing is deleted");
  expect(await said("setup", "claude", "--remove")).toContain("there is no entry named inbox in");
  expect(await said("logs")).toContain("inbox up starts the hub that writes it");
  await at.inbox("pool", "join", "crew", "--agent", "a");
  await at.inbox("pool", "join", "crew", "--agent", "b");
  expect(await said("send", "crew", "hello")).toBe("Sent to a (msg_1), b (msg_2)");
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "s");
  const cancelled = await said("cancel", "thr_1", "not needed", "--agent", "lead");
  expect(cancelled.match(/not needed/g)).toHaveLength(
    cancelled.match(/cancelled: not needed/g)!.length + (cancelled.match(/payload/g)?.length ?? 0),
  );
  expect(await refused(at, "release thr_1 --agent w --reason tired")).toContain(
    'use inbox update thr_1 "why" --agent w first',
  );
});

test("[C1] flags that mean the same have one name, and each earlier name is still accepted", async () => {
  using at = await desk();
  const { workspace_id: workspace } = (await at.inbox("workspace", "add", ".", "--label", "here")).json
    .workspace;
  await at.inbox("msg", "send", "c", "one", "--payload-json", '{"a":1}', "--correlation-id", "k");
  expect((await at.inbox("msg", "inbox", "c", "--correlation", "k")).json[0]).toMatchObject({
    metadata: { a: 1 },
  });
  const sent = await at.inbox("send", "--from", "a", "--to", "b", "--subject", "s", "--metadata", '{"a":1}');
  expect(sent.json.message.payload_json).toBe('{"a":1}');
  const accepted: [line: string, program?: string][] = [
    [`entries list --workspace ${workspace}`],
    [`entries list --workspace-id ${workspace}`],
    [`entries push --workspace-id ${workspace} --comments hello`],
    ["gather --from z --correlation k --timeout-seconds 0"],
    ["gather --from z --correlation-id k --wait-seconds 0"],
    ["receive --agent z --wait-seconds 0"],
    ["handoff --continue nobody --wait-seconds 0", orch],
    ["handoff --terminal-id nobody --timeout-seconds 0", orch],
    ["assign --prompt hello --profile nothing", orch],
    ["assign --message hello --profile nothing", orch],
    ["assign --message-file notes --profile nothing", orch],
  ];
  writeFileSync(join(at.path, "notes"), "hello");
  for (const [line, program] of accepted)
    expect([line, await refused(at, line, program)]).toEqual([
      line,
      expect.not.stringContaining("has no flag"),
    ]);
});

test("[C1] help has one placeholder for each kind of value, and says which flags can be key=value", async () => {
  const help = async (program: string, ...words: string[]) =>
    (await run([...words, "--help"], { program: [program] })).stdout;
  for (const op of table as readonly AnyOperation[]) {
    const text = commandHelp(op.cli.command, op.cli.program === "orch" ? "orch" : "inbox");
    expect([op.name, /\b(SEC|SECONDS|COUNT|HOURS|DAYS|PATHS)\b/.exec(text)?.[0]]).toEqual([
      op.name,
      undefined,
    ]);
  }
  expect(await help(orch, "run")).toContain("Usage: orch run [N] [flags]");
  expect(await help(orch, "run")).toContain("timeout=N is the same as --timeout N");
  expect(await help(inboxProgram, "receive")).toContain("from=AGENT is the same as --from AGENT");
  expect(await help(inboxProgram, "ask")).toContain("Usage: inbox ask --wait [AGENT,…] [QUESTION] [flags]");
  const all = await help(inboxProgram);
  expect(all).toContain("ask --wait: 0 for the first choice, 1 for the second");
  expect(all).toContain("print JSON: one line, or one line per item where the output is a stream");
});

test("[Y6.11] [Y7.3] [Y7.6] an export is no backup and a backup no export, and each refusal names the command for the file", async () => {
  using at = await desk();
  await at.inbox("send", "bob", "hello");
  await at.inbox("backup", "b.bak");
  await at.inbox("export", "e.jsonl");
  const said = async (...line: string[]) => {
    const { code, stderr } = await at.human(...line, "--db", "n.db");
    expect([code, existsSync(join(at.path, "n.db"))]).toEqual([30, false]);
    return stderr;
  };
  expect(await said("import", "b.bak")).toMatch(
    /b\.bak cannot be imported: it is a backup, not an export; nothing was changed .*\nhint {2}inbox restore \S*b\.bak --db \S*n\.db restores it/,
  );
  expect(await said("restore", "e.jsonl")).toMatch(
    /e\.jsonl cannot be restored: it is an export, not a backup; nothing was changed .*\nhint {2}inbox import \S*e\.jsonl --db \S*n\.db imports it/,
  );
  writeFileSync(join(at.path, "binary"), Buffer.from([1, 2, 0, 255]));
  expect(await said("import", "binary")).toMatch(
    /binary cannot be imported: it is not an export: it is not text; nothing was changed .*\nhint {2}give a file written by inbox export FILE/,
  );
  const damaged = readFileSync(join(at.path, "e.jsonl"));
  const last = damaged.toString().trimEnd().split("\n").length;
  damaged[damaged.length - 20] = 0xff;
  writeFileSync(join(at.path, "damaged.jsonl"), damaged);
  expect(await said("import", "damaged.jsonl")).toContain(
    `line ${last}: it has bytes that are not UTF-8 text; nothing was changed`,
  );
});

test("[Y7.6] an export is imported from a pipe, too", async () => {
  using at = await desk();
  await at.inbox("send", "bob", "hello");
  await at.inbox("export", "e.jsonl");
  const line = `"${inboxProgram}" import <(cat e.jsonl) --db n.db --json`;
  const child = Bun.spawn(["bash", "-c", line], { cwd: at.path, env: bareEnvironment(), stderr: "inherit" });
  expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ ok: true });
  expect(await child.exited).toBe(0);
});

test("[Y6.12] a folder, or -, is no backup and no database; nothing is written", async () => {
  using at = await desk();
  await at.inbox("backup", "b.bak");
  await at.inbox("export", "e.jsonl");
  mkdirSync(join(at.path, "folder"));
  const said = async (...line: string[]) => (await at.human(...line)).stderr;
  for (const command of ["backup", "export"])
    expect(await said(command, "folder")).toMatch(
      /folder is a folder; it was not changed .*\nhint {2}name a file in that folder/,
    );
  expect(await said("backup", "-")).toMatch(
    /cannot be written to standard output .*\nhint {2}.*inbox export - writes/,
  );
  expect(await said("restore", "-", "--db", "n.db")).toContain("cannot be read from standard input");
  for (const line of [
    ["restore", "b.bak"],
    ["restore", "b.bak", "--force"],
    ["import", "e.jsonl"],
  ])
    expect(await said(...line, "--db", "folder")).toMatch(
      /folder is a folder, not a database file; nothing was changed/,
    );
  expect(readdirSync(at.path).toSorted()).toEqual([".agents", "b.bak", "e.jsonl", "folder"]);
  expect(readdirSync(join(at.path, "folder"))).toEqual([]);
});

test("[Y6] [Y7] the file is looked at before its target, and what writes one is not named with the target's --db", async () => {
  using at = await desk();
  await at.inbox("backup", "b.bak");
  await at.inbox("export", "e.jsonl");
  await at.inbox("workspace", "add", ".", "--label", "x");
  const said = async (...line: string[]) => (await at.human(...line)).stderr;
  // There is a bus already, which would be refused, too.
  expect(await said("import", "b.bak")).toMatch(
    /it is a backup, not an export; .*\nhint {2}inbox restore \S*b\.bak restores it/,
  );
  writeFileSync(join(at.path, "text"), "hello\n");
  expect(await said("import", "text")).toContain("line 1: it is not the first line of an export");
  const entry = {
    id: "0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11",
    ts: 1,
    workspaceId: null,
    docs: [],
    comments: "x",
  };
  writeFileSync(join(at.path, "entries.jsonl"), `${JSON.stringify(entry)}\n`);
  expect(await said("import", "entries.jsonl")).toMatch(
    /it has entries of the person's inbox, not a whole bus; .*\nhint {2}inbox entries import \S*entries\.jsonl imports them/,
  );
  expect(await said("entries", "import", "e.jsonl")).toContain(
    "e.jsonl is not a file of entries: it is an export of a bus",
  );
  for (const [command, file] of [
    ["restore", "text"],
    ["restore", "missing"],
    ["import", "missing"],
  ] as const)
    expect(await said(command, file, "--db", "n.db")).toMatch(/inbox (backup|export) FILE(?! --db)/);
});

test("[C13.5] a hub that is not there is started by a command that accepts what it names", async () => {
  using at = await desk();
  const { code, stderr } = await at.human("list", "--db", "http://127.0.0.1:1");
  expect(code).toBe(50);
  expect(stderr).toContain(
    "hint  check that it is running; where its database is, inbox up --port 1 starts it\n",
  );
  // An operation on the database itself refuses the address of a hub, so a reference to it does not repeat that.
  const spell = inShell(undefined, { db: "http://127.0.0.1:1" });
  expect(["bus.doctor", "bus.serve"].map((name) => spell(call(name)))).toEqual([
    "inbox doctor",
    "inbox serve",
  ]);
  for (const name of ["bus.top", "threads.list"])
    expect(spell(call(name))).toEndWith(" --db http://127.0.0.1:1");
});

test("[C15.2] the example of a refusal is not refused for the same reason", async () => {
  using at = await desk();
  const example = async (...line: string[]) =>
    /for example: (.*?)(;|$)/m.exec((await at.human(...line)).stderr)?.[1];
  expect(await example("send", "bob", "hi", "--agent", "")).toBe("inbox send bob hi --agent NAME");
  expect(await example("retain", "set", "thread", "--count", "5")).toBe("inbox retain set threads --count 5");
  const id = crypto.randomUUID();
  const [, until] = (await example("entries", "snooze", id, "--until", "later"))!.split("--until ");
  expect(Date.parse(until!)).toBeGreaterThan(Date.now());
  // As `done THREAD TEXT` is typed; a thread to claim excludes --done.
  expect(await example("claim", "--agent", "ada", "--done", "thr_1", "it works")).toBe(
    "inbox claim --agent ada --done thr_1 --summary 'it works'",
  );
  expect(await example("claim", "--agent", "ada", "--wait", "--timeout-seconds", "x", "thr_1")).not.toContain(
    "thr_1",
  );
});

test("[A5.2] a choice and a message for a question without choices are refused, and the hint names the flag for the answer", async () => {
  using at = await desk();
  const { message } = (await at.inbox("ask", "bob", "hm?", "--agent", "ada")).json;
  const { code, stderr } = await at.human(
    "answer",
    message.message_id,
    "an answer",
    "and more",
    "--agent",
    "bob",
  );
  expect([code, stderr]).toEqual([30, expect.stringContaining("give all of the answer as --message TEXT")]);
});

test("[Y6] [Y7] a file that is not there is not found, by restore as by import", async () => {
  using d = await desk();
  for (const command of ["restore", "import"]) expect((await d.human(command, "nofile")).code).toBe(40);
});

test("[C13] a mistyped flag gets suggestions only from flags that the help shows", async () => {
  using d = await desk();
  const { code, stderr } = await d.human("receive", "--wait");
  expect(code).toBe(30);
  expect(stderr).toContain('inbox receive has no flag --wait; did you mean "--timeout-seconds"?');
  expect((await d.human("receive", "--help")).stdout).not.toContain("--wait");
});

test("[C8.3] the usage line of every command has the flags that it cannot do without", async () => {
  for (const op of table as readonly AnyOperation[]) {
    const names = flagsOf(op).filter(
      ({ role, field: { key, required } }) =>
        required && role !== "file" && key !== op.cli.identity && !op.cli.plain?.includes(key),
    );
    const program = op.cli.program === "orch" ? "orch" : "inbox";
    const help = commandHelp(op.cli.command, program);
    const usage = help.split("\n").filter((line) => line.startsWith("Usage: "));
    for (const { name } of names)
      expect([op.name, usage.some((line) => line.includes(`${name} `))]).toEqual([op.name, true]);
  }
  using at = await desk();
  expect((await at.human("reassign", "--help")).stdout).toContain(
    "Usage: inbox reassign THREAD --to AGENT [flags]",
  );
  expect(await refused(at, "reassign thr_1 bob --agent a")).toContain(
    "usage: inbox reassign THREAD --to AGENT",
  );
});

test("[C15.2] the example of a refusal does what was meant, also if nothing of the command could be kept", async () => {
  using at = await desk();
  expect(await refused(at, "retain set messages")).toContain(
    "for example: inbox retain set events --days 30;",
  );
  expect(await refused(at, "entries push ws-1")).toContain(
    'for example: inbox entries push ws-abc123 --comments "Deploy now?"',
  );
});

test("[L10.6] who releases another agent's thread is told how to take it away, as it can be typed", async () => {
  using at = await desk();
  await at.inbox("send", "--agent", "lead", "--to", "w", "--subject", "s");
  await at.inbox("claim", "--agent", "w");
  expect(await refused(at, "release thr_1 --agent lead")).toContain(
    'hint  wait, or ask "w" to release it; its creator or a leader takes it away with inbox release thr_1 --force --agent lead',
  );
  expect((await at.inbox("release", "thr_1", "--force", "--agent", "lead")).code).toBe(0);
});
