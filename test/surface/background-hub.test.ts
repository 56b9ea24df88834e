/** The hub in the background: up, down, status, logs. */
import { expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { identityOf, lives } from "../../src/platform/processes/processes.ts";
import { end } from "../../src/service/background.ts";
import { isLost } from "../../src/service/hub-folder.ts";
import { openLog } from "../../src/service/hub-log.ts";
import { otherBusAt } from "../../src/service/hub-ports.ts";
import { propertyList } from "../../src/service/launchd.ts";
import { bareEnvironment, program, root, run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { endLeftByKilledRuns } from "../support/left-behind.ts";
import { canMakeNetworks } from "../support/network.ts";
import { freePort } from "../support/servers.ts";
import { until } from "../support/until.ts";

const plain = ["--manager", "process"];

function place(env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  return {
    path: folder.path,
    files: join(folder.path, ".agents/coord.db-hub"),
    inbox: (...args: string[]) => run([...args, "--json"], { cwd: folder.path, env }),
    human: (...args: string[]) => run(args, { cwd: folder.path, env }),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

test.skipIf(process.platform !== "linux")(
  "[N2] the hub of a test run that was killed is ended by the next run",
  async () => {
    using at = place();
    const preload = join(root, "test/support/cli.ts");
    const killed = `const { run } = await import(${JSON.stringify(preload)});
      const up = await run(["up", "--json", ...${JSON.stringify(plain)}], { cwd: ${JSON.stringify(at.path)} });
      console.log(up.json.hub.pid);
      setInterval(() => {}, 1000);`;
    const run = Bun.spawn([process.execPath, "-e", killed], { env: bareEnvironment(), stdout: "pipe" });
    const { value } = await run.stdout.getReader().read();
    const hub = Number(new TextDecoder().decode(value));
    // Before the run is killed: from then on any other file that begins may end its hub.
    expect(existsSync(`/proc/${hub}`)).toBe(true);
    run.kill("SIGKILL");
    await run.exited;
    endLeftByKilledRuns();
    await until("the hub is gone", () => !existsSync(`/proc/${hub}`));
  },
);

test.skipIf(process.platform !== "linux")(
  "[N2] a campaign that is stopped by a signal leaves no process and no file behind",
  async () => {
    // Two deep: agents of a campaign start programs of their own.
    const cli = JSON.stringify(join(root, "test/support/cli.ts"));
    const deep = `const { bareEnvironment } = await import(${cli});
      const { pid } = Bun.spawn(["sleep", "600"], { env: bareEnvironment(), detached: true });
      console.log(process.env.TMPDIR, pid);
      setInterval(() => {}, 1000);`;
    const campaign = `const { bareEnvironment } = await import(${cli});
      const env = { ...bareEnvironment(), TMPDIR: process.env.TMPDIR };
      Bun.spawn([process.execPath, "-e", ${JSON.stringify(deep)}], { env, stdout: "inherit", detached: true });
      setInterval(() => {}, 1000);`;
    const words = [process.execPath, join(root, "scripts/ending-all.ts"), process.execPath, "-e", campaign];
    const run = Bun.spawn(words, { env: bareEnvironment(), stdout: "pipe" });
    const { value } = await run.stdout.getReader().read();
    const [folder, pid] = new TextDecoder().decode(value).trim().split(" ");
    // One that has ended has none, also while nobody has taken note of its end.
    const command = () => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return "";
      }
    };
    await until("it runs", () => command() === "sleep\x00600\x00");
    expect(existsSync(folder!)).toBe(true);
    run.kill("SIGTERM");
    expect(await run.exited).toBe(143);
    expect([existsSync(folder!), command()]).toEqual([false, ""]);
  },
);

test("[N2] two ups at once start one hub; a killed one is noticed and started again at its address", async () => {
  using at = place();
  const none = await at.inbox("status");
  expect([none.code, none.json.error.code]).toEqual([40, "not_initialized"]);
  // The usual port another file's hub may take while this one is dead.
  const named = [...plain, "--port", String(freePort())];
  const [first, second] = await Promise.all([at.inbox("up", ...named), at.inbox("up", ...named)]);
  expect([first.code, second.code]).toEqual([0, 0]);
  expect([first.json.already, second.json.already].toSorted()).toEqual([false, true]);
  const { hub } = first.json;
  expect(second.json.hub.pid).toBe(hub.pid);
  expect((await (await fetch(`${hub.url}/healthz`)).json()) as object).toMatchObject({
    ok: true,
    pid: hub.pid,
  });
  const identity = identityOf(hub.pid);
  process.kill(hub.pid, "SIGKILL");
  await until("the hub has ended", () => !lives(identity));
  const dead = await at.inbox("status");
  expect([dead.code, dead.json.running, dead.json.hubs]).toEqual([10, false, []]);
  expect(readdirSync(at.files).filter((name) => name.startsWith("hub-"))).toEqual([]);
  const again = await at.inbox("up", ...plain);
  expect(again.json.hub.url).toBe(hub.url);
  const status = await at.inbox("status");
  // Whether it answers within a second is a matter of the machine.
  const { ready: _, ...restarted } = again.json.hub;
  expect([status.code, status.json.hubs]).toMatchObject([0, [restarted]]);
  const other = await at.inbox("up", "--port", "1");
  expect([other.code, other.json.error.code]).toEqual([20, "conflict"]);
  const down = await at.inbox("down");
  expect(down.json).toMatchObject({ stopped: [{ pid: again.json.hub.pid }], left: [], killed: false });
  expect((await at.inbox("down")).json).toMatchObject({ stopped: [] });
  expect(existsSync(`/proc/${again.json.hub.pid}/exe`)).toBe(false);
});

test("[N2] a file of another process with the same number does not count, and no process is killed for it", async () => {
  using at = place();
  await at.human("init");
  mkdirSync(at.files, { mode: 0o700 });
  const bystander = Bun.spawn(["sleep", "1000"]);
  try {
    const record = {
      url: "http://127.0.0.1:9",
      pid: bystander.pid,
      manager: "process",
      process: `nowhere ${bystander.pid}:1:x`,
    };
    // Of this host, and started at another time.
    const here = { ...record, process: `${(await import("node:os")).hostname()} ${bystander.pid}:1:x` };
    writeFileSync(join(at.files, `hub-${bystander.pid}.json`), JSON.stringify(here));
    writeFileSync(join(at.files, "hub-1.json"), "{ not whole");
    expect((await at.inbox("status")).json.hubs).toEqual([]);
    expect((await at.inbox("down")).json.stopped).toEqual([]);
    expect(bystander.exitCode).toBe(null);
  } finally {
    bystander.kill();
    await bystander.exited;
  }
});

test.each([
  ["file", (path: string) => ["", "-wal", "-shm"].map((end) => join(path, `.agents/coord.db${end}`))],
  ["folder", (path: string) => [join(path, ".agents")]],
] as const)(
  "[N2.8] a hub whose %s was deleted is shown and stopped, and nothing of its bus comes back",
  async (_, deleted) => {
    using at = place();
    using below = temporaryFolder();
    const { url, pid } = (await at.inbox("up", ...plain)).json.hub;
    for (const path of deleted(at.path)) rmSync(path, { recursive: true, force: true });
    const status = await at.inbox("status");
    expect([status.code, status.json.hubs]).toMatchObject([0, [{ pid, url, ready: false, lost: true }]]);
    expect((await at.human("status")).stdout).toContain("its database file was deleted or replaced");
    // Elsewhere there is none.
    expect((await run(["status", "--json"], { cwd: below.path })).json.error.code).toBe("not_initialized");
    const before = readdirSync(at.path);
    expect((await at.inbox("down")).json.stopped).toMatchObject([{ pid, lost: true }]);
    expect(await fetch(url).catch(() => "nobody")).toBe("nobody");
    expect(readdirSync(at.path)).toEqual(before);
    expect((await at.inbox("status")).json.error.code).toBe("not_initialized");
  },
);

test("[N2.8] up ends the hub of a bus that was deleted, and serves the new one in its place", async () => {
  using at = place();
  const first = (await at.inbox("up", ...plain)).json.hub;
  rmSync(join(at.path, ".agents"), { recursive: true });
  await at.inbox("init");
  const second = (await at.inbox("up", ...plain)).json;
  expect(second.already).toBe(false);
  expect(second.hub).not.toHaveProperty("lost");
  expect(second.hub.pid).not.toBe(first.pid);
  expect((await at.inbox("status")).json.hubs).toMatchObject([{ pid: second.hub.pid }]);
  expect((await at.inbox("down")).json.stopped).toHaveLength(1);
  expect(await fetch(first.url).catch(() => "nobody")).toBe("nobody");
});

/** What a hub of another host has left, with the pid of a process of this one. */
async function ofAnotherHost(at: ReturnType<typeof place>, state: string) {
  await at.human("init");
  const bystander = Bun.spawn(["sleep", "1000"]);
  const { pid } = bystander;
  const record = {
    ...{ url: "http://127.0.0.1:9", pid, manager: "process", startedAt: new Date().toISOString() },
    ...{ auth: false, version: "0.1.0", log: null, process: `another-host ${identityOf(pid)}` },
    database: { path: join(at.path, ".agents/coord.db"), file: "1:1" },
  };
  const files = {
    beside: join(at.files, `hub-${pid}.json`),
    user: join(state, `restante/hubs/hub-${pid}.json`),
  };
  return {
    pid,
    files,
    write(file: string, more: object = {}) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify({ ...record, ...more }), { mode: 0o600 });
    },
    /** Whether the process still runs. */
    isUntouched: () => bystander.exitCode === null && bystander.signalCode === null,
    async [Symbol.asyncDispose]() {
      bystander.kill();
      await bystander.exited;
    },
  };
}

