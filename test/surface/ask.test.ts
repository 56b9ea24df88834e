/** [A5] [A7] `inbox ask --wait` as a script uses it: the exit code is the choice. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment, desk, program, run } from "../support/cli.ts";
import { served } from "../support/hub.ts";
import { overStdio, revisions } from "../support/mcp.ts";
import { until } from "../support/until.ts";

test("[A5] the exit code is the choice, and 10 if nobody answers in time", async () => {
  using d = await desk();
  const unread = async () => (await d.inbox("entries", "list", "--unread")).json.entries;
  for (const [choice, code] of [
    ["ship", 0],
    ["wait", 1],
    ["never", 2],
  ] as const) {
    const asking = d.start(
      "ask",
      "user",
      "Ship it?",
      "--choices",
      "ship,wait,never",
      "--wait",
      "--agent",
      "ci",
    );
    await until("the question is there", async () => (await unread()).length === 1);
    expect((await d.inbox("entries", "reply", (await unread())[0].id, "--choice", choice)).code).toBe(0);
    expect(await asking.exited).toBe(code);
  }
  const late = await d.inbox("ask", "ada", "Anybody?", "--wait", "--timeout-seconds", "0");
  expect([late.code, late.json]).toMatchObject([
    10,
    { decided: false, choice: null, choices: ["yes", "no"] },
  ]);
  const [question] = (await d.inbox("mail", "--agent", "ada")).json.messages;
  expect((await d.human("answer", String(question.id), "no", "--agent", "ada")).stdout).toBe(
    "answered main\n",
  );
  const again = await d.human("ask", "--wait", "--correlation-id", late.json.correlation_id);
  // What a script reads is the choice and nothing else.
  expect([again.code, again.stdout, again.stderr]).toEqual([1, "no\n", "ada: no\n"]);
  const open = await d.human("ask", "user", "Really?", "--wait", "--timeout-seconds", "0");
  expect([open.code, open.stdout]).toEqual([10, ""]);
  expect(open.stderr).toStartWith("not decided yet; inbox ask --wait --correlation ask-");
});

test("[A5] the list of entries shows choices and answers; either id answers; later words do not count as the answer", async () => {
  using d = await desk();
  await d.inbox("ask", "user", "Ship it?", "--choices", "ship,wait", "--agent", "ci");
  const [{ id }] = (await d.inbox("entries", "list")).json.entries;
  expect((await d.human("entries", "list")).stdout).toContain("Ship it?\n    choices ship | wait\n");
  const stranger = await d.human("entries", "reply", id, "ship", "--agent", "ada");
  expect([stranger.code, stranger.stderr]).toMatchObject([
    30,
    expect.stringContaining("only the person can answer it"),
  ]);
  expect((await d.human("entries", "reply", id, "why?")).stdout).toBe(
    `answered ci in words, without a choice; inbox entries reply ${id} --choice CHOICE decides\n`,
  );
  expect((await d.human("answer", id, "ship")).stdout).toBe("answered ci\n");
  expect((await d.human("entries", "list")).stdout).toContain('Ship it?\n    answered "ship" by user');
  const again = await d.human("entries", "reply", id, "ship");
  expect([again.code, again.stdout]).toEqual([30, ""]);
  expect((await d.human("entries", "reply", id, "by noon")).stdout).toBe(
    'sent to ci as one more message; the answer stays "ship"\n',
  );
  const nobody = await d.human("audit", "--of", "usr");
  expect([nobody.code, nobody.stdout]).toEqual([0, ""]);
  // Nothing is written, also to a file that has something in it already.
  const shared = join(d.path, "shared.txt");
  const both = [
    "sh",
    "-c",
    '(echo before; "$@") > "$0"',
    shared,
    program,
    "audit",
    "--of",
    "usr",
    "--db",
    d.db,
  ];
  await Bun.spawn(both, { env: bareEnvironment(), stderr: "ignore" }).exited;
  expect(readFileSync(shared, "utf8")).toBe("before\n");
  expect(nobody.stderr).toContain('"usr" has neither asked nor answered anything');
  expect(nobody.stderr).toContain('nobody has used the name "usr" yet');
});

test("[A5.7] whoever asks is told who answers and how to wait, and by no output or refusal how to answer itself", async () => {
  using d = await desk();
  const bot = ["--agent", "bot"];
  const last = (text: string) => text.trim().split("\n").at(-1);
  const person = await d.human("ask", "user", "Deploy?", "--choices", "yes,no", ...bot);
  expect(last(person.stdout)).toMatch(
    /^the person answers it; inbox ask --wait --correlation ask-\S+ --agent bot waits for the decision$/,
  );
  const words = await d.human("ask", "user", "Which name?", ...bot);
  expect(last(words.stdout)).toBe("the person answers it; inbox wait --agent bot waits for the answer");
  await d.inbox("send", "main", "hello", "--agent", "bob");
  const other = await d.human("ask", "bob", "Which name?", ...bot);
  expect(last(other.stdout)).toBe("bob answers it; inbox wait --agent bot waits for the answer");
  const late = await d.human("ask", "user", "Really?", "--wait", "--timeout-seconds", "0", ...bot);
  const { workspace } = (await d.inbox("workspace", "add", ".", "--label", "shop", ...bot)).json;
  const pushed = await d.human("entries", "push", workspace.workspace_id, "--comments", "Look", ...bot);
  const entry = pushed.stdout.trim().split(" ").at(-1)!;
  const asked = (await d.inbox("entries", "list")).json.entries.find(
    ({ message_id }: { message_id: string | null }) => message_id !== null,
  );
  const refused = [
    await d.human("answer", asked.message_id, "yes", ...bot),
    await d.human("answer", asked.id, "yes", ...bot),
    await d.human("answer", entry, "yes", ...bot),
    await d.human("entries", "reply", entry, "yes", ...bot),
  ];
  for (const { code, stderr } of refused)
    expect([code, last(stderr)]).toEqual([30, "hint  only the person can answer it; wait for the answer"]);
  const bobs = /msg_\d+/.exec(other.stdout)![0];
  const notBob = await d.human("answer", bobs, "--message", "Restante", ...bot);
  expect([notBob.code, last(notBob.stderr)]).toEqual([
    30,
    'hint  only "bob" can answer it; wait for the answer',
  ]);
  for (const { stdout, stderr } of [person, words, other, late, pushed, ...refused, notBob])
    expect(stdout + stderr).not.toMatch(/inbox answer|entries reply|--agent (user|bob|main)|shell/);
});

test("[A7] the audit trail is a JSON object a line, with surface and whether a token vouched", async () => {
  using d = await desk();
  const { token } = (await d.inbox("token", "create", "--agent", "ada", "--scope", "leader")).json;
  await d.inbox("ask", "ada", "Go?", "--choices", "yes,no", "--agent", "ci");
  const [question] = (await d.inbox("mail", "--agent", "ada")).json.messages;
  await d.inbox("answer", String(question.id), "yes", "--token", token);
  const lines = (await d.human("audit")).stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { number: 1, action: "asked", agent: "ci", to: "ada", surface: "cli", verified: false },
    { number: 2, action: "answered", agent: "ada", to: "ci", choice: "yes", surface: "cli", verified: true },
  ]);
});

test.each(["a file", "a hub"])(
  "[A5.4] [A5.8] on %s, no name answers for the person in the shell of an agent program; what main was asked itself, it answers",
  async (what) => {
    using d = await desk();
    await using hub = what === "a hub" ? await served(d.db) : undefined;
    const db = hub?.url ?? d.db;
    const typed = (env: Record<string, string>, ...args: string[]) =>
      run([...args, "--json", "--db", db], { cwd: d.path, env });
    const ask = (to: string) => typed({}, "ask", to, "Deploy?", "--choices", "yes,no", "--agent", "bot");
    const number = (answer: { json: { messages: { id: number }[] } }) => String(answer.json.messages[0]!.id);
    await ask("user");
    const [entry] = (await typed({}, "entries", "list")).json.entries;
    for (const mark of ["AI_AGENT", "CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"])
      for (const args of [
        ["answer", entry.message_id, "yes"],
        ["entries", "reply", entry.id, "yes"],
      ]) {
        const refused = await typed({ [mark]: "1" }, ...args);
        expect([refused.code, refused.json.error.code]).toEqual([30, "not_allowed"]);
      }
    for (const args of [
      ["answer", entry.message_id, "yes"],
      ["entries", "reply", entry.id, "yes"],
    ])
      for (const refused of [
        await typed({ CLAUDECODE: "1" }, ...args, "--agent", "user"),
        await typed({ CLAUDECODE: "1", INBOX_AGENT: "user" }, ...args),
      ]) {
        expect([refused.code, refused.json.error.code]).toEqual([30, "not_allowed"]);
        expect(refused.json.error.message).toEndWith(": a model cannot answer for the person");
      }
    expect((await typed({ CLAUDECODE: "" }, "answer", entry.message_id, "yes")).code).toBe(0);
    await ask("main");
    const own = number(await typed({}, "mail", "--agent", "main"));
    expect((await typed({ CLAUDECODE: "1" }, "answer", own, "yes")).code).toBe(0);
  },
);

test("[A5.8] the same for a model behind an MCP server that uses a hub", async () => {
  using d = await desk();
  await using hub = await served(d.db);
  await d.inbox("ask", "user", "Deploy?", "--choices", "yes,no", "--agent", "bot");
  const [entry] = (await d.inbox("entries", "list")).json.entries;
  await using model = await overStdio(hub.url, revisions[0]);
  const question = Number(entry.message_id.slice("msg_".length));
  const asUser = await model.call("answer", { question, choice: "yes", from: "user" });
  expect(asUser.text).toContain(`was asked of "user": a model cannot answer for the person`);
  const byModel = await model.call("answer", { question, choice: "yes" });
  expect(byModel.text).toContain(`was asked of "user": "main" cannot answer for the person`);
});

test("[A5.9] whoever is asked reads how to answer, as a command that works as it is", async () => {
  using d = await desk();
  const ada = ["--agent", "ada"];
  const command = /answer with: inbox (.+)$/m;
  const words = (text: string) =>
    [...command.exec(text)![1]!.matchAll(/"([^"]*)"|\S+/g)].map(([whole, quoted]) => quoted ?? whole);
  for (const reading of ["mail", "check", "receive"]) {
    await d.inbox("ask", "ada", "How far?", "--agent", "leader");
    const open = (await d.human(reading, ...ada)).stdout;
    expect(words(open).slice(2)).toEqual(["--message", "…", ...ada]);
    expect((await d.human(...words(open))).stdout).toBe("answered leader\n");
  }
  await d.inbox("ask", "ada", "Go?", "--choices", "go on,wait", "--agent", "leader");
  const offered = (await d.human("receive", ...ada)).stdout;
  expect(offered).toContain("\n  choices go on | wait\n");
  expect(offered).toContain(" 'go on' --agent ada\n");
  const { id } = /^(?<id>\d+) /.exec(offered)!.groups!;
  const wrong = await d.human("answer", id!, "stop", ...ada);
  expect(wrong.stderr).toContain("hint  it offers go on, wait");
  expect((await d.human("answer", "--help")).stdout).toContain('inbox answer 12 "about half" --agent ada');
});

test("[A7.2] the record says that there is nothing newer than a number", async () => {
  using d = await desk();
  expect((await d.human("audit")).stderr).toBe("nothing has been asked or answered yet\n");
  await d.inbox("ask", "ada", "How far?", "--agent", "leader");
  const none = await d.human("audit", "--after", "18");
  expect([none.code, none.stdout, none.stderr]).toEqual([
    0,
    "",
    "nothing newer: the last record is number 1\n",
  ]);
  const theirs = await d.human("audit", "--after", "1", "--of", "leader");
  expect(theirs.stderr).toBe('nothing newer: the last record of "leader" is number 1\n');
});

test("[A5.1] more choices than there are exit codes are refused where the exit code is the choice", async () => {
  using d = await desk();
  const eleven = ["--choices", [..."abcdefghijk"].join(",")];
  const refused = await d.human("ask", "ada", "Which?", ...eleven, "--wait", "--timeout-seconds", "0");
  expect([refused.code, refused.stderr]).toEqual([
    30,
    expect.stringContaining(
      "--choices lists 11 answers, at most 10 are allowed where the exit code is the choice",
    ),
  ]);
  expect((await d.inbox("mail", "--agent", "ada")).json.messages).toEqual([]);
  expect((await d.human("ask", "ada", "Which?", ...eleven)).code).toBe(0);
});
