/** What stands in place of a bus's own files, brought by a repository or by another user, is neither read nor written. */
import { describe, expect, test } from "bun:test";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Result, root, run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { untilWatching } from "../support/until.ts";

const orch = [join(root, "dist/orch")];

/** A bus, and outside of it something that must stay as it is. */
async function target() {
  const folder = temporaryFolder();
  const path = join(folder.path, "project");
  const precious = join(folder.path, "precious");
  const drawer = join(folder.path, "drawer");
  mkdirSync(path);
  mkdirSync(drawer);
  writeFileSync(precious, "precious\n");
  utimesSync(precious, 1000, 1000);
  const inbox = (...args: string[]) => run([...args, "--json"], { cwd: path });
  expect((await inbox("init")).code).toBe(0);
  return {
    path,
    agents: (name: string) => join(path, ".agents", name),
    precious,
    drawer,
    inbox,
    orch: (...args: string[]) => run([...args, "--json"], { cwd: path, program: orch }),
    untouched() {
      expect(readFileSync(precious, "utf8")).toBe("precious\n");
      expect(statSync(precious).mtimeMs).toBe(1_000_000);
      expect(readdirSync(drawer)).toEqual([]);
    },
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

function expectRefused({ code, json }: Result, path: string): void {
  expect(json.error).toMatchObject({ code: "not_allowed" });
  expect(json.error.message).toContain(path);
  expect(code).toBe(30);
}

describe("a symbolic link", () => {
  test.each(["coord.db", "coord.db-wal", "coord.db-journal", "coord.db-shm"])(
    "[X8] as %s is refused",
    async (name) => {
      using bus = await target();
      const file = bus.agents(name);
      const moved = join(bus.path, "moved");
      if (existsSync(file)) renameSync(file, moved);
      symlinkSync(name === "coord.db" ? moved : bus.precious, file);
      expectRefused(await bus.inbox("send", "ada", "hello"), file);
      bus.untouched();
    },
  );

  test("[X8] as coord.db that leads nowhere is not made into a database elsewhere", async () => {
    using bus = await target();
    rmSync(bus.agents("coord.db"));
    symlinkSync(join(bus.drawer, "new.db"), bus.agents("coord.db"));
    expectRefused(await bus.inbox("init"), bus.agents("coord.db"));
    bus.untouched();
  });

  test("[X8] as .agents is refused, and so no program of this folder is taken for the other's", async () => {
    using bus = await target();
    const other = join(bus.path, "other");
    mkdirSync(other);
    symlinkSync(join(bus.path, ".agents"), join(other, ".agents"));
    expectRefused(await run(["mail", "--json"], { cwd: other }), join(other, ".agents"));
  });

  test.each(["entries.jsonl", "entries.lock"])(
    "[X8] as the journal's %s gets nothing: the message is stored, and a warning says why the journal is not",
    async (name) => {
      using bus = await target();
      mkdirSync(bus.agents("inbox"));
      symlinkSync(bus.precious, bus.agents(`inbox/${name}`));
      const sent = await bus.inbox("send", "user", "touch /tmp/owned");
      expect(sent.code).toBe(0);
      expect(sent.stderr).toContain("symbolic link");
      bus.untouched();
    },
  );

  test("[X8] in the place of what the journal is rewritten by is replaced, not followed", async () => {
    using bus = await target();
    await bus.inbox("send", "user", "hello");
    const [{ id }] = (await bus.inbox("entries", "list")).json.entries;
    for (const name of ["entries.jsonl.tmp", "entries.mark.tmp"])
      symlinkSync(bus.precious, bus.agents(`inbox/${name}`));
    expect((await bus.inbox("entries", "delete", id, "--at-once")).code).toBe(0);
    expect(readFileSync(bus.agents("inbox/entries.jsonl"), "utf8")).toBe("");
    bus.untouched();
  });

  test("[X8] as the journal's folder gets nothing", async () => {
    using bus = await target();
    symlinkSync(bus.drawer, bus.agents("inbox"));
    expect((await bus.inbox("send", "user", "hello")).stderr).toContain("symbolic link");
    bus.untouched();
  });

  test("[X8] as a wake file is neither written nor touched, and waiting works", async () => {
    using bus = await target();
    mkdirSync(bus.agents("coord.db-wake"));
    const names = [...Array(1024).keys()].map((n) => n.toString(16).padStart(3, "0"));
    for (const name of ["begun-1024", "ended-1024", "all", ...names])
      symlinkSync(bus.precious, bus.agents(`coord.db-wake/${name}`));
    const waiter = start(["receive", "--agent", "ada", "--json"], { cwd: bus.path });
    expect((await bus.inbox("send", "ada", "hello")).code).toBe(0);
    expect(await waiter.exited).toBe(0);
    bus.untouched();
  });

  test("[X8] as the folder of wake files gets nothing, and waiting works", async () => {
    using bus = await target();
    symlinkSync(bus.drawer, bus.agents("coord.db-wake"));
    const waiter = start(["receive", "--agent", "ada", "--json"], { cwd: bus.path });
    expect((await bus.inbox("send", "ada", "hello")).code).toBe(0);
    expect(await waiter.exited).toBe(0);
    bus.untouched();
  });

  test("[X8] as agents.toml is refused", async () => {
    using bus = await target();
    symlinkSync(bus.precious, bus.agents("agents.toml"));
    expectRefused(await bus.orch("agents"), bus.agents("agents.toml"));
    expectRefused(await bus.orch("push", "go"), bus.agents("agents.toml"));
  });

  test.each(["coord.db-tasks", "coord.db-tasks/1", "coord.db-tasks/bin"])(
    "[X8] as the folder %s gets nothing, and the task fails",
    async (name) => {
      using bus = await target();
      writeFileSync(bus.agents("agents.toml"), '[runners.sh]\ncommand = ["true"]\n');
      if (name.includes("/")) mkdirSync(bus.agents("coord.db-tasks"));
      symlinkSync(bus.drawer, bus.agents(name));
      const { code, json } = await bus.orch("handoff", "sh", "go");
      expect(code).toBe(1);
      expect(JSON.stringify(json)).toContain("symbolic link");
      bus.untouched();
    },
  );
});

test("[X8] a program that a checkout put on the path of sub-agents is not run", async () => {
  using bus = await target();
  writeFileSync(bus.agents("agents.toml"), '[runners.sh]\ncommand = ["sh", "-c", "tool"]\n');
  mkdirSync(bus.agents("coord.db-tasks/bin"), { recursive: true });
  writeFileSync(bus.agents("coord.db-tasks/bin/tool"), `#!/bin/sh\necho gone > ${bus.precious}\n`, {
    mode: 0o755,
  });
  const { code, json } = await bus.orch("handoff", "sh", "go");
  expect(code).toBe(1);
  expect(JSON.stringify(json)).toContain("coord.db-tasks/bin/tool");
  bus.untouched();
});

describe("a named pipe", () => {
  test("[X8] as agents.toml blocks nothing", async () => {
    using bus = await target();
    Bun.spawnSync(["mkfifo", bus.agents("agents.toml")]);
    expectRefused(await bus.orch("push", "go"), bus.agents("agents.toml"));
    expect((await bus.inbox("send", "ada", "hello")).code).toBe(0);
  });

  test("[X8] as the database, or as a wake file, blocks nothing", async () => {
    using bus = await target();
    mkdirSync(bus.agents("coord.db-wake"));
    Bun.spawnSync(["mkfifo", bus.agents("coord.db-wake/begun-1024")]);
    expect((await bus.inbox("send", "ada", "hello")).code).toBe(0);
    rmSync(bus.agents("coord.db"));
    Bun.spawnSync(["mkfifo", bus.agents("coord.db")]);
    expect((await bus.inbox("mail")).json.error.code).toBe("storage");
  });
});

const nobody = 65_534;

describe.skipIf(process.getuid?.() !== 0)("another owner's", () => {
  const distrusting = { INBOX_TRUST: "" };

  test.each(["", "coord.db", "coord.db-wal"])("[X8] .agents/%s is refused, also to root", async (name) => {
    using bus = await target();
    const waiter = start(["receive", "--agent", "ada"], { cwd: bus.path });
    await untilWatching(waiter); // its log is there
    waiter.kill("SIGKILL");
    await waiter.exited;
    chownSync(bus.agents(name), nobody, nobody);
    const answer = await run(["mail", "--json"], { cwd: bus.path, env: distrusting });
    expectRefused(answer, bus.agents(name).replace(/\/$/, ""));
    expect(answer.json.error.hint).toContain("INBOX_TRUST");
    const named = await run(["mail", "--json"], { cwd: bus.path, env: { INBOX_TRUST: bus.path } });
    expect(named.code).toBe(0);
  });

  test("[X8] agents.toml is refused", async () => {
    using bus = await target();
    writeFileSync(bus.agents("agents.toml"), '[runners.sh]\ncommand = ["true"]\n');
    chownSync(bus.agents("agents.toml"), nobody, nobody);
    const answer = await run(["push", "--json", "go"], { cwd: bus.path, env: distrusting, program: orch });
    expectRefused(answer, bus.agents("agents.toml"));
  });

  test("[N4.6] folder beside the database is not removed, whatever its name", async () => {
    using bus = await target();
    const ended = Bun.spawn(["true"]);
    await ended.exited;
    const theirs = bus.agents(`coord.db-work-${ended.pid}-abcdef`);
    mkdirSync(theirs);
    writeFileSync(join(theirs, "theirs"), "");
    chownSync(theirs, nobody, nobody);
    for (const args of [
      ["doctor", "--fix"],
      ["backup", join(bus.path, "backup.tar")],
    ])
      expect((await run(args, { cwd: bus.path, env: distrusting })).code).toBe(0);
    expect(readdirSync(theirs)).toEqual(["theirs"]);
  });

  test("[X7] record of trust is ignored", async () => {
    using bus = await target();
    using state = temporaryFolder();
    const env = { INBOX_TRUST: "", XDG_STATE_HOME: state.path };
    const runs = () => run(["run", "--json"], { cwd: bus.path, env, program: orch });
    expect((await run(["trust", "--yes"], { cwd: bus.path, env })).code).toBe(0);
    expect((await runs()).code).toBe(0);
    chownSync(join(state.path, "restante/trust"), nobody, nobody);
    expectRefused(await runs(), join(state.path, "restante/trust"));
  });
});
