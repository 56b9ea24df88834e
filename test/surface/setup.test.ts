/** `inbox setup`: a client's own configuration, changed where it must be and nowhere else. */
import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setupClients } from "../../src/contract/operations/bus-setup.ts";
import { dropJson, parseJson, putJson } from "../../src/setup/jsonc.ts";
import { dropToml, putToml } from "../../src/setup/toml.ts";
import { bareEnvironment, program, run } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

/** A project and a home, with or without `inbox` on the path. */
function place(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const cwd = join(folder.path, "project");
  const home = join(folder.path, "home");
  const bin = join(folder.path, "bin");
  for (const path of [cwd, home, bin]) mkdirSync(path);
  symlinkSync(program, join(bin, "inbox"));
  const usual = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, ...env };
  const human = (...args: string[]) => run(["setup", ...args], { cwd, env: usual });
  return {
    cwd,
    home,
    human,
    setup: (...args: string[]) => human(...args, "--json"),
    read: (path: string) => readFileSync(join(folder.path, path), "utf8"),
    write: (path: string, text: string) => {
      mkdirSync(dirname(join(folder.path, path)), { recursive: true });
      writeFileSync(join(folder.path, path), text);
    },
    path: folder.path,
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

const files = {
  claude: ["project/.mcp.json", "home/.claude.json"],
  codex: ["project/.codex/config.toml", "home/.codex/config.toml"],
  gemini: ["project/.gemini/settings.json", "home/.gemini/settings.json"],
  cursor: ["project/.cursor/mcp.json", "home/.cursor/mcp.json"],
  vscode: ["project/.vscode/mcp.json", "home/.config/Code/User/mcp.json"],
  opencode: ["project/opencode.json", "home/.config/opencode/opencode.json"],
} as const;

const inWorkspace = ["mcp", "--db", "$" + "{workspaceFolder}/.agents/coord.db"];
const env = { INBOX_AGENT: "ada" };
const stdio = {
  claude: { mcpServers: { inbox: { type: "stdio", command: "inbox", args: ["mcp"], env } } },
  codex: {
    mcp_servers: {
      inbox: { command: "inbox", args: ["mcp"], env, env_vars: ["INBOX_DB", "INBOX_TOKEN"] },
    },
  },
  gemini: { mcpServers: { inbox: { command: "inbox", args: ["mcp"], env } } },
  cursor: { mcpServers: { inbox: { command: "inbox", args: inWorkspace, env } } },
  vscode: { servers: { inbox: { type: "stdio", command: "inbox", args: inWorkspace, env } } },
  opencode: { mcp: { inbox: { type: "local", command: ["inbox", "mcp"], environment: env } } },
};
const url = "http://127.0.0.1:3456/mcp?agent=ada";
const bearer = (variable: string) => ({ headers: { Authorization: `Bearer ${variable}` } });
const http = {
  claude: { mcpServers: { inbox: { type: "http", url, ...bearer("$" + "{INBOX_TOKEN}") } } },
  codex: { mcp_servers: { inbox: { url, bearer_token_env_var: "INBOX_TOKEN" } } },
  gemini: { mcpServers: { inbox: { httpUrl: url, ...bearer("$INBOX_TOKEN") } } },
  cursor: { mcpServers: { inbox: { url, ...bearer("$" + "{env:INBOX_TOKEN}") } } },
  vscode: { servers: { inbox: { type: "http", url, ...bearer("$" + "{env:INBOX_TOKEN}") } } },
  opencode: { mcp: { inbox: { type: "remote", url, ...bearer("{env:INBOX_TOKEN}") } } },
};
const parsed = (client: string, text: string) =>
  (client === "codex" ? Bun.TOML.parse(text) : JSON.parse(text)) as object;

test("[C7] every client gets its own form in its own file, once, and --remove leaves no trace", async () => {
  using at = place();
  for (const client of setupClients) {
    const [file] = files[client];
    const made = await at.setup(client, "--agent", "ada", "--yes");
    expect([client, made.code]).toEqual([client, 0]);
    expect(made.json).toMatchObject({ ok: true, file: join(at.path, file), changed: true, written: true });
    expect(made.json.diff).toContain("+++ ");
    expect(parsed(client, at.read(file))).toEqual(stdio[client]);
    expect(at.read(file)).toEndWith("\n");
    const again = await at.setup(client, "--agent", "ada");
    expect([again.code, again.json.changed, again.json.written, again.json.diff]).toEqual([
      0,
      false,
      false,
      "",
    ]);
    expect((await at.setup(client, "--remove", "--yes")).json.written).toBe(true);
    expect(existsSync(join(at.path, file))).toBe(false);
    expect((await at.setup(client, "--remove")).json.changed).toBe(false);
  }
});

test("[C7] --scope user writes into the home folder, for its owner only; a hub is named by its address", async () => {
  using at = place({ INBOX_TOKEN: "secret-of-ada" });
  for (const client of setupClients) {
    const [, file] = files[client];
    const made = await at.setup(
      client,
      "--scope",
      "user",
      "--url",
      "http://127.0.0.1:3456/",
      "--agent",
      "ada",
      "--yes",
    );
    expect(made.code).toBe(0);
    expect(parsed(client, at.read(file))).toEqual(http[client]);
    expect(at.read(file)).not.toContain("secret-of-ada");
    expect(statSync(join(at.path, file)).mode & 0o777).toBe(0o600);
  }
  expect(readdirSync(at.cwd)).toEqual([]);
});

test("[C7] a hub's /mcp and a workspace's address are taken as they are, and come out again", async () => {
  using at = place();
  const url = "http://127.0.0.1:3456/mcp";
  for (const address of [url, `${url}/`, `${url}/ws-1`, `${url}/ws-1/`]) {
    expect((await at.setup("claude", "--url", address, "--yes")).code).toBe(0);
    expect(JSON.parse(at.read("project/.mcp.json")).mcpServers.inbox.url).toBe(address.replace(/\/$/, ""));
  }
  const { code, json } = await at.setup("claude", "--url", `${url}/ws-1`, "--agent", "ada", "--yes");
  expect([code, json.error.hint]).toEqual([30, "leave out --agent; inbox workspace list shows it"]);
  expect((await at.setup("claude", "--remove", "--yes")).code).toBe(0);
  expect(existsSync(join(at.cwd, ".mcp.json"))).toBe(false);
});

test("[C7] without anybody to ask nothing is written: the diff, exit 30, and what to add", async () => {
  using at = place();
  const asked = await at.human("claude");
  expect(asked.code).toBe(30);
  expect(asked.stdout).toContain('+    "inbox": {');
  expect(asked.stderr).toContain("add --yes");
  const json = await at.setup("claude");
  expect([json.code, json.json.error.code, json.json.error.details.written]).toEqual([
    30,
    "not_allowed",
    false,
  ]);
  expect(json.json.error.details.diff).toBe(asked.stdout);
  expect(readdirSync(at.cwd)).toEqual([]);
});

test.skipIf(!Bun.which("script"))("[C7] on a terminal a y writes, and anything else does not", async () => {
  using at = place();
  const onTerminal = async (answer: string) => {
    const child = Bun.spawn(["script", "-qec", `${program} setup claude`, "/dev/null"], {
      cwd: at.cwd,
      env: { PATH: process.env.PATH!, HOME: at.home, TERM: "dumb" },
      stdin: new TextEncoder().encode(answer),
      stdout: "pipe",
    });
    return { stdout: await new Response(child.stdout).text(), code: await child.exited };
  };
  const no = await onTerminal("n\n");
  expect(no.stdout).toContain("[y/N]");
  expect(no.stdout).toContain("was not changed");
  expect([no.code, readdirSync(at.cwd)]).toEqual([0, []]);
  const yes = await onTerminal("y\n");
  expect(yes.stdout).toContain("Changed ");
  expect([yes.code, readdirSync(at.cwd)]).toEqual([0, [".mcp.json"]]);
});

test("[C7] other entries, their order, comments, commas, indents and line ends stay, and come back", async () => {
  using at = place();
  const texts = [
    '{\n\t// keep me\n\t"inputs": [], /* and me */\n\t"servers": {\n\t\t"zoo": { "command": "zoo" }, // last\n\t},\n}\n',
    '{\n  "servers": {\n    "zoo": { "command": "zoo" } // last\n  },\n  "a": 1\n}',
    '{"servers":{"zoo":{"command":"zoo"}},"a":1}',
    '{\r\n    "a": 1\r\n}\r\n',
    "{\n  // nothing yet\n}\n",
    '\ufeff{\n  "a": [1, 2,],\n  "b": "// no comment"\n}\n',
  ];
  for (const text of texts) {
    at.write("project/.vscode/mcp.json", text);
    const made = await at.setup("vscode", "--yes");
    expect([text, made.code]).toEqual([text, 0]);
    const after = at.read("project/.vscode/mcp.json");
    for (const line of text.split("\n")) expect(after).toContain(line.replace(/[\s}]+$/, "").slice(0, 20));
    expect(parseJson(after.replace("\ufeff", ""), true)).toMatchObject({
      servers: { inbox: { type: "stdio" } },
    });
    expect(after.includes("\r\n")).toBe(text.includes("\r\n"));
    if (text.includes("\r\n")) expect(after).not.toMatch(/[^\r]\n/);
    expect(
      Bun.spawnSync(["patch", "-s", "-R", "-o", "-", join(at.cwd, ".vscode/mcp.json")], {
        stdin: Buffer.from(made.json.diff),
      }).stdout.toString(),
    ).toBe(text);
    await at.setup("vscode", "--remove", "--yes");
    expect(at.read("project/.vscode/mcp.json")).toBe(text);
  }
});

