/** [C5] What `inbox mcp` answers by itself: lines on its standard input that are no messages, and the first one. */
import { expect, test } from "bun:test";
import { InMemoryTransport, Server, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { described, greetingFor, revisions, serverInfo } from "../../src/surfaces/mcp/greeting.ts";
import { start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

test("[C5] a line that is not JSON is answered with -32700, one that is not a message with -32600, and the session continues", async () => {
  using folder = temporaryFolder();
  const db = `${folder.path}/coord.db`;
  createDatabase(db);
  const child = start(["mcp", "--db", db]);
  const ping = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
  const whole = `{ this is not JSON\n\n${ping(1)}\n[1, 2]\n"text"\n${ping(2)}\n`;
  // A line may come in pieces.
  child.stdin.write(whole.slice(0, 5));
  await child.stdin.flush();
  child.stdin.write(whole.slice(5));
  await child.stdin.end();
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  expect(await child.exited).toBe(0);
  const answers = lines.map((line) => JSON.parse(line) as { id: number | null; error?: { code: number } });
  expect(answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
    -32_700, -32_600, -32_600,
  ]);
  expect(answers.flatMap(({ id }) => (id === null ? [] : [id]))).toEqual([1, 2]);
});

const initialize = (protocolVersion: unknown, more: object = {}) => ({
  jsonrpc: "2.0",
  id: "first",
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "client", version: "1" }, ...more },
});

/** What the library itself answers, of a server that has the same description. */
async function libraryAnswer(request: object): Promise<unknown> {
  const [client, server] = InMemoryTransport.createLinkedPair();
  await new Server(serverInfo, described).connect(server);
  const answered = Promise.withResolvers<unknown>();
  client.onmessage = answered.resolve;
  await client.start();
  await client.send(request as never);
  return answered.promise;
}

test("[C5] initialize is answered before the library is loaded, with what the library would answer", async () => {
  expect(revisions).toEqual([...SUPPORTED_PROTOCOL_VERSIONS]);
  for (const revision of revisions) {
    const request = initialize(revision);
    const greeting = greetingFor(JSON.stringify(request));
    expect(greeting).toBeDefined();
    expect(greeting as object).toEqual((await libraryAnswer(request)) as object);
  }
});

test("[C5] an initialize that is not whole, or of a revision that is not known, is left to the library", () => {
  const others = [
    initialize("2099-01-01"),
    initialize(undefined),
    initialize("2025-06-18", { clientInfo: { name: "client" } }),
    initialize("2025-06-18", { capabilities: null }),
    { ...initialize("2025-06-18"), id: null },
    { ...initialize("2025-06-18"), method: "ping" },
  ];
  for (const request of others) expect(greetingFor(JSON.stringify(request))).toBeUndefined();
});

test("[C5] all that a client sends at once is answered once and in order, whoever answers it, and its end is awaited", async () => {
  using folder = temporaryFolder();
  const db = `${folder.path}/coord.db`;
  createDatabase(db);
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const note = { jsonrpc: "2.0", method: "notifications/initialized" };
  for (const revision of ["2025-06-18", "2099-01-01"]) {
    const child = start(["mcp", "--db", db]);
    for (const message of [initialize(revision), note, list])
      child.stdin.write(`${JSON.stringify(message)}\n`);
    await child.stdin.end();
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    expect(await child.exited).toBe(0);
    const answers = lines.map((line) => JSON.parse(line) as { id: unknown; result: Record<string, unknown> });
    expect(answers.map(({ id }) => id)).toEqual(["first", 2]);
    expect(answers[0]!.result.serverInfo).toEqual(serverInfo);
    expect(answers[1]!.result.tools).toBeArray();
  }
});

test("[C5] an initialize that the library would refuse has one answer, and many answers are all written before the end", async () => {
  using folder = temporaryFolder();
  const db = `${folder.path}/coord.db`;
  createDatabase(db);
  const child = start(["mcp", "--db", db]);
  const lists = Array.from({ length: 100 }, (_, i) => ({ jsonrpc: "2.0", id: i, method: "tools/list" }));
  for (const message of [initialize("2025-06-18", { capabilities: { roots: "none" } }), ...lists])
    child.stdin.write(`${JSON.stringify(message)}\n`);
  await child.stdin.end();
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  const answers = lines.map((line) => JSON.parse(line) as { id: unknown; result?: unknown });
  expect(answers.map(({ id }) => id)).toEqual(["first", ...lists.map(({ id }) => id)]);
  expect(answers.every(({ result }) => result)).toBe(true);
});

test("[C5] a line that is too long for the library ends the session, also if it is the first", async () => {
  using folder = temporaryFolder();
  const db = `${folder.path}/coord.db`;
  createDatabase(db);
  const mebibyte = "x".repeat(1024 * 1024);
  // Longer than what the library takes, and longer than what is kept of a line here.
  for (const [before, mebibytes] of [
    [JSON.stringify(initialize("2025-06-18")), 11],
    ["\n".repeat(100_000), 65],
  ] as const) {
    const child = start(["mcp", "--db", db]);
    child.stdin.write(`${before}\n{"jsonrpc":"2.0","id":1,"method":"ping","params":{"text":"`);
    for (let i = 0; i < mebibytes; i++) child.stdin.write(mebibyte);
    child.stdin.write('"}}\n');
    // The server has ended before all of it is written.
    void Promise.resolve(child.stdin.flush()).catch(() => {});
    expect(await child.exited).toBe(0);
  }
});

test("[C5] a signal ends a session whose database does not answer, and it is not asked again", async () => {
  let asked = 0;
  const socket = { data() {}, open: () => void asked++ };
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  const db = `postgres://someone:secret@127.0.0.1:${silent.port}/none`;
  const child = start(["mcp", "--db", db, "--token", "unknown"]);
  child.stdin.write(`${JSON.stringify(initialize("2025-06-18"))}\n`);
  await child.stdin.flush();
  await until("the database is asked", () => asked === 1);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  expect(asked).toBe(1);
});