test("[N2.9] a hub of another host is named by status, is a conflict for down, and no process here is killed for it", async () => {
  using state = temporaryFolder();
  using at = place({ XDG_STATE_HOME: state.path });
  await using other = await ofAnotherHost(at, state.path);
  other.write(other.files.beside);
  const status = await at.inbox("status");
  expect([status.code, status.json.running, status.json.hubs]).toEqual([10, false, []]);
  expect(status.json.elsewhere).toEqual([
    { host: "another-host", url: "http://127.0.0.1:9", pid: other.pid, file: other.files.beside },
  ]);
  const said = (await at.human("status")).stdout;
  expect(said).toContain("on host another-host");
  expect(said).toContain(other.files.beside);
  const down = await at.inbox("down");
  expect([down.code, down.json.error.code]).toEqual([20, "conflict"]);
  expect(down.json.error.message).toContain("on host another-host");
  const up = await at.inbox("up", ...plain);
  expect([up.code, up.json.already]).toEqual([0, false]);
  expect((await at.inbox("status")).json).toMatchObject({
    hubs: [{ pid: up.json.hub.pid }],
    elsewhere: [{ pid: other.pid }],
  });
  const ended = await at.inbox("down");
  expect([ended.code, ended.json.stopped.length, ended.json.elsewhere.length]).toEqual([0, 1, 1]);
  expect([other.isUntouched(), existsSync(other.files.beside)]).toEqual([true, true]);
});