test("[C7] JSON: what stands around our entry keeps its lines, its comments and its commas", () => {
  const entry = { type: "stdio", args: ["mcp"] };
  const put = (text: string) => putJson(text, ["servers", "inbox"], entry);
  const zoo = '    "zoo": { "command": "zoo" }';
  const shown = '    "inbox": {\n      "type": "stdio",\n      "args": [\n        "mcp"\n      ]\n    }';
  const cases: [before: string, after: string][] = [
    [
      `{\n  "servers": {\n${zoo} // last\n  },\n  "a": 1\n}`,
      `{\n  "servers": {\n${zoo}, // last\n${shown}\n  },\n  "a": 1\n}`,
    ],
    [
      `{\n  "servers": {\n${zoo}, /* last */\n  },\n  "a": 1,\n}\n`,
      `{\n  "servers": {\n${zoo}, /* last */\n${shown},\n  },\n  "a": 1,\n}\n`,
    ],
    [
      `{\n  "servers": {\n    // none yet\n  },\n}\n`,
      `{\n  "servers": {\n    // none yet\n${shown}\n  },\n}\n`,
    ],
    [
      '{"servers":{"zoo":{"command":"zoo"}},"a":1}',
      '{"servers":{"zoo":{"command":"zoo"}, "inbox": {"type":"stdio","args":["mcp"]}},"a":1}',
    ],
  ];
  for (const [before, after] of cases) {
    expect(put(before)).toBe(after);
    expect(dropJson(after, ["servers", "inbox"])).toBe(before);
  }
});

