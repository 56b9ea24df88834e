/** [C13] Hints, checked by doing what they say. Those who make mistakes share a process (test/support/warm.ts). */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { table } from "../../src/contract/operations/index.ts";
import { findCommand, operationsOf, ownCommands, type Program } from "../../src/surfaces/cli/commands.ts";
import { flagsOf, globalFlags } from "../../src/surfaces/cli/flags.ts";
import { type Desk, desk, orch, program, type Result, run, start } from "../support/cli.ts";
import { commandsIn, flagsIn, type Typed } from "../support/hints.ts";
import { served } from "../support/hub.ts";
import { isForWarm, runWarm, warmDesk } from "../support/warm.ts";

const operations = table as readonly AnyOperation[];
const uuid = "0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11";

/** What a reader puts in the place of a word in capitals. */
const meant: Record<string, string> = {
  AGENT: "w",
  NAME: "w",
  THREAD: "thr_1",
  PATH: "small.txt",
  FILE: "lines.jsonl",
  TEXT: "text",
  N: "5",
  ID: "1",
  OTHER: "later",
};

function typed({ program: name, argv }: Typed, cwd: string): Promise<Result> {
  const words = ["--json", ...argv.map((word) => meant[word] ?? word)];
  const options = { cwd, env: { INBOX_AGENT: "w" } };
  const command = findCommand(argv, name)?.command;
  const op = operations.find((one) => one.cli.command === command && one.cli.program !== "orch");
  const stays = argv.includes("--help") || (name === "inbox" && op && isForWarm(op));
  return stays
    ? runWarm(words, options, name)
    : run(words, { ...options, program: [name === "orch" ? orch : program] });
}

async function scene(): Promise<Desk> {
  const at = await warmDesk();
  writeFileSync(join(at.path, "small.txt"), "small");
  writeFileSync(join(at.path, "empty.txt"), "");
  writeFileSync(join(at.path, "bytes.bin"), Uint8Array.of(0x61, 0xff));
  writeFileSync(join(at.path, "big.txt"), "x".repeat(1_100_000));
  writeFileSync(join(at.path, "lines.jsonl"), "");
  const quick = 'kind = "command"\ncommand = ["true"]\nmodel = ["{model}"]\n';
  writeFileSync(join(at.path, ".agents/agents.toml"), `default = "claude"\n[runners.claude]\n${quick}`);
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "s");
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "held");
  await at.inbox("claim", "thr_2", "--agent", "w");
  return at;
}

const knows = (flag: string, program: Program, command: string) =>
  globalFlags.some(({ name }) => name === flag) ||
  operationsOf(command, program)
    .flatMap(flagsOf)
    .some(({ name }) => name === flag);

/** Every flag that a refusal names is one of the command that refused, or of a command that it names. */
function checkFlags({ program: name, argv }: Typed, said: string): void {
  const commands = [{ program: name, argv }, ...commandsIn(said)].map((one) => ({
    program: one.program,
    command: findCommand(one.argv, one.program)?.command ?? "",
  }));
  const texts = argv.includes("--") ? argv.slice(argv.indexOf("--") + 1) : [];
  for (const flag of flagsIn(said).filter((one) => !texts.includes(one)))
    expect([
      argv.map((word) => word.slice(0, 40)),
      said.slice(0, 200),
      flag,
      commands.some((one) => knows(flag, one.program, one.command)),
    ]).toEqual([expect.anything(), expect.anything(), flag, true]);
}