test("[N2.9] a record of another host in the user's own folder is ignored, also where the database was replaced", async () => {
  using state = temporaryFolder();
  using at = place({ XDG_STATE_HOME: state.path });
  await using other = await ofAnotherHost(at, state.path);
  other.write(other.files.user);
  const below = join(at.path, "below");
  other.write(`${other.files.user.slice(0, -".json".length)}0.json`, {
    database: { path: join(below, ".agents/coord.db"), file: "1:1" },
  });
  mkdirSync(below);
  const status = await at.inbox("status");
  expect([status.code, status.json.hubs, status.json.elsewhere]).toEqual([10, [], undefined]);
  // The real bus above it is found.
  const found = await run(["status", "--json"], { cwd: below, env: { XDG_STATE_HOME: state.path } });
  expect(found.json.db).toBe(status.json.db);
  const up = await at.inbox("up", ...plain);
  expect([up.code, up.json.already]).toEqual([0, false]);
  const names = readdirSync(dirname(other.files.user)).filter((name) =>
    name.endsWith(`-${up.json.hub.pid}.json`),
  );
  expect(names).toEqual([`hub-${hostname()}-${up.json.hub.pid}.json`]);
  expect((await at.inbox("down")).json.stopped).toHaveLength(1);
  expect(readdirSync(dirname(other.files.user))).toHaveLength(2);
  expect(other.isUntouched()).toBe(true);
});

