/** [X4] Over a limit a request is refused, and the hub goes on. */
import { describe, expect, test } from "bun:test";
import { type Ask, hubHere } from "../support/hub.ts";
import { bytesOf, line } from "../support/socket.ts";
import { until } from "../support/until.ts";

const serves = async (ask: Ask) =>
  expect((await ask("POST /api/messages", { channel: "ok", content: "x" })).status).toBe(201);
const untilWaiting = (ask: Ask, count: number) =>
  until("as many as expected wait at the hub", async () =>
    (await ask("GET /metrics")).text.includes(`restante_waiters ${count}\n`),
  );
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
  test("[X4] too many of one agent, or in all, are 429; others are served; those that leave make room", async () => {
    await using hub = await hubHere({ limits: { waiters: 5, waitersPerAgent: 3 } });
    const leaving = new AbortController();
    const wait = (agent: string, signal?: AbortSignal) =>
      hub.ask(`GET /terminals/${agent}/inbox/messages/wait?batch_window=0`, undefined, { signal });
    const gone = wait("a", leaving.signal).catch(() => "gone");
    const open = [wait("a"), wait("a")];
    await untilWaiting(hub.ask, 3);
    const refused = await wait("a");
    expect([refused.status, refused.json.error.code]).toEqual([429, "limited"]);
    open.push(wait("b"), wait("b"));
    await untilWaiting(hub.ask, 5);
    expect((await wait("c")).status).toBe(429);
    await serves(hub.ask);
    leaving.abort();
    await gone;
    await untilWaiting(hub.ask, 4);
    open.push(wait("c"));
    await untilWaiting(hub.ask, 5);
    // The usual 50 seconds are not waited for: a stop ends them.
    await hub.stop();
    for (const answer of await Promise.all(open)) expect([answer.status, answer.json]).toEqual([200, []]);
  });

  test("[X4] those who wait for no agent in particular are not one agent", async () => {
    await using hub = await hubHere({ limits: { waitersPerAgent: 2 } });
    const open = Array.from({ length: 4 }, () => hub.ask("GET /api/events/wait?timeoutSeconds=0.2"));
    expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
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
      raw.send(bytesOf(`GET /terminals/agent-${i}/inbox/messages/wait?timeout=60&batch_window=0`));
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

  test("[X4] of headers is refused, and the hub goes on", async () => {
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

  test("[X4] of half requests stalls nobody", async () => {
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

  test("[C4] of nonsense is refused, and the hub goes on", async () => {
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
