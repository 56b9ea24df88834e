/** [X12] [X15] What a sub-agent finds in its environment, where it lies, and which words of it are kept by nobody. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { InboxError } from "../../src/contract/errors.ts";
import { inherited } from "../../src/orch/inherited.ts";
import { openTranscript, readTranscript } from "../../src/orch/transcript.ts";
import { newToken } from "../../src/platform/token-text.ts";
import { orch, run } from "../support/cli.ts";
import { crew } from "../support/crew.ts";
import { temporaryFolder } from "../support/folder.ts";
import { served } from "../support/hub.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";

const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => line.split(/=(.*)/s, 2)),
  );

test("[X12] a sub-agent inherits a list of variables, and what its profile names; not whatever there is", async () => {
  using team = await crew('env = { COLOR = "red" }\npass_env = ["NAMED", "SOME_*"]\n');
  const env = {
    ...{ HOME: team.path, LC_ALL: "C.UTF-8", TERM: "dumb", INBOX_NOTE: "mine" },
    ...{
      NAMED: "1",
      SOME_KEY: "2",
      AWS_SECRET_ACCESS_KEY: "no",
      GITHUB_TOKEN: "no",
      LD_PRELOAD: "",
      PGPASSWORD: "no",
    },
  };
  await run(["assign", "name=sub", "--", "env"], { cwd: team.path, env, program: [orch] });
  const [told] = await team.hear();
  const found = variablesIn(told!.text);
  expect(found).toMatchObject({
    ...{ HOME: team.path, LC_ALL: "C.UTF-8", TERM: "dumb", COLOR: "red", NAMED: "1", SOME_KEY: "2" },
    ...{ INBOX_NOTE: "mine", INBOX_DB: team.db, INBOX_PROMPT: "env" },
  });
  for (const name of ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "LD_PRELOAD", "PGPASSWORD", "INBOX_KEEP"])
    expect(found[name]).toBeUndefined();
});

test("[X12] a built-in program keeps its own keys, and those of the cloud that serves its model", () => {
  const env = {
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "o",
    GEMINI_API_KEY: "g",
    AWS_REGION: "r",
    INBOX_TOKEN: "t",
  };
  const of = (kind: "claude" | "codex" | "gemini" | "command", more = {}) =>
    Object.keys(inherited({ ...env, ...more }, { kind, passEnv: ["INBOX_*"] }));
  expect(of("claude")).toEqual(["ANTHROPIC_API_KEY"]);
  expect(of("claude", { CLAUDE_CODE_USE_BEDROCK: "1" })).toContain("AWS_REGION");
  expect(of("codex")).toEqual(["OPENAI_API_KEY"]);
  expect(of("gemini")).toEqual(["GEMINI_API_KEY"]);
  expect(of("command")).toEqual([]);
});

test("[X12] a task is handed what its own pusher's environment says of what its profile names, and that is kept no longer than the task", async () => {
  using team = await crew('pass_env = ["NAMED"]\n');
  const push = (name: string, NAMED: string) =>
    run(["push", `name=${name}`, "--", 'echo "$NAMED $OTHER"'], {
      cwd: team.path,
      env: { HOME: team.path, NAMED, OTHER: "x" },
      program: [orch],
    });
  await push("first", "1");
  await push("second", "2");
  expect(await team.ask("select name, env_json from tasks order by task_number")).toEqual([
    { name: "first", env_json: '{"NAMED":"1"}' },
    { name: "second", env_json: '{"NAMED":"2"}' },
  ]);
  // One supervisor, with a third one's environment, runs both.
  await team.orch("run", "1");
  const told = [...(await team.hear()), ...(await team.hear())];
  expect(told.map(({ from, text }) => [from, text])).toEqual([
    ["first", "1 "],
    ["second", "2 "],
  ]);
  expect(await team.ask("select env_json from tasks where env_json is not null")).toEqual([]);
});

/** What it finds, and what comes of it when it drops its token, or makes one that may do more. */
const climb = [
  "env >found",
  "inbox agents --json >with",
  "INBOX_TOKEN= inbox token create --agent x --scope admin --json >without",
  "inbox token create --agent x --scope admin --json >more",
  "true",
].join("; ");

const places = [
  { name: "on a file", open: async () => ({ db: undefined, secret: undefined, close: () => {} }) },
  ...(postgresUrl
    ? [
        {
          name: "on Postgres",
          open: async () => {
            const place = await temporarySchema();
            return { db: place.url, secret: place.url, close: () => place[Symbol.dispose]() };
          },
        },
      ]
    : []),
];

