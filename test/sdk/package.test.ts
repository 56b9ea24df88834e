/** The package as it is published, in a folder that has nothing else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { sharedBroker } from "../support/carried.ts";
import { root } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";
import { type Installed, installPackage, succeeds } from "../support/installed-package.ts";
import { postgresUrl, temporarySchema } from "../support/postgres.ts";
import { bashBlocks, blockWith, commandsInTable, programBlocks } from "../support/readme.ts";

const { node22 } = await import(join(root, "scripts/runtimes.mjs"));

let installed: Installed;
beforeAll(async () => {
  installed = await installPackage();
}, 240_000);
afterAll(() => installed?.[Symbol.dispose]());

const inPackage = (path: string) => join(installed.path, "node_modules/restante", path);
const bin = (name: string) => join(installed.path, "node_modules/.bin", name);

test("[I2] the published manifest is public, has a package for each platform and nothing to build", async () => {
  const published = JSON.parse(readFileSync(inPackage("package.json"), "utf8"));
  expect(published.private).toBeUndefined();
  expect(published.devDependencies).toBeUndefined();
  expect(Object.keys(published.optionalDependencies)).toEqual([
    "restante-linux-x64",
    "restante-linux-arm64",
    "restante-linux-x64-musl",
    "restante-linux-arm64-musl",
    "restante-darwin-x64",
    "restante-darwin-arm64",
    "restante-windows-x64",
  ]);
  expect(new Set(Object.values(published.optionalDependencies))).toEqual(new Set([manifest.version]));
  const files = (await succeeds(["tar", "-tf", installed.archive], root)).split("\n");
  expect(
    files.filter((path) => /^package\/(src|test|bench|web|scripts|node_modules)\/|\.db$/.test(path)),
  ).toEqual([]);
});

test("[I2] a launcher starts the programs where install scripts did not run, the programs themselves where they did", async () => {
  const versions = async () => [
    await succeeds([bin("inbox"), "--version"], installed.path),
    await succeeds([bin("orch"), "--version"], installed.path),
    await succeeds(["npx", "--offline", "restante", "--version"], installed.path),
  ];
  const wanted = ["inbox", "orch", "inbox"].map((program) => `${program} (Restante) ${manifest.version}\n`);
  expect(statSync(inPackage("bin/inbox")).size).toBeLessThan(4096);
  expect(await versions()).toEqual(wanted);
  await succeeds(["npm", "rebuild", "restante", "--offline", "--foreground-scripts"], installed.path);
  expect(statSync(inPackage("bin/inbox")).size).toBeGreaterThan(1_000_000);
  expect(await versions()).toEqual(wanted);
});

/** As somebody does who has installed it: the programs are on PATH, and the folder is empty. */
async function inEmptyFolder(script: string): Promise<string> {
  const folder = join(installed.path, `empty-${crypto.randomUUID()}`);
  mkdirSync(folder);
  const env = { PATH: `${join(installed.path, "node_modules/.bin")}:${process.env.PATH}`, HOME: folder };
  return succeeds(["bash", "-euo", "pipefail", "-c", script], folder, env);
}

/** Blocks of the README that are not for installed programs, or are run as they stand by other tests. */
const elsewhere: [part: string, where: string][] = [
  ["npm install -g restante", "test/prove/release.ts: from archives, as there is no registry"],
  ["sh install.sh ADDRESS", "test/surface/install.test.ts"],
  ["inbox quickstart", "test/surface/quickstart.test.ts"],
  ["npm run build", "a clone; npm test begins with it"],
  ["npm run demo", "a clone; test/surface/readme.test.ts"],
];
const tour = () => blockWith("inbox wait-reply").replace(/^export PATH=.*\n/, "");

test("[I2] every block of commands in the README is run by a test", () => {
  const run = ["inbox wait-reply", "claim --wait", "orch push", "inbox workspace add", "inbox migrate"];
  for (const block of bashBlocks)
    expect([...run, ...elsewhere.map(([part]) => part)].filter((part) => block.includes(part))).toHaveLength(
      1,
    );
});

test("[I2] the README's tour, worker, sub-agents and inbox run with the installed programs", async () => {
  expect(await inEmptyFolder(tour())).toContain("thr_1 done");

  const worker = `inbox init
    printf '#!/bin/sh\\nread -r line; echo "did $line"\\n' >do-the-work; chmod +x do-the-work
    inbox send --from lead --to ada --subject one --body good
    set -m # so that it can be ended with all it has started: a claim that is left waits for ever
    ( ${blockWith("claim --wait")} ) &
    inbox wait-reply thr_1 --agent lead --kinds result --timeout-seconds 30
    kill -- -$!`;
  if (Bun.which("jq")) expect(await inEmptyFolder(worker)).toContain("did good");

  const results = await inEmptyFolder(`inbox init\n${blockWith("orch push")}`);
  for (const part of ["approach A works", "approach B works", "Finished:"]) expect(results).toContain(part);

  if (Bun.which("jq"))
    expect(await inEmptyFolder(`inbox init\n${blockWith("inbox workspace add")}`)).toContain("rates section");
});