/** One mistake each; what its hint offers is done below. */
const mistakes: Typed[] = [
  ...[
    ["show", "thr_9"],
    ["claim", "thr_9", "--agent", "w"],
    ["done", "thr_1", "x", "--agent", "w"],
    ["update", "thr_1", "--agent", "w"],
    ["update", "thr_2", "--agent", "w", "--status", "blocked"],
    ["reply", "thr_1", "--from", "lead"],
    ["send", "--from", "lead"],
    ["send", "--from", "lead", "--thread", "thr_1", "--subject", "again", "--summary", "x"],
    ["send", "nobody", "x", "--strict"],
    ["send", "b", "hello", "world"],
    ["send", "b", "hello world", "again"],
    ["show", "thr_1", "thr_2"],
    ["show", "thr_1", "--mark-read"],
    ["fetch"],
    ["claim", "--agent", "w", "--timeout-seconds", "1"],
    ["claim", "thr_1", "--agent", "w", "--wait"],
    ["msg", "inbox", "c", "--commit"],
    ["msg", "inbox", "c", "--newest", "--after", "1"],
    ["msg", "send", "c", ""],
    ["msg", "send", "c", "x", "--metadata", "{"],
    ["msg", "send", "c", "--content-file", "big.txt"],
    ["msg", "send", "c", "--content-file", "bytes.bin"],
    ["msg", "send", "c", "--content-file", "empty.txt"],
    ["send", "--from", "a", "--to", "b", "--subject", "s", "--body-file", "big.txt"],
    ["send", "--from", "a", "--to", "b", "--subject", "s", "--body-file", "bytes.bin"],
    ["cancel", "thr_1", "--agent", "lead", "--reason-file", "empty.txt"],
    ["msg", "ack", "99"],
    ["msg", "snd"],
    ["mgs"],
    ["push"],
    ["list", "--json=yes"],
    ["entries", "show", uuid],
    ["entries", "import", "nothing.jsonl"],
    ["entries", "push", "ws-nothing", "--docs", "report.md"],
    ["dlq", "requeue"],
    ["dlq", "show", "99"],
    ["token", "revoke", "tok_9"],
    ["list", "--db", "nothing.db"],
    ["completion"],
    ["send", "--", "--weird", "--agent", "w"],
    ["send", "--", "--weird"],
    ["send", "--", "b", "--weird", "--agent", "w"],
    ["send", "b", "--agent", "w", "--", "--weird", "again"],
    ["msg", "send", "c", "--content=--db", "--ttl", "x"],
    ["ask", "b", "--", "--weird", "--agent", "w"],
    ["update", "thr_2", "--", "-x", "--agent", "w", "--status=blocked"],
    ["done", "thr_2", "--", "--weird", "--agent", "w"],
    ["reply", "--", "thr_1", "--x", "--from", "lead"],
    ["claim", "--", "--agent", "w"],
    ["msg", "send", "--", "c", "--weird", "--sender", "w"],
    ["list", "--", "--limit", "3"],
  ].map((argv): Typed => ({ program: "inbox", argv })),
  ...[["show", "nothing"], ["move", "nothing"], ["kill", "nothing"], ["edit", "nothing", "x"], ["claim"]].map(
    (argv): Typed => ({ program: "orch", argv }),
  ),
];

/** Every operation without what it needs, and with more than it takes. */
const generated: Typed[] = operations.flatMap((op) => {
  const name: Program = op.cli.program === "orch" ? "orch" : "inbox";
  const command = op.cli.command.split(" ");
  const needs = flagsOf(op).some(
    ({ field }) => field.required && field.type !== "lines" && field.key !== op.cli.identity,
  );
  const ids: Record<string, string> = { thread: "thr_1", id: uuid, question: "999" };
  const surplus = [...command, ...(op.cli.plain ?? []).map((key) => ids[key] ?? "x"), "more"];
  return [
    ...(needs ? [{ program: name, argv: command }] : []),
    ...(name === "inbox" && op.cli.command !== "send" ? [{ program: name, argv: surplus }] : []),
  ];
});

const ownWords = (name: Program) => Object.keys(ownCommands(name));