test("[N2.9] a hub of another host is never lost, and ending it is refused", async () => {
  using state = temporaryFolder();
  using at = place();
  await using other = await ofAnotherHost(at, state.path);
  other.write(other.files.beside);
  const record = JSON.parse(readFileSync(other.files.beside, "utf8"));
  expect(isLost(record)).toBe(false);
  expect(isLost({ ...record, process: `${hostname()} ${identityOf(other.pid)}` })).toBe(true);
  expect(await end(record).catch(({ code }) => code)).toBe("conflict");
  expect(other.isUntouched()).toBe(true);
});

test("[N2.9] a record of this host from an earlier boot is of a dead hub, and is removed", async () => {
  using state = temporaryFolder();
  using at = place({ XDG_STATE_HOME: state.path });
  await using other = await ofAnotherHost(at, state.path);
  const [pid, start] = identityOf(other.pid).split(":");
  for (const file of [other.files.beside, other.files.user])
    other.write(file, { process: `${hostname()} ${pid}:${start}:an-earlier-boot` });
  expect((await at.inbox("status")).json).toMatchObject({ running: false, hubs: [] });
  expect([other.files.beside, other.files.user].map((file) => existsSync(file))).toEqual([false, false]);
  expect(other.isUntouched()).toBe(true);
});

test("[N2] a port in use: another is taken, unless one was named; then nothing is left behind", async () => {
  using at = place();
  await at.inbox("init");
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  try {
    const named = await at.inbox("up", "--port", String(taken.port), ...plain);
    expect([named.code, named.json.error.code]).toEqual([50, "storage"]);
    expect(named.json.error.message).toContain(`port ${taken.port}`);
    writeFileSync(join(at.files, "port"), String(taken.port));
    const free = await at.inbox("up", ...plain);
    expect(free.code).toBe(0);
    expect(new URL(free.json.hub.url).port).not.toBe(String(taken.port));
    await at.inbox("down");
  } finally {
    taken.stop();
  }
});

test.each(["port", "host"])("[S2.7] up that cannot listen on its %s creates nothing", async (what) => {
  using at = place();
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  try {
    const flags = what === "port" ? ["--port", String(taken.port)] : ["--host", "192.0.2.1"];
    const refused = await at.human("up", ...flags, ...plain);
    expect(refused.code).toBe(50);
    expect(refused.stderr).toContain(
      what === "port"
        ? `port ${taken.port} on 127.0.0.1 is in use by another program`
        : "the hub cannot listen on 192.0.2.1 (",
    );
    expect(refused.stderr).toMatch(/^hint .*with --port/m);
    expect(readdirSync(at.path)).toEqual([]);
  } finally {
    taken.stop();
  }
});

test("[C13.5] the commands that up, status and logs name have the --db that was typed, and concern that bus", async () => {
  using at = place();
  using elsewhere = place();
  const db = join(at.path, "other bus.db");
  const [typed, word] = [["--db", db], `--db '${db}'`];
  await elsewhere.inbox("init");
  const none = await elsewhere.human("status", ...typed);
  expect(none.stdout).toContain(`inbox up ${word} starts one`);
  const up = await elsewhere.human("up", "--port", String(await freePort()), ...plain, ...typed);
  expect(up.stdout).toContain(`inbox status ${word}, inbox logs ${word}, inbox down ${word}\n`);
  expect(up.stdout).toContain(`inbox up ${word} starts it again`);
  const refused = await elsewhere.human("up", "--port", String(await freePort()), ...plain, ...typed);
  expect(refused.stderr).toContain(`inbox down ${word} stops it; then inbox up `);
  expect(refused.stderr).toContain(` ${word} starts it as you asked`);
  const down = await elsewhere.inbox("down", ...typed);
  expect(down.json.stopped).toHaveLength(1);
  // A command that was called without it is named without it.
  expect((await elsewhere.human("status")).stdout).toContain("; inbox up starts one");
});