test("[C7] TOML: only our table is touched, also with a subtable, and the rest stays to the letter", async () => {
  using at = place();
  const texts = [
    '# mine\nmodel = "x"\n\n[mcp_servers.zoo]\ncommand = "zoo" # yes\n\n# about the profile\n[profiles.a]\nb = 1\n',
    'model = "x"',
    "[[list]]\r\na = 1\r\n",
    'text = """\n[mcp_servers.zoo]\n"""\n\n\n',
  ];
  for (const text of texts) {
    at.write("project/.codex/config.toml", text);
    expect((await at.setup("codex", "--yes")).code).toBe(0);
    const after = at.read("project/.codex/config.toml");
    expect(after).toStartWith(text);
    expect(Bun.TOML.parse(after)).toMatchObject({ mcp_servers: { inbox: { command: "inbox" } } });
    await at.setup("codex", "--remove", "--yes");
    expect(at.read("project/.codex/config.toml")).toBe(text);
  }
  const own = `[mcp_servers.inbox]\ncommand = "inbox"\nargs = ["mcp"]\nstartup_timeout_sec = 20\n\n[mcp_servers.inbox.env]\nINBOX_AGENT = "bob"\nOTHER = "1"\n\n# next\n[tail]\na = 1\n`;
  at.write("project/.codex/config.toml", own);
  expect((await at.setup("codex", "--agent", "ada", "--yes")).code).toBe(0);
  const after = at.read("project/.codex/config.toml");
  expect(after).toEndWith("\n\n# next\n[tail]\na = 1\n");
  expect(Bun.TOML.parse(after)).toMatchObject({
    mcp_servers: { inbox: { startup_timeout_sec: 20, env: { INBOX_AGENT: "ada", OTHER: "1" } } },
    tail: { a: 1 },
  });
});

