import { expect, test } from "bun:test";
import { hubHere } from "../support/hub.ts";
import { overHttp, revisions } from "../support/mcp.ts";
import { until } from "../support/until.ts";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const modern = {
  ...json,
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
};
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const call = (name: unknown, args: unknown, id: unknown = 1) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: args, _meta: envelope },
  });

test("[X4] [C5] malformed requests get an answer, and the hub continues", async () => {
  await using hub = await hubHere();
  const bodies: (string | Uint8Array)[] = [
    "",
    "{",
    "null",
    "[]",
    "[[]]",
    '"x"',
    "{}",
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","method":"tools/call"}',
    '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    `{"a":"${"x".repeat(5 * 1024 * 1024)}"}`,
    new Uint8Array([0xff, 0xfe, 0x00]),
    call("check_inbox", "no object"),
    call(7, {}),
    call("check_inbox", { timeout: "soon" }),
    call("__proto__", {}),
    call("send_message", { receiver_id: "x".repeat(100_000), message: "m" }),
    call("send_message", { receiver_id: "w", message: "\ud800" }),
    call("claim", { lease_seconds: 1e308, thread: { $ne: 1 } }),
  ];
  for (const headers of [json, modern, { ...json, "mcp-session-id": "nobody's" }])
    for (const body of bodies) {
      const answer = await fetch(`${hub.url}/mcp?agent=lead`, { method: "POST", headers, body });
      const text = await answer.text();
      expect(answer.status).toBeLessThan(600);
      expect(text).not.toMatch(/\bat \S+ \(|node_modules|\.ts:\d/);
    }
  for (const method of ["GET", "DELETE", "PUT", "PATCH"])
    expect((await fetch(`${hub.url}/mcp`, { method, headers: json })).status).toBeGreaterThanOrEqual(400);
  expect((await hub.ask("GET /healthz")).status).toBe(200);
  await using lead = await overHttp(`${hub.url}/mcp?agent=lead`, "2026-07-28");
  expect((await lead.call("fetch")).failed).toBe(false);
});

test("[X1] [C5] a page of another site and a wrong Host are refused at /mcp, too", async () => {
  await using hub = await hubHere();
  const body = call("fetch", {});
  const ask = (headers: Record<string, string>) =>
    fetch(`${hub.url}/mcp?agent=x`, { method: "POST", headers: { ...modern, ...headers }, body });
  expect((await ask({ origin: "https://evil.example" })).status).toBe(403);
  expect((await ask({ host: "evil.example" })).status).toBe(403);
});

test("[X2] [C5] where tokens are wanted /mcp wants one, and a session is its opener's alone", async () => {
  await using hub = await hubHere({ auth: false });
  const make = async (agent: string) =>
    (await hub.ask("POST /api/tokens", { agent, scope: "worker" })).json.token;
  const [ada, bob] = [await make("ada"), await make("bob")];
  await using strict = await hubHere({ db: hub.db, auth: true });
  expect((await fetch(`${strict.url}/mcp`, { method: "POST", headers: json, body: "{}" })).status).toBe(401);
  for (const revision of revisions) {
    await using visitor = await overHttp(`${strict.url}/mcp`, revision, { authorization: `Bearer ${ada}` });
    await visitor.call("send_message", { receiver_id: "bob", message: "from ada" });
    expect((await visitor.call("fetch", { agent: "bob" })).fields.error.code).toBe("not_allowed");
  }
  const begin = await fetch(`${strict.url}/mcp`, {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${ada}` },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    }),
  });
  const session = begin.headers.get("mcp-session-id")!;
  const stolen = await fetch(`${strict.url}/mcp`, {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${bob}`, "mcp-session-id": session },
    body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
  });
  expect(stolen.status).toBe(403);
  await using bobs = await overHttp(`${strict.url}/mcp`, "2026-07-28", { authorization: `Bearer ${bob}` });
  const { messages } = (await bobs.call("check_inbox", { timeout: 1, batch_window: 0 })).fields;
  expect(messages).toHaveLength(2);
  expect(messages[0]).toMatchObject({ sender_id: "ada", sender_verified: true });
});

test("[X4] [W4] two thousand waits at once, then their clients are gone: nothing is consumed, and the hub serves on", async () => {
  await using hub = await hubHere();
  const { hostname, port } = new URL(hub.url);
  let answered = 0;
  const open = await Promise.all(
    Array.from({ length: 2000 }, (_, n) => {
      const body = call("check_inbox", { timeout: 60 }, n);
      const head = Object.entries({ host: hub.url.slice(7), ...modern, "mcp-name": "check_inbox" })
        .map(([name, value]) => `${name}: ${value}`)
        .join("\r\n");
      const text = `POST /mcp?agent=w${n % 50} HTTP/1.1\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
      const socket = {
        // That it is still there a server says from time to time, which is no answer.
        data: (_: unknown, bytes: Buffer) => void (bytes.includes("data:") && answered++),
        open: (line: Bun.Socket) => void line.write(text),
      };
      return Bun.connect({ hostname, port: Number(port), socket });
    }),
  );
  await until("all of them wait at the hub", async () =>
    / (2000|1999)$/m.test((await hub.ask("GET /metrics")).text.match(/^restante_waiters .*$/m)?.[0] ?? ""),
  );
  expect((await hub.ask("GET /healthz")).status).toBe(200);
  expect(answered).toBe(0);
  for (const line of open) line.terminate();
  await until("nobody waits at the hub", async () =>
    /^restante_waiters 0$/m.test((await hub.ask("GET /metrics")).text),
  );
  await hub.ask("POST /api/mailbox/w7/send", { from: "lead", message: "still there" });
  const { json: mail } = await hub.ask("GET /api/mailbox/w7");
  expect([mail.total, mail.hidden, mail.messages[0].message]).toEqual([1, 0, "still there"]);
});