test("[N2.7] logs --follow says on standard error that there is no log yet", async () => {
  using at = place();
  await at.inbox("init");
  const follower = start(["logs", "--follow"], { cwd: at.path });
  const { value } = await follower.stderr.getReader().read();
  expect(new TextDecoder().decode(value)).toMatch(
    /hub\.log does not exist yet; waiting for the background hub to create it/,
  );
  follower.kill("SIGTERM");
  await follower.exited;
});

test("[N2.10] [S2.8] two buses never get each other's port, and what was created is said", async () => {
  using state = temporaryFolder();
  const env = { XDG_STATE_HOME: state.path };
  using first = place(env);
  using second = place(env);
  const portOf = ({ json }: { json: { hub: { url: string } } }) => Number(new URL(json.hub.url).port);
  // Not 3456: other hubs of this machine come and go there.
  const port = await freePort();
  const one = await first.inbox("up", "--port", String(port), ...plain);
  expect([portOf(one), one.json.created, one.json.port_reason]).toEqual([port, true, undefined]);
  await first.inbox("down");
  await second.inbox("init");
  mkdirSync(second.files, { recursive: true, mode: 0o700 });
  writeFileSync(join(second.files, "port"), String(port));
  const two = await second.inbox("up", ...plain);
  expect(portOf(two)).not.toBe(port);
  const whose = `port ${port} belongs to the hub of ${join(first.path, ".agents/coord.db")}`;
  expect([two.json.created, two.json.port_reason]).toEqual([undefined, whose]);
  await second.inbox("down");
  const again = await first.inbox("up", ...plain);
  expect([portOf(again), again.json.port_reason]).toEqual([port, undefined]);
  await first.inbox("down");
  const located = (at: { path: string }) => join(at.path, ".agents/coord.db");
  expect(otherBusAt(port, located(second), env)).toBe(located(first));
  rmSync(located(first));
  expect(otherBusAt(port, located(second), env)).toBeUndefined();
});

// In a network of its own: hubs of this machine come and go at these ports.
test.skipIf(!canMakeNetworks())("[S2.7] [N2.4] up that finds all ports in use creates nothing", async () => {
  using at = place();
  const holder = `for (let port = 3456; port < 3476; port++) Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response("") });
    const up = Bun.spawnSync(${JSON.stringify([program, "up", ...plain, "--json"])}, { cwd: ${JSON.stringify(at.path)}, env: process.env });
    console.log(up.stdout.toString());
    process.exit(0);`;
  const inside = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", process.execPath, "-e", holder];
  const child = Bun.spawn(["unshare", "--net", ...inside], { env: bareEnvironment(), stdout: "pipe" });
  const { error } = JSON.parse(await new Response(child.stdout).text());
  expect([error.message, error.hint]).toEqual([
    "ports 3456 to 3475 are all in use",
    "choose another: inbox up --port 8080",
  ]);
  expect(readdirSync(at.path)).toEqual([]);
});

test("[N2.11] [N2.12] a port of another bus that is given is used, and given back", async () => {
  using state = temporaryFolder();
  const env = { XDG_STATE_HOME: state.path };
  using first = place(env);
  using second = place(env);
  const [port, own] = [await freePort(), await freePort()];
  const portAfter = async (at: typeof first, ...more: string[]) => {
    const { json } = await at.inbox("up", ...more, ...plain);
    return Number(new URL(json.hub.url).port);
  };
  expect(await portAfter(first, "--port", String(port))).toBe(port);
  await first.inbox("down");
  expect(await portAfter(second, "--port", String(own))).toBe(own);
  await second.inbox("down");
  const named = await second.human("up", "--port", String(port), ...plain);
  expect(named.stdout).not.toContain("because");
  expect(named.stdout).toContain(
    `warning port ${port} belongs to the hub of ${join(first.path, ".agents/coord.db")}, which is not running and gets it back`,
  );
  // The hub of the first bus starts elsewhere, and has its port again after that.
  const meanwhile = await first.inbox("up", ...plain);
  expect([Number(new URL(meanwhile.json.hub.url).port) === port, meanwhile.json.port_reason]).toEqual([
    false,
    `port ${port} is in use`,
  ]);
  for (const at of [first, second]) await at.inbox("down");
  expect([await portAfter(second), await portAfter(first)]).toEqual([own, port]);
  for (const at of [first, second]) await at.inbox("down");
  const served = start(["serve", "--port", String(port)], { cwd: second.path, env });
  try {
    const { value } = await served.stderr.getReader().read();
    expect(new TextDecoder().decode(value)).toContain(
      `belongs to the hub of ${join(first.path, ".agents/coord.db")}`,
    );
  } finally {
    served.kill();
    await served.exited;
  }
  expect(await portAfter(first)).toBe(port);
  await first.inbox("down");
});