test("[C7] what a user added to the entry is kept, and a change of agent or place is the only difference", async () => {
  using at = place();
  at.write(
    "project/.mcp.json",
    '{ "mcpServers": { "inbox": { "command": "/old/inbox", "args": ["mcp"], "timeout": 9, "env": { "A": "1", "INBOX_AGENT": "bob" } } } }\n',
  );
  await at.setup("claude", "--agent", "ada", "--yes");
  expect(JSON.parse(at.read("project/.mcp.json")).mcpServers.inbox).toEqual({
    type: "stdio",
    command: "inbox",
    args: ["mcp"],
    env: { A: "1", INBOX_AGENT: "ada" },
    timeout: 9,
  });
  await at.setup("claude", "--url", "https://hub.example/", "--yes");
  expect(JSON.parse(at.read("project/.mcp.json")).mcpServers.inbox).toEqual({
    type: "http",
    url: "https://hub.example/mcp",
    timeout: 9,
  });
});

test("[C7] a broken file, a foreign entry or a form that cannot be changed is refused and untouched", async () => {
  using at = place();
  const cases: [string, string, string, number][] = [
    ["claude", "project/.mcp.json", '{ "mcpServers": {', 30],
    ["claude", "project/.mcp.json", '{ "mcpServers": {} } // no comments here', 30],
    ["claude", "project/.mcp.json", '{ "mcpServers": [] }', 30],
    ["claude", "project/.mcp.json", "[]", 30],
    ["claude", "project/.mcp.json", '{ "mcpServers": { "inbox": { "command": "mutt" } } }', 20],
    ["vscode", "project/.vscode/mcp.json", '{ "servers": {}, "servers": {} }', 30],
    ["vscode", "project/.vscode/mcp.json", '{ "a": 1 "b": 2 }', 30],
    ["vscode", "project/.vscode/mcp.json", "{ /* open", 30],
    ["codex", "project/.codex/config.toml", "[mcp_servers", 30],
    ["codex", "project/.codex/config.toml", 'mcp_servers = { zoo = { command = "zoo" } }\n', 30],
    [
      "codex",
      "project/.codex/config.toml",
      '[mcp_servers]\ninbox = { command = "inbox", args = ["mcp"] }\n',
      30,
    ],
  ];
  for (const [client, file, text, exit] of cases) {
    at.write(file, text);
    const refused = await at.setup(client, "--yes");
    expect([text, refused.code]).toEqual([text, exit]);
    expect(refused.json.error.hint).toContain("nothing was written");
    expect(at.read(file)).toBe(text);
    expect(readdirSync(dirname(join(at.path, file))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  }
  at.write("project/.mcp.json", '{ "mcpServers": { "inbox": { "command": "mutt" } } }');
  expect((await at.setup("claude", "--remove", "--yes")).code).toBe(20);
  writeFileSync(join(at.cwd, ".mcp.json"), Uint8Array.of(0x7b, 0xff, 0x7d));
  expect((await at.setup("claude", "--yes")).code).toBe(30);
  expect(readFileSync(join(at.cwd, ".mcp.json"))).toEqual(Buffer.from([0x7b, 0xff, 0x7d]));
});

test("[C7] permissions and links are kept, also a link to a file that is not there yet", async () => {
  using at = place();
  at.write("dotfiles/claude.json", '{ "a": 1 }\n');
  chmodSync(join(at.path, "dotfiles/claude.json"), 0o640);
  symlinkSync("../dotfiles/claude.json", join(at.home, ".claude.json"));
  expect((await at.setup("claude", "--scope", "user", "--yes")).code).toBe(0);
  expect(lstatSync(join(at.home, ".claude.json")).isSymbolicLink()).toBe(true);
  expect(statSync(join(at.path, "dotfiles/claude.json")).mode & 0o777).toBe(0o640);
  expect(JSON.parse(at.read("dotfiles/claude.json")).mcpServers.inbox.command).toBe("inbox");
  expect(readdirSync(join(at.path, "dotfiles"))).toEqual(["claude.json"]);
  symlinkSync("../dotfiles/new.json", join(at.cwd, ".mcp.json"));
  expect((await at.setup("claude", "--yes")).code).toBe(0);
  expect(JSON.parse(at.read("dotfiles/new.json")).mcpServers.inbox.command).toBe("inbox");
  await at.setup("claude", "--remove", "--yes");
  expect(lstatSync(join(at.cwd, ".mcp.json")).isSymbolicLink()).toBe(true);
  expect(at.read("dotfiles/new.json")).toBe("{}\n");
  expect((await at.setup("claude", "--yes")).code).toBe(0);
});

test("[C7] without inbox on the path the entry names this program; --db goes along, a password never", async () => {
  using at = place({ PATH: "/usr/bin:/bin" });
  await at.setup("claude", "--db", "other.db", "--yes");
  const entry = JSON.parse(at.read("project/.mcp.json")).mcpServers.inbox;
  expect(entry).toMatchObject({ command: program, args: ["mcp", "--db", join(at.cwd, "other.db")] });
  for (const args of [
    ["--db", "postgres://a:secret@db/x"],
    ["--url", "http://a:secret@hub"],
    ["--url", "ftp://hub"],
    ["--url", "http://hub", "--db", "x.db"],
  ]) {
    const refused = await at.setup("gemini", "--yes", ...args);
    expect([args, refused.code]).toEqual([args, 30]);
    expect(refused.stdout).not.toContain("secret");
  }
  expect((await at.setup("emacs")).json.error.message).toContain("claude, codex");
  expect(
    (await run(["setup", "claude", "--scope", "user", "--json"], { cwd: at.cwd, env: { HOME: "" } })).code,
  ).toBe(30);
});

test("[C7] opencode: the existing file, and version 2's table if it is used", async () => {
  using at = place();
  at.write(
    "project/opencode.jsonc",
    '{\n  "mcp": {\n    "servers": { "zoo": { "type": "local", "command": ["zoo"] } },\n  },\n}\n',
  );
  const before = at.read("project/opencode.jsonc");
  await at.setup("opencode", "--yes");
  expect(parseJson(at.read("project/opencode.jsonc"), true)).toMatchObject({
    mcp: { servers: { zoo: {}, inbox: { type: "local", command: ["inbox", "mcp"] } } },
  });
  expect(readdirSync(at.cwd)).toEqual(["opencode.jsonc"]);
  await at.setup("opencode", "--remove", "--yes");
  expect(at.read("project/opencode.jsonc")).toBe(before);
});

test("[C7] the entry that is written starts a server that answers", async () => {
  using at = place({ PATH: "/usr/bin:/bin" });
  await run(["init"], { cwd: at.cwd });
  await at.setup("claude", "--agent", "ada", "--yes");
  const { command, args, env } = JSON.parse(at.read("project/.mcp.json")).mcpServers.inbox;
  const hello = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const server = await run(args, {
    program: [command],
    cwd: at.cwd,
    env,
    stdin: `${JSON.stringify(hello)}\n`,
  });
  expect(JSON.parse(server.stdout.split("\n")[0]!).result.serverInfo.name).toBe("restante");
});

const opening = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  },
  { method: "notifications/initialized" },
];

