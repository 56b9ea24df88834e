/** The first five minutes of a new user. */
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { sitDown } from "../support/terminal.ts";
import { until } from "../support/until.ts";

/** A folder to work in, and a machine with Claude Code, Codex and a browser that only notes what it is asked to open. */
function newcomer() {
  const folder = temporaryFolder();
  const bin = join(folder.path, "bin");
  const work = join(folder.path, "work");
  for (const path of [bin, work]) mkdirSync(path);
  const program = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program("claude", "exit 1");
  program("codex", "exit 1");
  program("systemctl", "exit 1");
  program("browse", `echo "$1" >> ${join(folder.path, "opened")}`);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder.path,
    BROWSER: "browse",
    XDG_CONFIG_HOME: join(folder.path, "config"),
  };
  const opened = join(folder.path, "opened");
  return {
    ...{ path: work, env, opened },
    inbox: (...args: string[]) => run(args, { cwd: work, env }),
    async [Symbol.asyncDispose]() {
      await run(["down"], { cwd: work, env });
      folder[Symbol.dispose]();
    },
  };
}

test("[N1] bare inbox without a bus suggests quickstart, and lists the commands with one", async () => {
  await using me = newcomer();
  const first = await me.inbox();
  expect([first.code, first.stdout]).toEqual([30, ""]);
  expect(first.stderr).toContain("inbox quickstart");
  expect(first.stderr.split("\n").length).toBeLessThan(10);
  await me.inbox("init");
  expect((await me.inbox()).stderr).toContain("Usage: inbox COMMAND");
});

test("[N1] without a terminal quickstart asks nothing, opens nothing and changes no configuration; --yes does; again is harmless", async () => {
  await using me = newcomer();
  const first = await me.inbox("quickstart", "--json");
  expect(first.code).toBe(0);
  const { url, found, configured } = first.json;
  expect([found, configured]).toEqual([["claude", "codex"], []]);
  expect(existsSync(join(me.path, ".mcp.json"))).toBe(false);
  expect(existsSync(me.opened)).toBe(false);
  for (const command of ["inbox init", "inbox up", "inbox ask user"])
    expect(first.stderr).toContain(`$ ${command}`);
  const second = await me.inbox("quickstart", "--yes");
  expect([second.code, second.stderr]).toEqual([0, ""]);
  expect(second.stdout).toContain(`${url} (it was already running)`);
  expect(JSON.parse(readFileSync(join(me.path, ".mcp.json"), "utf8")).mcpServers.inbox).toBeDefined();
  expect(readFileSync(join(me.path, ".codex/config.toml"), "utf8")).toContain("[mcp_servers.inbox]");
  const entries = (await (await fetch(`${url}/api/inbox/history`)).json()) as {
    entries: { choices: string[] }[];
  };
  expect(entries.entries.map(({ choices }) => choices)).toEqual([["Got it", "Show me the demo"]]);
});

test("[N1] [N1.6] at a terminal each program is asked about, the page is opened, and a button pressed there arrives", async () => {
  await using me = newcomer();
  await using seat = sitDown(["quickstart"], me.path, me.env);
  await seat.sees("inbox setup claude");
  await seat.sees("[y/N]");
  seat.type("y\n");
  await seat.sees("inbox setup codex");
  await seat.sees("[y/N]");
  seat.type("n\n");
  await seat.sees("5. Your inbox: ");
  const url = /http:\/\/[\d.:]+/.exec(await seat.sees("\n"))![0];
  await seat.sees("press a button there");
  expect([existsSync(join(me.path, ".mcp.json")), existsSync(join(me.path, ".codex"))]).toEqual([
    true,
    false,
  ]);
  const { entries } = (await (await fetch(`${url}/api/inbox/history`)).json()) as {
    entries: { id: string }[];
  };
  await fetch(`${url}/api/inbox/${entries[0]!.id}/reply`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ choice: "Got it" }),
  });
  await seat.sees("you answered: Got it");
  expect(await seat.exited).toBe(0);
  // The question is answered: a second quickstart waits for nobody, also in a folder below.
  const below = join(me.path, "below");
  mkdirSync(below);
  for (const cwd of [me.path, below]) {
    await using again = sitDown(["quickstart", "--no-open"], cwd, { ...me.env, PATH: "/nonexistent" });
    await again.sees("(it was already asked)");
    await again.sees("that question is already answered");
    expect(await again.exited).toBe(0);
  }
  await until(
    "the browser was started",
    () => existsSync(me.opened) && readFileSync(me.opened, "utf8") !== "",
  );
  expect(readFileSync(me.opened, "utf8").trim()).toBe(url);
});

test.each(["Scatter", "│ adding them up"])(
  "[N3] a demo that is interrupted at %p leaves no folder and no hub",
  async (moment) => {
    using folder = temporaryFolder();
    await using seat = sitDown(["demo", "--no-open"], folder.path, { TMPDIR: folder.path });
    await seat.sees("inbox up");
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await seat.sees("Scatter"))![0];
    if (moment !== "Scatter") await seat.sees(moment);
    seat.type("\u0003");
    expect(await seat.exited).toBe(130);
    expect(await fetch(url).catch(() => "nobody")).toBe("nobody");
    expect([...new Bun.Glob("restante-demo-*").scanSync({ cwd: folder.path, onlyFiles: false })]).toEqual([]);
  },
);

test("[N3.5] the hub of a demo that was killed ends, and nobody has to run another demo for it", async () => {
  using folder = temporaryFolder();
  await using seat = sitDown(["demo", "--no-open"], folder.path, { TMPDIR: folder.path });
  await seat.sees("inbox up");
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await seat.sees("Scatter"))![0];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await seat[Symbol.asyncDispose]();
  await until("the hub has ended", async () => !(await fetch(url).catch(() => undefined)));
});

test("[N3.5] a demo ends the hub in the folder that a killed one has left, and no other hub", async () => {
  await using me = newcomer();
  const { url: mine } = (await me.inbox("up", "--json")).json.hub;
  const dead = Bun.spawn(["true"]);
  await dead.exited;
  // One was killed before it had a bus: from there, the next bus upwards is that of the user.
  const [left, empty] = ["a", "b"].map((end) => join(me.path, `restante-demo-${dead.pid}-${end}`));
  for (const path of [left!, empty!]) mkdirSync(path);
  const there = { cwd: left!, env: { ...me.env, XDG_STATE_HOME: join(left!, ".state") } };
  await run(["init"], there);
  const { url: old } = (await run(["up", "--json"], there)).json.hub;
  await using seat = sitDown(["demo", "--no-open"], me.path, { ...me.env, TMPDIR: me.path });
  await seat.sees("inbox init");
  expect([existsSync(left!), existsSync(empty!)]).toEqual([false, false]);
  expect(await fetch(old).catch(() => "nobody")).toBe("nobody");
  seat.type("\u0003");
  expect(await seat.exited).toBe(130);
  expect((await fetch(`${mine}/healthz`)).status).toBe(200);
});