test("[S2.8] serve and mcp say that they created the database", async () => {
  using at = place();
  const db = join(at.path, "typo.db");
  const served = start(["serve", "--port", String(await freePort()), "--db", db], { cwd: at.path });
  try {
    const { value } = await served.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toStartWith(`Created ${db}\n`);
  } finally {
    served.kill();
    await served.exited;
  }
  const mcp = start(["mcp", "--db", join(at.path, "other.db"), "--agent", "ada"], { cwd: at.path });
  try {
    for (const [id, method, params] of [
      [
        1,
        "initialize",
        { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      ],
      [2, "tools/call", { name: "check_inbox", arguments: { timeout: 0 } }],
    ] as const)
      mcp.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    await mcp.stdin.flush();
    const { value } = await mcp.stderr.getReader().read();
    expect(new TextDecoder().decode(value)).toBe(`created ${join(at.path, "other.db")}\n`);
  } finally {
    mcp.kill();
    await mcp.exited;
  }
});

test("[N2] [O5] a hub that requires tokens gets one, shown once; its log has requests and no secret, and can be followed", async () => {
  using at = place();
  const up = await at.inbox("up", "--auth", ...plain);
  const { token, hub } = up.json;
  expect(token).toMatch(/^rst_/);
  const asked = await fetch(`${hub.url}/api/threads`, { headers: { authorization: `Bearer ${token}` } });
  expect(asked.status).toBe(200);
  expect((await fetch(`${hub.url}/api/agents?token=${token}`)).status).toBe(401);
  const follower = start(["logs", "--follow", "--json"], { cwd: at.path });
  let seen = "";
  for await (const bytes of follower.stdout) {
    seen += new TextDecoder().decode(bytes);
    if (seen.includes('"status":401')) break;
  }
  follower.kill();
  const { lines } = (await at.inbox("logs")).json;
  expect(lines.map(({ event }: { event: string }) => event)).toEqual(["started", "request", "request"]);
  expect(lines[1]).toMatchObject({ level: "info", operation: "threads.list", status: 200, agent: "user" });
  expect(lines[2]).toMatchObject({ level: "warn", operation: "agents.list", status: 401 });
  expect(seen + readFileSync(join(at.files, "hub.log"), "utf8")).not.toContain(token);
  expect((await at.human("logs", "--lines", "1")).stdout).toContain("operation=agents.list");
  expect((await at.inbox("down")).json.stopped).toHaveLength(1);
  expect((await at.inbox("up", ...plain)).json.token).toBe(null);
  await at.inbox("down");
});

test("[N2] [C17] a hub in the foreground is shown, left alone by down, and not put under another manager by up", async () => {
  using at = place();
  const foreground = start(["serve", "--port", "0", "--json"], { cwd: at.path });
  const { value } = await foreground.stdout.getReader().read();
  const { url, pid } = JSON.parse(new TextDecoder().decode(value));
  await until("it is noted", async () => (await at.inbox("status")).json.running);
  expect((await at.inbox("up")).json).toMatchObject({
    already: true,
    hub: { url, pid, manager: "foreground" },
  });
  const other = (await at.inbox("up", "--manager", "process")).json.error;
  expect([other.code, other.message]).toEqual(["conflict", expect.stringContaining("manager: foreground")]);
  expect((await at.inbox("down")).json).toMatchObject({ stopped: [], left: [{ pid }] });
  expect(foreground.exitCode).toBe(null);
  foreground.kill("SIGTERM");
  await foreground.exited;
  expect((await at.inbox("status")).json.hubs).toEqual([]);
});

test("[N2] launchd gets a property list that a Mac's parser accepts, and is refused on other systems", async () => {
  using at = place();
  const refused = await at.inbox("up", "--manager", "launchd");
  expect([refused.code, refused.json.error.code]).toEqual([30, "invalid_input"]);
  const unit = {
    ...{ id: "x", title: "t", words: ["/a b/inbox", "serve", "--db", "/x & y"], variables: { A: "<1>" } },
    ...{ folder: { start: "/s" } as never, env: {} },
  };
  const text = propertyList(unit);
  expect(text).toContain(
    "<array><string>/a b/inbox</string><string>serve</string><string>--db</string><string>/x &amp; y</string></array>",
  );
  expect(text).toContain("<dict><key>A</key><string>&lt;1&gt;</string></dict>");
});

test("[N2] systemd gets a unit for the bus, which down removes; if systemd refuses, a detached process is used", async () => {
  const tools = temporaryFolder();
  using _ = tools;
  // As much of both as up and down use: they run what the unit says.
  const script = `#!/bin/bash
echo "$(basename $0) $*" >> "${tools.path}/calls"
case "$*" in
  *show-environment*) exit 0;;
  *enable*--now*) [ -e "${tools.path}/refuse" ] && { echo "no linger" >&2; exit 1; }
    unit="$XDG_CONFIG_HOME/systemd/user/\${@: -1}"
    line=$(grep ^ExecStart= "$unit" | cut -d= -f2-)
    out=$(grep ^StandardOutput= "$unit" | cut -d: -f2-)
    vars=$(grep ^Environment= "$unit" | cut -d= -f2- | tr '\\n' ' ')
    eval "env $vars setsid $line >> '$out' 2>&1 &";;
esac
exit 0
`;
  const bin = join(tools.path, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "systemctl"), script);
  chmodSync(join(bin, "systemctl"), 0o755);
  const config = join(tools.path, "config");
  using at = place({ PATH: `${bin}:${process.env.PATH}`, XDG_CONFIG_HOME: config });
  const up = await at.inbox("up");
  expect(up.json).toMatchObject({ hub: { manager: "systemd" }, comes_back: "at login" });
  const [unit] = readdirSync(join(config, "systemd/user"));
  expect(statSync(join(config, "systemd/user", unit!)).mode & 0o077).toBe(0);
  expect((await at.inbox("down")).json.stopped).toHaveLength(1);
  expect(readdirSync(join(config, "systemd/user"))).toEqual([]);
  expect(readFileSync(join(tools.path, "calls"), "utf8")).toContain(`disable --now ${unit}`);
  writeFileSync(join(tools.path, "refuse"), "");
  const plainly = await at.inbox("up");
  expect(plainly.json).toMatchObject({ hub: { manager: "process" }, comes_back: "not" });
  expect(plainly.json.warnings[0]).toContain("no linger");
  await at.inbox("down");
});