/** A client that asks one thing after another, and ends when it has the last answer. */
async function conversation(
  entry: { command: string; args: string[] },
  cwd: string,
  env: Record<string, string>,
  ...asked: object[]
) {
  const server = Bun.spawn([entry.command, ...entry.args], {
    cwd,
    env: bareEnvironment(env),
    stdin: "pipe",
    stdout: "pipe",
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  const lines: Record<string, any>[] = [];
  const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (const message of [...opening, ...asked]) {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    server.stdin.flush();
    if (!("id" in message)) continue;
    while (!text.includes("\n")) text += (await reader.read()).value;
    const at = text.indexOf("\n");
    lines.push(JSON.parse(text.slice(0, at)));
    text = text.slice(at + 1);
  }
  server.stdin.end();
  await server.exited;
  return lines.slice(1);
}

const call = (id: number, name: string, args: object) => ({
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

test("[C7] [C9] [C5] what the README says: setup without a name, in a folder without a bus, gives tools that work", async () => {
  using at = place({ PATH: "/usr/bin:/bin" });
  const { json } = await at.setup("claude", "--yes");
  expect(json.agent).toBe("main");
  expect((await at.human("claude")).stdout).toContain("The agent is called main");
  expect((await at.setup("claude", "--agent", "ada", "--yes")).json.agent).toBe("ada");
  await at.setup("claude", "--yes");
  const entry = JSON.parse(at.read("project/.mcp.json")).mcpServers.inbox;
  const [listed, sent] = await conversation(
    entry,
    at.cwd,
    { HOME: at.home },
    { id: 2, method: "tools/list", params: {} },
    call(3, "send_message", { receiver_id: "main", message: "to myself" }),
  );
  expect(listed!.result.tools.length).toBeGreaterThan(5);
  expect(sent!.result.structuredContent.message).toMatchObject({ from_agent: "main", to_agent: "main" });
  expect(readdirSync(join(at.cwd, ".agents"))).toContain("coord.db");
});

test("[C5] listing tools creates no bus, and in a home folder none is created: every call says why", async () => {
  using at = place();
  const entry = { command: program, args: ["mcp"] };
  await conversation(entry, at.cwd, { HOME: at.home }, { id: 2, method: "tools/list", params: {} });
  expect(existsSync(join(at.cwd, ".agents"))).toBe(false);
  const [refused] = await conversation(
    entry,
    at.home,
    { HOME: at.home },
    call(2, "check_inbox", { timeout: 0 }),
  );
  expect(refused!.result.structuredContent.error).toMatchObject({ code: "not_initialized" });
  expect(refused!.result.structuredContent.error.hint).toContain("ask the person");
  expect(existsSync(join(at.home, ".agents"))).toBe(false);
  const token = { HOME: at.home, INBOX_TOKEN: "invented" };
  const [unknown] = await conversation(entry, at.cwd, token, call(2, "check_inbox", { timeout: 0 }));
  expect(unknown!.result.structuredContent.error.code).toBe("unauthenticated");
  expect(existsSync(join(at.cwd, ".agents"))).toBe(false);
});

test("[C7] any settings come back unchanged from adding and removing", () => {
  const units = ["\t", "  ", "    ", 0] as const;
  for (const unit of units)
    for (const value of [
      { a: 1 },
      { a: { b: [] }, mcpServers: { z: {} } },
      { mcpServers: { z: 1, "ü\n": [1] }, q: "\\" },
    ]) {
      const text = JSON.stringify(value, null, unit);
      const added = putJson(text, ["mcpServers", "inbox"], { command: "inbox" });
      expect(JSON.parse(added).mcpServers.inbox).toEqual({ command: "inbox" });
      expect(dropJson(added, ["mcpServers", "inbox"])).toBe(text);
    }
  for (const text of ["a = 1\n", "a = 1", "a = 1\n\n", "[x]\ny = 1\n# end\n"]) {
    const added = putToml(text, ["mcp_servers", "inbox"], {
      command: 'in"\\box',
      on: true,
      n: 1,
      t: { "a b": [] },
    });
    expect(Bun.TOML.parse(added)).toMatchObject({
      mcp_servers: { inbox: { command: 'in"\\box', t: { "a b": [] } } },
    });
    expect(dropToml(added, ["mcp_servers", "inbox"])).toBe(text);
  }
});