test("[C13] every command that a hint names is accepted, and every flag is one that its command has", async () => {
  using at = await scene();
  const offered = new Map<string, Typed>();
  for (const mistake of [...mistakes, ...generated]) {
    const child = await runWarm(["--json", ...mistake.argv], { cwd: at.path }, mistake.program);
    expect([mistake, child.code]).not.toEqual([mistake, 0]);
    const { message, hint } = child.json.error as { message: string; hint: string };
    checkFlags(mistake, `${message}; ${hint}`);
    // A usage line is a pattern, no command.
    for (const command of hint.startsWith("usage: ") ? [] : commandsIn(hint))
      if (!ownWords(command.program).includes(command.argv[0]!))
        offered.set(`${command.program} ${command.argv.join(" ")}`, command);
  }
  expect(offered.size).toBeGreaterThan(40);
  for (const [text, command] of offered) {
    // They need a server or another's database, or stay.
    if (
      /postgres:|^inbox (serve|mcp|watch|wait|msg wait|gather|receive|shell)|^orch (handoff|supervise)|--wait|--follow/.test(
        text,
      ) &&
      !text.includes("--help")
    )
      continue;
    const { code, stdout } = await typed(command, at.path);
    const refused = code !== 0 && stdout.startsWith("{") ? JSON.parse(stdout).error?.code : undefined;
    expect([text, refused]).not.toEqual([text, "invalid_input"]);
  }
});

test("[C13] what a hint says to add or to leave out makes the mistake go away", async () => {
  using at = await scene();
  let done = 0;
  for (const { program: name, argv } of mistakes) {
    const ask = (args: readonly string[]) => runWarm(["--json", ...args], { cwd: at.path }, name);
    const before = await ask(argv);
    const { message, hint } = before.json.error as { message: string; hint: string };
    const flag = /(--[a-z-]+)(?: ("[^"]*"|[A-Z]+))?/g;
    const added = hint.startsWith("add --") ? [...hint.split(/, or |; /)[0]!.matchAll(flag)] : undefined;
    const without = /leave out ((?:--|(?!the\b))[a-z-]+(?: and --[a-z-]+)?)/.exec(hint);
    if (!added && !without) continue;
    const then = added
      ? [...argv, ...added.flatMap(([, name, value]) => [name!, ...valueFor(value)])]
      : withoutFlags(
          argv,
          without![1]!.split(" and ").map((flag) => flag.replace(/^(?!--)/, "--")),
        );
    done++;
    const after = await ask(then);
    const said = after.code === 0 || !after.stdout.startsWith("{") ? "" : after.json.error?.message;
    expect([argv, hint, said]).not.toEqual([argv, hint, message]);
    expect([argv, hint, after.code]).not.toEqual([argv, hint, 30]);
  }
  expect(done).toBeGreaterThan(5);
});

function valueFor(shown: string | undefined): string[] {
  const value = shown?.replaceAll('"', "");
  return value === undefined ? [] : [meant[value] ?? value];
}

function withoutFlags(argv: readonly string[], flags: readonly string[]): string[] {
  const op = operationsOf(findCommand(argv, "inbox")!.command, "inbox").flatMap(flagsOf);
  return argv.filter((word, at) => {
    const isValueOf = (flag: string | undefined) =>
      flags.includes(flag ?? "") && op.find(({ name }) => name === flag)?.value !== undefined;
    return !flags.includes(word) && !isValueOf(argv[at - 1]);
  });
}

test("[C13] a plain argument has the name of the usage line, and a required one is never to be left out", async () => {
  using at = await scene();
  const message = async (...args: string[]) => (await at.inbox(...args)).json.error.message as string;
  expect(await message("msg", "ack")).toBe("ID is required");
  expect(await message("entries", "reply")).toBe("ENTRY is required");
  expect(await message("msg", "send", "c", "")).toBe("CONTENT must not be empty");
  expect(await message("msg", "send", "c", "--content", "")).toBe("--content must not be empty");
  expect(await message("cancel", "thr_1", "--agent", "w", "--reason", "")).toEndWith("leave it out instead");
  expect(await message("msg", "send", "c", "  ")).toBe("CONTENT must not be blank");
  expect(await message("ask", "user", "  ")).toBe("QUESTION must not be blank");
  const blankText = (await at.inbox("send", "x", "  ")).json.error;
  expect([blankText.message, blankText.hint]).toEqual([
    "MESSAGE must not be blank",
    'for example: inbox send x "…"; inbox send --help shows more',
  ]);
  // What cannot be left out is not to be left out.
  expect(await message("send", "--agent", "w", "--to", "x", "--subject", "")).toEndWith("must not be empty");
});

test("[Q1.9] a blank prompt or message for a sub-agent is refused like an empty one, and nothing is queued", async () => {
  using at = await scene();
  const typedBy = (...args: string[]) => run([...args, "--json"], { cwd: at.path, program: [orch] });
  expect((await typedBy("push", "name=kept", "a task")).code).toBe(0);
  for (const [word, ...args] of [
    ["PROMPT", "push"],
    ["PROMPT", "assign", "claude"],
    ["PROMPT", "handoff", "claude"],
    ["PROMPT", "edit", "kept"],
    ["MESSAGE", "send", "kept"],
  ] as [string, ...string[]][])
    for (const [text, problem] of [
      ["", "empty"],
      [" \n\t ", "blank"],
    ] as const) {
      const { code, json } = await typedBy(...args, text);
      expect([args, code, json.error.code]).toEqual([args, 30, "invalid_input"]);
      expect([args, json.error.message]).toEqual([
        args,
        expect.stringContaining(`${word} must not be ${problem}`),
      ]);
    }
  const { queued } = (await typedBy("queue", "--all")).json;
  expect(queued.map(({ name, summary }: Record<string, string>) => [name, summary])).toEqual([
    ["kept", "a task"],
  ]);
});

test("[C13] unquoted text is shown in quotes, quoted text and ids are not", async () => {
  using at = await scene();
  const hint = async (...args: string[]) => (await at.inbox(...args)).json.error.hint as string;
  expect(await hint("send", "b", "hello", "there")).toBe(
    "quote text that has spaces: inbox send b 'hello there'",
  );
  expect(await hint("send", "b", "hello there", "again")).toBe("usage: inbox send AGENT MESSAGE");
  expect(await hint("show", "thr_1", "thr_2")).toBe("usage: inbox show THREAD");
});

test("[C13] documents are named by their paths, as files are everywhere", async () => {
  using at = await scene();
  const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "here")).json;
  const pushed = await at.inbox("entries", "push", workspace.workspace_id, "--docs", "small.txt,big.txt");
  expect(pushed.code).toBe(0);
  const { entry } = (await at.inbox("entries", "show", pushed.json.id)).json;
  expect(entry.docs.map(({ path }: { path: string }) => path)).toEqual(["small.txt", "big.txt"]);
  const json = `[{"path": "small.txt"}]`;
  expect((await at.inbox("entries", "push", workspace.workspace_id, "--docs", json)).code).toBe(0);
});

