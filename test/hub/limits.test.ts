/** [X4] Over a limit a request is refused, and the hub goes on. */
import { describe, expect, test } from "bun:test";
import { type Ask, hubHere } from "../support/hub.ts";
import { bytesOf, line } from "../support/socket.ts";
import { openStream } from "../support/sse.ts";
import { until } from "../support/until.ts";

const serves = async (ask: Ask) =>
  expect((await ask("POST /api/messages", { channel: "ok", content: "x" })).status).toBe(201);
const untilWaiting = (ask: Ask, count: number) =>
  until("as many as expected wait at the hub", async () =>
    (await ask("GET /metrics")).text.includes(`restante_waiters ${count}\n`),
  );
/** The status of a GET that comes from this address; Bun's own clients cannot choose one. */
async function statusFrom(localAddress: string, url: string): Promise<number> {
  const script = `require("node:http").get(process.argv[1], { localAddress: process.argv[2] }, ({ statusCode }) => {
    console.log(statusCode); process.exit(); })`;
  const child = Bun.spawn(["node", "-e", script, url, localAddress], { stdout: "pipe", stderr: "inherit" });
  return Number(await new Response(child.stdout).text());
}

const json = { "content-type": "application/json" };

describe("a body", () => {
  const over = (bytes: number) => `{"channel":"a","content":"${"x".repeat(bytes)}"}`;

  test.each([9, 17, 40])("[X4] [C4] of %i MiB is 413 in the one shape", async (mebibytes) => {
    await using hub = await hubHere();
    const body = over(mebibytes * 1024 * 1024);
    const { status, text } = await hub.ask("POST /api/messages", undefined, { body, headers: json });
    expect([status, text && JSON.parse(text).error.code]).toEqual([413, "too_large"]);
    await serves(hub.ask);
  });

  test("[X4] of unknown length that never ends is 413", async () => {
    await using hub = await hubHere();
    const raw = await line(hub.url);
    raw.send(bytesOf("POST /api/messages", undefined, { ...json, "transfer-encoding": "chunked" }));
    const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`;
    for (let i = 0; i < 20; i++) raw.send(chunk);
    expect(await raw.until(/^HTTP\/1\.1 \d+/)).toStartWith("HTTP/1.1 413");
    raw.cut();
    await serves(hub.ask);
  });

  test("[X4] nested too deep is 413, and brackets inside text are none", async () => {
    await using hub = await hubHere();
    const deep = (levels: number) =>
      `{"channel":"a","content":"x","metadata":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
    const post = (body: string) => hub.ask("POST /api/messages", undefined, { body, headers: json });
    expect((await post(deep(50))).status).toBe(201);
    for (const levels of [100, 100_000, 500_000]) {
      const { status, json: answer } = await post(deep(levels));
      expect([levels, status, answer.error.code]).toEqual([levels, 413, "too_large"]);
    }
    const text = `\\"${"[{".repeat(1000)}`;
    expect((await post(`{"channel":"a","content":"${text}"}`)).status).toBe(201);
  });
});

describe("waits", () => {
  test("[X4] [X14] too many from one address, or in all, are 429; those that leave make room", async () => {
    const tight = { all: 5, perToken: 3, perAddress: 3 };
    await using hub = await hubHere({ limits: { waits: tight } });
    const { token } = (await hub.ask("POST /api/tokens", { agent: "known", scope: "admin" })).json;
    const leaving = new AbortController();
    const wait = (agent: string, signal?: AbortSignal) =>
      hub.ask(`GET /terminals/${agent}/inbox/messages/wait?batch_window=0`, undefined, { signal });
    const known = () => hub.as(token)("GET /terminals/known/inbox/messages/wait?batch_window=0");
    const gone = wait("a", leaving.signal).catch(() => "gone");
    const open = [wait("b"), wait("c")];
    await untilWaiting(hub.ask, 3);
    // Another name does not make another of it.
    const refused = await wait("d");
    expect([refused.status, refused.json.error.code]).toEqual([429, "limited"]);
    open.push(known(), known());
    await untilWaiting(hub.ask, 5);
    expect((await known()).status).toBe(429);
    await serves(hub.ask);
    leaving.abort();
    await gone;
    await untilWaiting(hub.ask, 4);
    open.push(known());
    await untilWaiting(hub.ask, 5);
    // The usual 50 seconds are not waited for: a stop ends them.
    await hub.stop();
    for (const answer of await Promise.all(open)) expect([answer.status, answer.json]).toEqual([200, []]);
  });

  // Elsewhere the machine has no such address.
  test.skipIf(process.platform !== "linux")(
    "[X14.3] another address of this machine is the same caller",
    async () => {
      await using hub = await hubHere({ limits: { waits: { all: 9, perToken: 1, perAddress: 1 } } });
      const wait = (agent: string) => `/terminals/${agent}/inbox/messages/wait?batch_window=0`;
      const open = hub.ask(`GET ${wait("a")}`);
      await untilWaiting(hub.ask, 1);
      expect(await statusFrom("127.0.0.2", hub.url + wait("b"))).toBe(429);
      await hub.stop();
      expect((await open).status).toBe(200);
    },
  );

  test("[X14] a token's streams and waits in another's name count as its own: no other caller is locked out", async () => {
    const tight = { all: 100, perToken: 3, perAddress: 3 };
    await using hub = await hubHere({ limits: { waits: tight } });
    const made = async (agent: string) =>
      (await hub.ask("POST /api/tokens", { agent, scope: "worker" })).json.token as string;
    const [one, two] = [await made("w1"), await made("w2")];
    const stream = (token: string, agent: string) =>
      openStream(`${hub.url}/api/events?agent=${agent}`, { authorization: `Bearer ${token}` });
    const streams = [];
    for (const agent of ["w2", "w2", "w2", "w2", "w3"]) streams.push(await stream(one, agent));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    const own = await stream(two, "w2");
    expect(own.status).toBe(200);
    for (const each of [...streams, own]) each.close();
  });

  test("[X14] MCP sessions of one token, whatever names it says, leave room for others", async () => {
    await using hub = await hubHere({ limits: { sessions: { all: 100, perToken: 2, perAddress: 2 } } });
    const made = async (agent: string) =>
      (await hub.ask("POST /api/tokens", { agent, scope: "worker" })).json.token as string;
    const [one, two] = [await made("w1"), await made("w2")];
    const begin = async (query: string, token?: string) => {
      const headers: Record<string, string> = { ...json, accept: "application/json, text/event-stream" };
      if (token) headers.authorization = `Bearer ${token}`;
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      const response = await fetch(`${hub.url}/mcp${query}`, { method: "POST", headers, body });
      await response.text();
      return response;
    };
    const statuses = [];
    for (const name of ["a", "b", "c"]) statuses.push((await begin(`?agent=${name}`)).status);
    for (const token of [one, one, one, two]) statuses.push((await begin("", token)).status);
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429, 200]);
    // A request that begins no session holds none.
    for (let i = 0; i < 5; i++)
      await fetch(`${hub.url}/mcp`, {
        method: "POST",
        headers: { ...json, accept: "application/json, text/event-stream", authorization: `Bearer ${two}` },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    const last = await begin("", two);
    expect(last.status).toBe(200);
    await fetch(`${hub.url}/mcp`, {
      method: "DELETE",
      headers: { "mcp-session-id": last.headers.get("mcp-session-id")!, authorization: `Bearer ${two}` },
    });
    expect((await begin("", two)).status).toBe(200);
  });

  test("[W3] longer than 600 seconds is refused, 600 is not", async () => {
    await using hub = await hubHere();
    await hub.ask("POST /api/threads", { from: "lead", to: "w", subject: "s" });
    await hub.ask("POST /api/mailbox/nobody/check", {}); // known from before: being seen first is an event
    const waits = [
      ["POST /api/mailbox/nobody/receive", {}],
      ["POST /api/mailbox/nobody/wait", {}],
      ["POST /api/mailbox/nobody/gather", { from: ["x"] }],
      ["POST /api/threads/claim", { agent: "nobody", wait: true }],
      ["POST /api/threads/thr_1/wait-reply", {}],
    ] as const;
    const open = waits.map(([route, body]) => hub.ask(route, { ...body, timeoutSeconds: 600 }));
    open.push(hub.ask("GET /api/events/wait?timeoutSeconds=600"));
    for (const [route, body] of waits) {
      const { status, json: answer } = await hub.ask(route, { ...body, timeoutSeconds: 600.5 });
      expect([route, status, answer.error.code]).toEqual([route, 400, "invalid_input"]);
    }
    expect((await hub.ask("GET /api/events/wait?timeoutSeconds=601")).status).toBe(400);
    await untilWaiting(hub.ask, 6);
    await hub.stop();
    for (const { status, json: answer } of await Promise.all(open))
      expect([status, answer.woke ?? answer.thread]).toEqual([200, answer.woke === undefined ? null : false]);
  });

  test("[X4] [W1] 2000 long polls are all answered after one burst", async () => {
    await using hub = await hubHere();
    const total = 2000;
    const lines = await Promise.all(Array.from({ length: total }, () => line(hub.url)));
    lines.forEach((raw, i) => {
      raw.send(bytesOf(`GET /terminals/agent-${i}/inbox/messages/wait?timeout=600&batch_window=0`));
    });
    await untilWaiting(hub.ask, total);
    await hub.ask("POST /api/messages", { channel: "known", content: "x" });
    for (let i = 0; i < total; i += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, k) =>
          hub.ask(`POST /terminals/agent-${i + k}/inbox/messages`, {
            sender_id: "s",
            message: `to ${i + k}`,
          }),
        ),
      );
    const answers = await Promise.all(lines.map((raw) => raw.until(/\}\]/)));
    answers.forEach((answer, i) => {
      expect(answer).toStartWith("HTTP/1.1 200");
      expect(answer).toContain(`"message":"to ${i}"`);
    });
    for (const raw of lines) raw.cut();
    await untilWaiting(hub.ask, 0);
  });
});

