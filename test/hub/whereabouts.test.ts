/** Which hub serves a database, what is said of it, and what a hub leaves behind that may not listen. */
import { expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEngine } from "../../src/engines/registry.ts";
import { run } from "../../src/sql/procedure.ts";
import { insert } from "../../src/sql/table.ts";
import { supervision } from "../../src/sql/tables.ts";
import { run as cli, desk, program } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, served } from "../support/hub.ts";
import { until } from "../support/until.ts";

interface Check {
  name: string;
  status: string;
  detail: string;
}

async function hubCheck(db: string): Promise<string> {
  const { json } = await cli(["doctor", "--db", db, "--json"]);
  return json.checks.find(({ name }: Check) => name === "hub").detail;
}

test("[C8] [U1] doctor and workspace add name the hub that serves this database, at whatever port", async () => {
  using at = await desk();
  expect(await hubCheck(at.db)).toContain("none serves this database");
  const alone = await at.human("workspace", "add", ".", "--label", "x");
  expect(alone.stdout).toContain(
    "connects over MCP to a hub; none runs for this bus. inbox up starts one and prints its address, which is HUB in this command:\n",
  );
  expect(alone.stdout).not.toContain("3456");
  await using hub = await hubHere({ db: at.db });
  await until("doctor names the hub", async () =>
    (await hubCheck(at.db)).startsWith(`${hub.url} (process ${process.pid}) serves this database`),
  );
  const added = await at.human("workspace", "add", ".", "--label", "x");
  expect(added.stdout).toMatch(new RegExp(`inbox setup claude --url ${hub.url}/mcp/ws-[a-z0-9]{20}`));
  await hub.stop();
  expect(await hubCheck(at.db)).toContain("none serves this database");
});

test("[S3.4] status, up and doctor say of a hub of an older program that it is to be restarted", async () => {
  using at = await desk();
  await using hub = await served(at.db);
  const folder = `${at.db}-hub`;
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".json"))!);
  const { schema, ...older } = JSON.parse(readFileSync(file, "utf8"));
  expect(schema).toBeNumber();
  expect((await at.inbox("status")).json.hubs[0].outdated).toBeUndefined();
  for (const record of [older, { ...older, schema: schema - 1 }]) {
    writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
    for (const command of ["status", "up"]) {
      const { stdout } = await at.human(command);
      expect([command, stdout]).toEqual([
        command,
        expect.stringContaining(
          "it runs an older version, which may not know the schema of this one: stop it",
        ),
      ]);
    }
    const { checks, healthy } = (await at.inbox("doctor")).json;
    expect([healthy, checks.find(({ name }: Check) => name === "hub")]).toMatchObject([
      true,
      { status: "warn", detail: expect.stringContaining(`${hub.url} (process `) },
    ]);
  }
});

test("[U1.1] a hub that was killed is not named, although its lease lasts", async () => {
  using at = await desk();
  await using hub = await served(at.db);
  const added = () => cli(["workspace", "add", ".", "--label", "x", "--db", at.db, "--json"]);
  expect((await added()).json.hub_url).toBe(hub.url);
  hub.kill("SIGKILL");
  await hub.exited;
  expect((await added()).json.hub_url).toBeNull();
});

test("[C8.1] [U1.1] [Y6.7] a hub is found, too, while another process supervises the tasks of its bus", async () => {
  using at = await desk();
  const engine = openEngine(at.db);
  const lease = { holder: "another", leased_until: "9999", hub_url: null, process: null };
  await engine.write(() => run(insert(supervision, lease)));
  await engine.close();
  await using hub = await served(at.db);
  expect(await hubCheck(at.db)).toStartWith(`${hub.url} (process `);
  for (const db of [at.db, hub.url]) {
    const added = await cli(["workspace", "add", ".", "--label", "x", "--db", db]);
    expect(added.stdout).toContain(`connects over MCP to the hub at ${hub.url}; run:\n`);
    expect(added.stdout).toMatch(new RegExp(`inbox setup claude --url ${hub.url}/mcp/ws-[a-z0-9]{20}`));
    const { json } = await cli(["workspace", "add", ".", "--label", "x", "--db", db, "--json"]);
    expect(json.hub_url).toBe(hub.url);
  }
  await at.inbox("backup", "b.tar");
  const { json } = await at.inbox("restore", "b.tar", "--force");
  expect(json.error).toMatchObject({
    code: "busy",
    message: expect.stringContaining(`the hub at ${hub.url}`),
  });
});