test("[C13] a refusal for its scope names scopes that may, and such a token does it", async () => {
  using at = await scene();
  const made = async (scope: string) =>
    (await at.inbox("token", "create", "--agent", "w", "--scope", scope)).json.token as string;
  const worker = await made("worker");
  for (const args of [
    ["token", "list"],
    ["entries", "export"],
    ["msg", "gc"],
    ["dlq", "purge", "--channel", "lead"],
  ]) {
    const { code, json } = await at.inbox(...args, "--token", worker);
    expect([args, code, json.error?.code]).toEqual([args, 30, "not_allowed"]);
    const scopes = /the scope ([a-z, ]+)$/.exec(json.error.hint)![1]!.split(/ or |, /);
    expect(scopes).not.toContain("worker");
    for (const scope of scopes)
      expect([args, scope, (await at.inbox(...args, "--token", await made(scope))).code]).toEqual([
        args,
        scope,
        0,
      ]);
  }
});

test("[C15] a refused value is named by its flag and its position, and the example is what was typed, corrected", async () => {
  using at = await scene();
  const said = async (...args: string[]) => {
    const { message, hint } = (await at.inbox(...args)).json.error;
    return [message, hint.replace(/; \w.* --help shows more$/, "")];
  };
  expect(await said("list", "--status", "done,foo")).toEqual([
    '--status must be one of pending, claimed, in_progress, blocked, done, failed, cancelled; got "foo"',
    "for example: inbox list --status pending,blocked",
  ]);
  expect(await said("send", "bob", "")).toEqual([
    "MESSAGE must not be empty",
    'for example: inbox send bob "…"',
  ]);
  expect(await said("send", "bob")).toEqual(["MESSAGE is required", 'for example: inbox send bob "…"']);
  expect(await said("claim", "thr_1", "--agent", "w", "--lease-seconds", "soon")).toEqual([
    '--lease-seconds must be a whole number from 1 to 604800, got "soon"',
    "for example: inbox claim thr_1 --agent w --lease-seconds 900",
  ]);
  expect(await said("token", "create", "--agent", "w", "--scope", "all")).toEqual([
    expect.stringMatching(/^--scope must be one of .* got "all"$/),
    "for example: inbox token create --agent w --scope worker",
  ]);
  expect(await said("gather", "--agent", "m", "--from", "a,-b")).toEqual([
    '--from must not start with "-", got "-b"',
    "for example: inbox gather --agent m --from worker-a,worker-b",
  ]);
});