describe("a flood", () => {
  test("[X4] of requests is 429, and over with its second", async () => {
    await using hub = await hubHere({ limits: { rate: 20 } });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await hub.ask("GET /api/threads")).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await until("the hub answers again", async () => (await hub.ask("GET /api/threads")).status === 200);
  });

  test("[X4] is one flood also under a different invented token each time", async () => {
    await using hub = await hubHere({ limits: { rate: 20 } });
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => (await hub.as(`rst_${i}`)("GET /api/threads")).status),
    );
    expect(statuses).toContain(429);
  });

  test("[X4] of headers is refused, and the hub continues", async () => {
    await using hub = await hubHere();
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x-${i}`, "y".repeat(100)]));
    for (const headers of [many, { "x-long": "y".repeat(2_000_000) }]) {
      const raw = await line(hub.url);
      raw.send(bytesOf("GET /api/threads", undefined, headers));
      const answer = await Promise.race([raw.closed, raw.until(/^HTTP\/1\.1 \d+/).catch(() => "")]);
      expect(answer).not.toStartWith("HTTP/1.1 2");
      raw.cut();
    }
    await serves(hub.ask);
  });

  test("[X4] of half requests blocks nobody", async () => {
    await using hub = await hubHere();
    const lines = await Promise.all(Array.from({ length: 200 }, () => line(hub.url)));
    lines.forEach((raw, i) => {
      const whole = bytesOf("POST /api/messages", { channel: "a", content: "b" });
      raw.send(whole.slice(0, (i * 7) % whole.length));
    });
    await serves(hub.ask);
    for (const raw of lines) raw.cut();
    await serves(hub.ask);
    expect((await hub.ask("GET /api/messages/inbox/a/count")).json.count).toBe(0);
  });

  test("[C4] of nonsense is refused, and the hub continues", async () => {
    await using hub = await hubHere();
    for (const bytes of [
      "\0\0\0\0\r\n\r\n",
      "GET\r\n\r\n",
      "\x16\x03\x01\x02\r\n\r\n",
      "GET / HTTP/9\r\n\r\n",
    ]) {
      const raw = await line(hub.url);
      raw.send(bytes);
      expect(await raw.closed).not.toStartWith("HTTP/1.1 2");
      raw.cut();
    }
    await serves(hub.ask);
  });
});