for (const { name, open } of places)
  test(`[X12] where tokens are used a sub-agent gets a hub and its own token, and cannot become an admin, ${name}`, async () => {
    const place = await open();
    try {
      using team = await crew("", place.db);
      await team.inbox("token", "create", "--agent", "main", "--scope", "leader");
      await team.push("sub", climb);
      await team.orch("run");
      expect(await team.hear()).toMatchObject([{ success: true }]);
      refusedToClimb(team.path, place.secret ?? team.db);
    } finally {
      place.close();
    }
  });

test("[X12] the same at a hub that requires tokens: its address is all that a sub-agent gets", async () => {
  using team = await crew();
  const { token } = (await team.inbox("token", "create", "--agent", "main", "--scope", "leader")).json;
  await using hub = await served(team.db, "--auth");
  const env = { INBOX_DB: hub.url, INBOX_TOKEN: token };
  const words = ["handoff", "--json", "sh", climb];
  const { code, stdout } = await run(words, { cwd: team.path, env, program: [orch] });
  expect([code, stdout]).toEqual([0, expect.stringContaining('"success":true')]);
  expect(variablesIn(readFileSync(join(team.path, "found"), "utf8")).INBOX_DB).toBe(hub.url);
  refusedToClimb(team.path, team.db);
});

function refusedToClimb(folder: string, secret: string): void {
  const text = (file: string) => readFileSync(join(folder, file), "utf8");
  const found = variablesIn(text("found"));
  // A copy: the runtime's matcher writes into what it is given.
  expect({ ...found }).toMatchObject({
    INBOX_DB: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    INBOX_TOKEN: expect.stringMatching(/^rst_/),
  });
  for (const [name, value] of Object.entries(found))
    if (!["PATH", "PWD", "INBOX_PROMPT"].includes(name)) expect(value).not.toContain(secret);
  expect(JSON.parse(text("with")).ok).toBe(true);
  expect(JSON.parse(text("without")).error.code).toBe("unauthenticated");
  expect(JSON.parse(text("more")).error.code).toBe("not_allowed");
}

test("[X15] a token is in no transcript, no result and no log of the sub-agent that prints it, in one piece or two", async () => {
  using team = await crew();
  await team.inbox("token", "create", "--agent", "main", "--scope", "leader");
  const script = [
    'echo "my token is $INBOX_TOKEN"; echo "$INBOX_TOKEN" >&2',
    'printf "%s" "$INBOX_TOKEN" | head -c 20; sleep 0.2; printf "%s\\n" "$INBOX_TOKEN" | tail -c 18; echo bye; exit 3',
  ].join("; ");
  await team.push("sub", script);
  await team.orch("run");
  const [told] = await team.hear();
  expect(told).toMatchObject({ success: false, partial: expect.stringContaining("my token is rst_…") });
  const folder = `${team.db}-tasks/1`;
  for (const file of readdirSync(folder)) {
    expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
    expect(readFileSync(join(folder, file), "utf8")).not.toMatch(/rst_[\w-]{5}/);
  }
  expect(readFileSync(join(folder, "transcript.jsonl"), "utf8")).toContain("rst_…");
  expect(JSON.stringify(told)).not.toMatch(/rst_[\w-]{5}/);
});

test("[X15] a token that is cut in two by a pipe is withheld until all of it is there", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "transcript.jsonl");
  const transcript = openTranscript(path);
  const token = newToken();
  transcript.note({ kind: "output", text: `a ${token.slice(0, 9)}`, open: true });
  transcript.note({ kind: "error", text: "in between\n" });
  transcript.note({ kind: "output", text: `${token.slice(9)} z\n` });
  transcript.note({ kind: "output", text: "rst_ is how they begin, and rst_", open: true });
  transcript.close();
  const { entries } = readTranscript(path, 0, 100);
  const said = entries.filter(({ kind }) => kind === "output").map(({ text }) => text);
  expect(said.join("")).toBe("a rst_… z\nrst_ is how they begin, and rst_");
});

test("[X15] an error that repeats what was typed does not repeat a token", async () => {
  const token = newToken();
  expect(new InboxError("not_found", `no ${token}`, { hint: `not ${token}` }).shape()).toMatchObject({
    message: "no rst_…",
    hint: "not rst_…",
  });
  using folder = temporaryFolder();
  for (const words of [["list", token], ["show", "--thread", token], [token]]) {
    const { code, stdout, stderr } = await run(words, { cwd: folder.path, env: { INBOX_TOKEN: token } });
    expect([code === 0, (stdout + stderr).includes(token)]).toEqual([false, false]);
  }
});