test("[S2] a hub that is refused its address has created nothing", async () => {
  using folder = temporaryFolder();
  await using holder = await hubHere();
  const port = new URL(holder.url).port;
  for (const [args, code] of [
    [["--host", "0.0.0.0", "--port", "0"], "not_allowed"],
    [["--allow-host", "bus.example", "--port", "0"], "not_allowed"],
    [["--port", port], "storage"],
    [["--host", "192.0.2.1", "--port", "0"], "not_allowed"],
  ] as const) {
    const { json } = await cli(["serve", ...args, "--json"], { cwd: folder.path });
    expect([args, json.error.code, readdirSync(folder.path)]).toEqual([args, code, []]);
  }
});

test("[U5] [Y6] --data-dir holds the journal, also of a database file, and backup and restore find it there", async () => {
  using at = await desk();
  using other = temporaryFolder();
  await using hub = await hubHere({ db: at.db, dataDir: other.path, dev: true });
  const { workspace } = (await hub.ask("POST /api/workspaces", { path: at.path, label: "x" })).json;
  await hub.ask(`POST /api/workspaces/${workspace.workspaceId}/entries`, { comments: "look" });
  await until("the journal has the entry", () => {
    try {
      return readFileSync(join(other.path, "inbox/entries.jsonl"), "utf8").includes("look");
    } catch {
      return false;
    }
  });
  expect(readdirSync(join(at.path, ".agents"))).not.toContain("inbox");
  // A backup with the same folder has it, and restores it into the folder that it is given.
  expect((await at.inbox("backup", "b.tar", "--data-dir", other.path)).code).toBe(0);
  const restored = await at.inbox("restore", "b.tar", "--db", "new/bus.db", "--data-dir", "new/data");
  expect(restored.code).toBe(0);
  expect(readFileSync(join(at.path, "new/data/inbox/entries.jsonl"), "utf8")).toContain("look");
});

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
/** Root may read everything: then the program runs as a user who may not. */
const asNobody = isRoot
  ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", program]
  : [program];

test.skipIf(isRoot && !Bun.which("setpriv"))(
  "[S2] a folder .agents that cannot be read is not one without a database",
  async () => {
    using folder = temporaryFolder();
    const agents = join(folder.path, ".agents");
    chmodSync(folder.path, 0o755);
    mkdirSync(agents, { mode: 0o000 });
    if (isRoot) chownSync(agents, nobody, nobody);
    try {
      for (const db of [[], ["--db", join(agents, "coord.db")]]) {
        const { json, code } = await cli(["list", ...db, "--json"], { cwd: folder.path, program: asNobody });
        expect([code, json.error.code]).toEqual([50, "storage"]);
        expect(json.error.message).toContain(`${agents} cannot be read`);
        expect(json.error.hint).toContain(`chmod u+rx ${agents}`);
      }
    } finally {
      chmodSync(agents, 0o700);
    }
  },
);

test("[S4] a hub whose database file was deleted and created again acknowledges nothing, and is not ready", async () => {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  await using hub = await hubHere({ db, supervise: false });
  const message = { channel: "ada", content: "hello", sender: "lead" };
  expect((await hub.ask("POST /api/messages", message)).status).toBe(201);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(db + suffix, { force: true });
  expect((await cli(["init", "--db", db])).code).toBe(0);
  const refused = await hub.ask("POST /api/messages", message);
  expect(refused.status).toBeGreaterThanOrEqual(500);
  expect(refused.text).toContain("was deleted or replaced");
  expect((await hub.ask("GET /api/messages/inbox/ada")).text).toContain("was deleted or replaced");
  expect((await hub.ask("GET /readyz")).status).toBe(503);
});