test("[C14] [C15] a refusal names the command here, the route over REST and the tool over MCP", async () => {
  await using hub = await served(undefined, "--auth");
  const inbox = (...args: string[]) => run([...args, "--json"], { env: { INBOX_DB: hub.db } });
  const { token } = (await inbox("token", "create", "--agent", "w", "--scope", "worker")).json;
  const atHub = await run(["token", "list", "--json"], { env: { INBOX_DB: hub.url, INBOX_TOKEN: token } });
  expect(atHub.json.error.message).toStartWith("inbox token list requires a token with another scope");
  const here = await run(["token", "list", "--json", "--token", token], { env: { INBOX_DB: hub.db } });
  expect(here.json.error).toEqual(atHub.json.error);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const rest = await fetch(`${hub.url}/api/tokens`, { headers });
  const { error } = (await rest.json()) as { error: { message: string; said?: unknown } };
  expect(error.message).toStartWith("GET /api/tokens requires a token with another scope");
  expect(error.said).toBeUndefined();
  const body = JSON.stringify({ timeoutSeconds: 1 });
  const claim = await fetch(`${hub.url}/api/threads/claim`, { method: "POST", headers, body });
  expect(((await claim.json()) as { error: { hint: string } }).error.hint).toBe(
    "add wait, or leave out timeoutSeconds",
  );
  const typed = await run(["claim", "--timeout-seconds", "1", "--json"], {
    env: { INBOX_DB: hub.url, INBOX_TOKEN: token },
  });
  expect(typed.json.error.hint).toBe("add --wait, or leave out --timeout-seconds");
});

test("[C13] the commands that serve --auth prints work with a token, as they stand", async () => {
  using at = await desk();
  const child = start(["serve", "--auth", "--port", "0"], { cwd: at.path });
  try {
    let said = "";
    for await (const chunk of child.stdout) {
      said += new TextDecoder().decode(chunk);
      if (said.includes("Ctrl-C")) break;
    }
    const [, create] = /requires a token: (inbox token create .*)/.exec(said)!;
    const made = await run([...create!.split(" ").slice(1), "--json"], { cwd: "/" });
    const env = { INBOX_TOKEN: made.json.token as string, PATH: `${dirname(program)}:${process.env.PATH}` };
    const lines = said.split("\n").filter((line) => /^ +(curl|inbox) /.test(line));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      if (line.includes("curl") && !Bun.which("curl")) continue;
      const shell = await run(["-c", line], { program: ["sh"], cwd: "/", env });
      expect([line, shell.code, shell.stdout]).toEqual([line, 0, expect.stringContaining("hello")]);
    }
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
});