test("[O5] a log that is followed shows each line once, also one that is written while the earlier ones are printed", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "hub.log");
  const line = (i: number) => `${JSON.stringify({ time: "t", level: "info", event: "request", i })}\n`;
  writeFileSync(file, line(1) + line(2));
  const { followLines } =
    require("../../src/service/log-lines.ts") as typeof import("../../src/service/log-lines.ts");
  const { last, coming } = followLines(file, 1, new AbortController().signal);
  appendFileSync(file, line(3));
  expect(last.map(({ i }) => i)).toEqual([2]);
  expect((await coming.next()).value).toMatchObject({ i: 3 });
  await coming.return(undefined);
});

test("[N2] [O5] a log is two files of a bounded size, and a crash's words in it are shown as they are", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "hub.log");
  const log = openLog({ format: "json", file, limit: 1000 });
  for (let i = 0; i < 100; i++) {
    log.write("info", "request", { i });
    if (i % 5 === 4) log.flush();
  }
  log.close();
  expect(statSync(file).size + statSync(`${file}.1`).size).toBeLessThanOrEqual(2000);
  appendFileSync(file, "panic: out of memory\n");
  const { lastLines } =
    require("../../src/service/log-lines.ts") as typeof import("../../src/service/log-lines.ts");
  const lines = lastLines(file, 3);
  expect(lines.map(({ i }) => i)).toEqual([98, 99, undefined]);
  expect(lines[2]).toEqual({ time: null, level: "error", event: "output", text: "panic: out of memory" });
});