test.skipIf(!postgresUrl || !sharedBroker)(
  "[I2] the README's commands for more than one machine run with the installed programs",
  async () => {
    using place = await temporarySchema();
    let hubs = 0;
    const script = blockWith("inbox migrate")
      .replaceAll("postgres://inbox:secret@db.example/agents", place.url)
      .replace("amqp://inbox:secret@mq.example", sharedBroker)
      .replace(/^inbox serve.*$/gm, (line) => {
        const out = `hub${++hubs}`;
        const command = line.replace(/ *#.*/, "").replace(/ --port \d+/, "");
        return `${command} --port 0 --json >${out} & pids="\${pids:-} $!"
          for i in $(seq 600); do grep -q '"url"' ${out} && break; kill -0 $!; sleep 0.1; done; cat ${out}`;
      });
    expect(script.match(/kill -0/g)).toHaveLength(2);
    const said = await inEmptyFolder(`inbox init\n${script}\ninbox doctor\nkill $pids; wait`);
    expect(said.match(/"url"/g)).toHaveLength(2);
  },
  180_000,
);

test("[I2] the installed programs know every command in the README's table", async () => {
  const commands = commandsInTable();
  expect(commands.length).toBeGreaterThan(80);
  const asked = commands.map(([name, ...words]) => `${name} ${words.join(" ")} --help`);
  await inEmptyFolder(
    asked.map((line) => `${line} >/dev/null || { echo "${line}" >&2; exit 1; }`).join("\n"),
  );
});

test("[I3] the README's program runs from the package", async () => {
  await using hub = await hubHere();
  const program = blockWith("mailbox.gather", programBlocks)
    .replace("http://127.0.0.1:3456", hub.url)
    .replace(
      "const { messages",
      `for (const from of ["ada", "bob"]) await inbox.mailbox.send({ from, to: "leader", message: "half" });\n$&`,
    );
  const script = `${program}\nawait inbox.close(); console.log(JSON.stringify([messages.length, missing]));`;
  expect(await runs(["node"], "readme", script)).toEqual([2, []]);
});

/** What each runtime does with the SDK; it answers with one line of JSON. */
const round = (source: string, location: string) => `
  import { Inbox, InboxError } from ${JSON.stringify(source)};
  const inbox = await Inbox.open(${JSON.stringify(location)}, { agent: "visitor", create: true });
  const { id } = await inbox.messages.send({ channel: "c", content: "hello" });
  const waiting = inbox.mailbox.receive({ agent: "c2", timeoutSeconds: 30 });
  await inbox.mailbox.send({ to: "c2", message: "wake up" });
  const { messages } = await waiting;
  const error = await inbox.threads.show({ thread: "thr_9" }).catch((thrown) => thrown);
  const { hits } = await inbox.search.find({ q: "wake" });
  await inbox.close();
  console.log(JSON.stringify({ id, got: messages[0].message, typed: error instanceof InboxError, code: error.code, hits: hits.length }));`;
const wanted = { id: 1, got: "wake up", typed: true, code: "not_found", hits: 1 };

const deno = join(root, "node_modules/@deno/linux-x64-glibc/deno");
const runtimes: [name: string, command: string[], there: boolean][] = [
  ["Node 22", [node22], existsSync(node22)],
  ["Node 20", ["node"], true],
  ["Bun", [process.execPath], true],
  ["Deno", [deno, "run", "--allow-all", "--no-remote"], existsSync(deno)],
];

async function runs(
  command: string[],
  name: string,
  script: string,
  env: Record<string, string> = {},
): Promise<unknown> {
  const file = join(installed.path, `${name.replaceAll(" ", "-")}-${crypto.randomUUID()}.mjs`);
  writeFileSync(file, script);
  return JSON.parse(await succeeds([...command, file], installed.path, env));
}

for (const [name, command, there] of runtimes) {
  test.skipIf(!there)(
    `[I3] ${name} imports restante and restante/client, and speaks to a hub`,
    async () => {
      for (const source of ["restante", "restante/client"]) {
        await using hub = await hubHere();
        expect(await runs(command, name, round(source, hub.url))).toEqual(wanted);
      }
    },
    180_000,
  );

  // Node 20 has no SQLite: it speaks to hubs.
  if (name === "Node 20") continue;
  test.skipIf(!there)(
    `[I3] ${name} opens a database file, which the programs then read`,
    async () => {
      const db = join(installed.path, name.replaceAll(" ", "-"), "coord.db");
      expect(await runs(command, name, round("restante", db))).toEqual(wanted);
      expect(await succeeds([bin("inbox"), "msg", "pending", "c", "--db", db], installed.path)).toContain(
        "1",
      );
      expect(await succeeds([bin("inbox"), "doctor", "--db", db], installed.path)).toContain(
        "no damage found",
      );
    },
    180_000,
  );
}

test("[I3] a bundler for browsers takes the client for restante, with nothing of a server in it", async () => {
  await using hub = await hubHere();
  const entry = join(installed.path, "page.mjs");
  writeFileSync(entry, round("restante", hub.url));
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", format: "esm" });
  const bundle = await outputs[0]!.text();
  expect(bundle).not.toMatch(/(?:from|import|require)\s*\(?["'](?:node:|bun:|fs|path)/);
  // What runs in a browser runs here: test/sdk/runtimes.test.ts has the client in Chromium.
  expect(await runs(["node"], "page", bundle)).toEqual(wanted);
});

test.skipIf(!existsSync(node22))(
  "[I3] a program on Node queues a sub-agent, which the installed executable runs",
  async () => {
    const folder = join(installed.path, "leader/.agents");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "agents.toml"),
      'default = "sh"\n[runners.sh]\ncommand = ["sh", "-c", "{prompt}"]\n',
    );
    const script = `import { Inbox } from "restante";
    const inbox = await Inbox.open(${JSON.stringify(join(folder, "coord.db"))}, { agent: "leader", create: true });
    await inbox.tasks.push({ name: "a", prompt: "command -v inbox" });
    await inbox.tasks.run({});
    const { messages } = await inbox.mailbox.gather({ from: ["a"], timeoutSeconds: 60 });
    await inbox.close();
    console.log(JSON.stringify(messages[0].message));`;
    const env = { INBOX_TRUST: installed.path };
    expect(await runs([node22], "leader", script, env)).toBe(join(folder, "coord.db-tasks/bin/inbox"));
  },
  180_000,
);

test("[I3] a Node without SQLite says what to use instead, and makes no file", async () => {
  const db = join(installed.path, "refused/coord.db");
  const script = `import { Inbox } from "restante";
    const error = await Inbox.open(${JSON.stringify(db)}, { create: true }).catch((thrown) => thrown);
    console.log(JSON.stringify([error.code, error.message]));`;
  // Also where a newer Node runs the tests: this one has its module taken away.
  const [code, message] = (await runs(["node", "--import", noSqlite], "refused", script)) as string[];
  expect(code).toBe("invalid_input");
  expect(message).toContain("needs Node 22.13 or newer");
  expect(existsSync(db)).toBe(false);
});
const noSqlite = `data:text/javascript,${encodeURIComponent("process.getBuiltinModule = () => undefined")}`;

/** A program as somebody else would write it; the last line is one that the types must refuse. */
const use = `
import { Inbox, InboxError, type ErrorCode } from "restante";
import { Inbox as Remote } from "restante/client";
import { TxClient } from "restante/tx";

const inbox: Inbox = await Inbox.open("coord.db", { agent: "me", create: true });
const { id } = await inbox.messages.send({ channel: "c", content: "x" });
const next: number = id + 1;
const code: ErrorCode = new InboxError("busy", "x").code;
export { code, next, Remote, TxClient };
// @ts-expect-error: content is a text
await inbox.messages.send({ channel: "c", content: 7 });
`;

test("[I3] [C6] TypeScript needs nothing but the installed package", async () => {
  writeFileSync(join(installed.path, "use.mts"), use);
  const flags = ["--strict", "--noEmit", "--target", "esnext", "--types", "", "--lib", "esnext,dom"];
  const tsc = join(root, "node_modules/.bin/tsc");
  await succeeds([tsc, ...flags, "--module", "nodenext", "use.mts"], installed.path);
});

test("[I3] publint and attw find nothing in the package", async () => {
  const local = (name: string) => join(root, "node_modules/.bin", name);
  const said = await succeeds([local("publint"), "run", installed.archive, "--strict"], installed.path);
  expect(said).toContain("All good!");
  // ESM only: `require` gets it from Node 22 on, and TypeScript's old way of resolving knows no exports.
  await succeeds([local("attw"), installed.archive, "--profile", "esm-only", "--no-color"], installed.path);
});
