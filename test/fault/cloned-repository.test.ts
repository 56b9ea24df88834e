/** Whatever a repository brings, cloning it and asking for mail runs nothing of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../src/engines/engine.ts";
import { openEngine } from "../../src/engines/registry.ts";
import { supervise } from "../../src/orch/supervisor.ts";
import { type Result, root, run } from "../support/cli.ts";
import { type Clone, clone, git, type Prepared, preparedRepository } from "../support/clone.ts";
import { temporaryFolder } from "../support/folder.ts";
import { ask } from "../support/hub.ts";
import { overStdioAt } from "../support/mcp.ts";
import { testPlatform } from "../support/platform.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";
import { sitDown } from "../support/terminal.ts";
import { until } from "../support/until.ts";

let repository: Prepared;
beforeAll(async () => {
  repository = await preparedRepository();
});
afterAll(() => repository[Symbol.dispose]());

const approval = (one: Clone) => `inbox trust --db ${one.db}`;

function expectNothingStarted(one: Clone): void {
  expect(one.supervised()).toBe(false);
  expect(one.ran()).toBe(false);
}

const looking: { program: "inbox" | "orch"; args: string[] }[] = [
  { program: "inbox", args: ["mail"] },
  { program: "inbox", args: ["check"] },
  { program: "inbox", args: ["list"] },
  { program: "inbox", args: ["agents"] },
  { program: "inbox", args: ["search", "build"] },
  { program: "inbox", args: ["msg", "channels"] },
  { program: "inbox", args: ["send", "ada", "hello"] },
  { program: "inbox", args: ["receive", "--agent", "ada", "--timeout-seconds", "0"] },
  { program: "orch", args: ["queue"] },
  { program: "orch", args: ["push", "name=more", "more"] },
];

test.each(looking)(
  "[X7] $program $args in a clone works, starts nothing, and reports it in one line",
  async (command) => {
    using one = clone(repository);
    const answer: Result = await one[command.program](...command.args, "--json");
    expect([0, 10]).toContain(answer.code);
    expect(answer.stdout.trim().split("\n")).toHaveLength(1);
    expect(() => answer.json).not.toThrow();
    expect(answer.stderr.trim().split("\n")).toHaveLength(1);
    expect(answer.stderr).toContain(approval(one));
    expectNothingStarted(one);
  },
);

test("[X7] the plugin's Stop hook starts nothing in a clone", async () => {
  using one = clone(repository);
  const PATH = `${join(root, "dist")}:${process.env.PATH}`;
  await run([], {
    cwd: one.path,
    env: { ...one.env, PATH },
    program: [join(root, "plugin/hooks/new-mail.sh")],
    stdin: "{}",
  });
  expectNothingStarted(one);
});

test("[X7] over MCP in a clone mail works, nothing is started, and assign is refused with the command to run", async () => {
  using one = clone(repository);
  await using visitor = await overStdioAt({ cwd: one.path, env: one.env }, one.db, "2026-07-28", "ada");
  expect((await visitor.call("send_message", { receiver_id: "bob", message: "hello" })).failed).toBe(false);
  const refused = await visitor.call("assign", { profile: "build", message: "build" });
  expect(refused.failed).toBe(true);
  expect(refused.text).toContain(approval(one));
  expectNothingStarted(one);
});

test.each(["run", "assign build go", "handoff build go", "supervise"].map((command) => ({ command })))(
  "[X7] orch $command in a clone is refused where nobody can be asked",
  async ({ command }) => {
    using one = clone(repository);
    const { code, json } = await one.orch(...command.split(" "), "--json");
    expect(code).toBe(30);
    expect(json.error.code).toBe("not_allowed");
    expect(json.error.hint).toContain(approval(one));
    expectNothingStarted(one);
    expect((await one.orch("queue", "--all", "--json")).json.queued).toHaveLength(1);
  },
);

test("[X7] trust shows all that it approves: the whole profile file, and every line of what waits", async () => {
  using one = clone(repository);
  const hidden = 'env = { NODE_OPTIONS = "--require ./setup.js" }';
  writeFileSync(join(one.path, ".agents/agents.toml"), `[runners.claude]\npermission = "allow"\n${hidden}\n`);
  await one.orch("push", "name=ml", "profile=claude", "echo harmless\ntouch /tmp/second-line");
  const shown = await one.inbox("trust");
  expect(shown.code).toBe(30);
  expect(shown.stderr).toContain(hidden);
  expect(shown.stderr).toContain("touch /tmp/second-line");
  expect(shown.stderr).toContain(one.path);
  const { json } = await one.inbox("trust", "--json");
  expect(json.error.details.content).toContain(hidden);
  expectNothingStarted(one);
});

test("[X7] on a terminal orch run shows what would be run and asks; no starts nothing, yes starts it", async () => {
  using one = clone(repository);
  const orchHere = { INBOX_PROGRAM: "orch", ...one.env };
  {
    await using seat = sitDown(["run"], one.path, orchHere);
    const shown = await seat.sees("[y/N]");
    expect(shown).toContain("tools/build.sh");
    expect(shown).toContain("build");
    seat.type("n\r");
    expect(await seat.exited).toBe(30);
    expectNothingStarted(one);
  }
  await using seat = sitDown(["run"], one.path, orchHere);
  await seat.sees("[y/N]");
  seat.type("y\r");
  expect(await seat.exited).toBe(0);
  await until("one.ran()", () => one.ran());
});

test("[X7] a hub in a clone serves and does not supervise, reports it, and starts once it is approved", async () => {
  using one = clone(repository);
  const child = Bun.spawn([join(root, "dist/inbox"), "serve", "--port", "0", "--json"], {
    cwd: one.path,
    env: { PATH: process.env.PATH ?? "", ...testPlatform(), ...one.env },
    stdout: "pipe",
    stderr: "pipe",
  });
  try {
    const first = async (stream: ReadableStream<Uint8Array>) => {
      for await (const bytes of stream) return new TextDecoder().decode(bytes);
      return "";
    };
    const [said, complaint] = await Promise.all([first(child.stdout), first(child.stderr)]);
    const hub = ask(JSON.parse(said).url);
    expect(complaint).toContain(approval(one));
    expect((await hub("GET /api/tasks")).status).toBe(200);
    const refused = await hub("POST /api/tasks/run", { agent: "main" });
    expect(refused.status).toBe(403);
    expect(refused.json.error.hint).toContain(approval(one));
    expectNothingStarted(one);
    expect((await one.inbox("trust", "--yes")).code).toBe(0);
    await until("one.ran()", () => one.ran());
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});

test("[X7] a hub that may not supervise rests between its looks, and tells its reason once", async () => {
  using one = clone(repository);
  const opened = openEngine(one.db);
  const over = new AbortController();
  const rests: (number | undefined)[] = [];
  const complaints: string[] = [];
  // Stands for the engine's wake-ups: no time passes.
  const subscribe: Engine["subscribe"] = () => ({
    next: async ({ atMost } = {}) => {
      if (rests.push(atMost) === 3) over.abort();
    },
    close: () => {},
  });
  await supervise({
    engine: { ...opened, subscribe },
    db: one.db,
    url: null,
    env: one.env,
    holder: "hub",
    signal: over.signal,
    forever: true,
    complain: (message) => complaints.push(String(message)),
  });
  await opened.close();
  expect(rests).toEqual([2000, 2000, 2000]);
  expect(complaints).toHaveLength(1);
  expectNothingStarted(one);
});

test("[X7] inbox trust shows runners, gates and waiting tasks, and approves nothing without a word", async () => {
  using one = clone(repository);
  const shown = await one.inbox("trust");
  expect(shown.code).toBe(30);
  expect(shown.stderr).toContain(join(one.path, "tools/build.sh"));
  expect(shown.stderr).toContain("--yes");
  const { json } = await one.inbox("trust", "--json");
  expect(json.error.details).toMatchObject({ trusted: false });
  expect(json.error.details.waiting).toEqual([
    { name: "build", profile: "build", cwd: "/", prompt: "build" },
  ]);
  await one.inbox("mail");
  expectNothingStarted(one);
});

test("[X7] an approval covers exactly one state: a changed profile file, another clone, and a revoked one ask again", async () => {
  using one = clone(repository);
  expect((await one.inbox("trust", "--yes", "--json")).json.trusted).toBe(true);
  expect((await one.inbox("trust", "--json")).code).toBe(0);
  const profiles = join(one.path, ".agents/agents.toml");
  const before = await Bun.file(profiles).text();
  writeFileSync(profiles, `${before}# changed\n`);
  expect((await one.orch("assign", "build", "go", "--json")).json.error.message).toContain(profiles);
  writeFileSync(profiles, before);
  expect((await one.inbox("trust", "--json")).code).toBe(0);
  expect((await one.inbox("trust", "--revoke", "--json")).json.trusted).toBe(false);
  expect((await one.orch("run", "--json")).code).toBe(30);

  using other = clone(repository);
  const elsewhere = await run(["run", "--json"], {
    cwd: other.path,
    env: { ...other.env, XDG_STATE_HOME: one.env.XDG_STATE_HOME! },
    program: [join(root, "dist/orch")],
  });
  expect(elsewhere.code).toBe(30);
});

test("[X7] a database that a checkout has put in the place of the user's own is not trusted", async () => {
  using one = clone(repository);
  one.git("rm", "--quiet", "-r", ".agents");
  one.git("commit", "--quiet", "--message", "mine");
  expect((await one.inbox("init", "--json")).json).toMatchObject({ created: true, trusted: true });
  expect((await one.orch("run", "--json")).code).toBe(0);
  one.git("checkout", "--quiet", "--force", "HEAD~1");
  expect((await one.orch("run", "--json")).code).toBe(30);
  expectNothingStarted(one);
});

test("[X7] a bus made by init is trusted, an agents.toml that is there already or comes later is not until it is approved", async () => {
  using one = clone(repository);
  one.git("rm", "--quiet", "--cached", ".agents/coord.db");
  Bun.spawnSync(["rm", one.db]);
  expect((await one.inbox("init", "--json")).json).toMatchObject({ created: true, trusted: true });
  const refused = await one.orch("assign", "build", "go", "--json");
  expect(refused.code).toBe(30);
  expect(refused.json.error.message).toContain("agents.toml");
  expect(one.ran()).toBe(false);
  expect((await one.inbox("trust", "--yes")).code).toBe(0);
  expect((await one.orch("handoff", "build", "go", "--json")).code).toBe(0);
  expect(one.ran()).toBe(true);
});

describe("containers and CI", () => {
  test("[X7] name the folder with --trust or INBOX_TRUST", async () => {
    using one = clone(repository);
    expect((await one.orch("handoff", "build", "go", "--trust", ".", "--json")).code).toBe(0);
    expect(one.ran()).toBe(true);
    using other = clone(repository);
    const INBOX_TRUST = `/nowhere:${other.path}`;
    const env = { ...other.env, INBOX_TRUST };
    const program = [join(root, "dist/orch")];
    expect((await run(["handoff", "build", "go"], { cwd: other.path, env, program })).code).toBe(0);
  });

  test("[X7] a relative folder in INBOX_TRUST is refused, and a folder beside the named one is not meant", async () => {
    using one = clone(repository);
    const program = [join(root, "dist/orch")];
    const tried = (INBOX_TRUST: string) =>
      run(["run", "--json"], { cwd: one.path, env: { ...one.env, INBOX_TRUST }, program });
    expect((await tried(".")).json.error.code).toBe("invalid_input");
    expect((await tried(one.path.slice(0, -1))).json.error.code).toBe("not_allowed");
    expectNothingStarted(one);
  });
});

test.each(["2", "4"])(
  "[S2] init and doctor warn when git tracks the database (index version %s)",
  async (version) => {
    using one = clone(repository);
    one.git("update-index", "--index-version", version);
    const made = await one.inbox("init", "--json");
    expect(made.json).toMatchObject({ created: false, trusted: false });
    expect(made.json.warnings.join()).toContain(one.db);
    const { checks } = (await one.inbox("doctor", "--json")).json;
    const named = (name: string) => checks.find((check: { name: string }) => check.name === name);
    expect(named("git")).toMatchObject({ status: "warn", fix: `git rm --cached ${one.db}` });
    expect(named("trust")).toMatchObject({ status: "warn" });
    one.git("rm", "--quiet", "--cached", ".agents/coord.db");
    expect((await one.inbox("init", "--json")).json.warnings).toBeUndefined();
  },
);

test("[X8] a log that a checkout has put beside the user's own database is not read into it", async () => {
  using folder = temporaryFolder();
  const here = { cwd: folder.path };
  await run(["init"], here);
  git(folder.path, "init", "--quiet");
  writeFileSync(join(folder.path, ".agents/coord.db-wal"), "not from SQLite", { mode: 0o644 });
  const refused = await run(["mail", "--json"], here);
  expect(refused.json.error.code).toBe("not_allowed");
  expect(refused.json.error.message).toContain("coord.db-wal");
});

test.skipIf(!postgresUrl)(
  "[Q8] profiles for a bus on a server are not the working directory's, but the user's own",
  async () => {
    using one = clone(repository);
    using place = await temporarySchema();
    const env = { ...one.env, INBOX_DB: place.url };
    const program = [join(root, "dist/orch")];
    const refused = await run(["assign", "build", "go", "--json"], { cwd: one.path, env, program });
    expect(refused.json.error.message).toContain('no profile "build"');
    const own = join(one.env.XDG_CONFIG_HOME!, "restante/agents.toml");
    await Bun.write(own, '[runners.mine]\ncommand = ["sh", "-c", "pwd"]\n');
    const done = await run(["handoff", "mine", "go", "--json"], { cwd: one.path, env, program });
    expect(done.code).toBe(0);
    expect(one.ran()).toBe(false);
    expect(existsSync(own)).toBe(true);
  },
);
