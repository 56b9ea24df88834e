/** Requests that are wrong in every way: one shape, the right status, and nothing is written. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ErrorCode, errorTable } from "../../src/contract/errors.ts";
import bodies from "../corpora/bodies.json" with { type: "json" };
import { type Answer, hubHere, type TestHub } from "../support/hub.ts";
import { routes } from "../support/routes.ts";
import { counts } from "../support/stored.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await hubHere();
});
afterAll(() => hub[Symbol.asyncDispose]());

function expectRefusal(answer: Answer, status: number, code?: ErrorCode): void {
  expect([answer.status, answer.text === "" ? "no body" : answer.json.ok]).toEqual([status, false]);
  const { error, ...rest } = answer.json;
  expect(rest).toEqual({ ok: false });
  expect(Object.keys(error).slice(0, 3)).toEqual(["code", "message", "hint"]);
  for (const text of [error.message, error.hint]) expect(text.length).toBeGreaterThan(0);
  expect(error.message).not.toContain(".ts");
  if (status !== 405) expect(errorTable[error.code as ErrorCode].http).toBe(status as never);
  if (code) expect(error.code).toBe(code);
}

const json = { "content-type": "application/json" };
const raw = (route: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json) =>
  hub.ask(route, undefined, { body, headers });
const send = "POST /api/messages";

describe("bodies", () => {
  test.each(bodies as [string, string][])("[C4] %s is 400", async (_, body) => {
    const before = counts(hub.db);
    expectRefusal(await raw(send, body), 400, "invalid_input");
    expect(counts(hub.db)).toEqual(before);
  });

  test("[C15.6] an unknown field is answered with those that contain it as a word", async () => {
    const { message } = (await raw(send, '{"channel":"a","content":"b","seconds":5}')).json.error;
    expect(message).toBe('there is no field seconds; did you mean "ttlSeconds"?');
  });

  test("[C4] a refusal says which fields there are and which was meant, in the words of the surface", async () => {
    const hint = (await raw(send, '{"channel":"a"}')).json.error.hint;
    expect(hint).toBe(
      "the fields are channel, content, sender, taskId, ttlSeconds, correlationId, metadata, strict; /docs/api shows more",
    );
    expect((await raw(send, '{"channel":"a","contnet":"b"}')).json.error.message).toBe(
      'there is no field contnet; did you mean "content"?',
    );
  });

  test("[C4] bytes that are not valid UTF-8 are refused, not stored altered", async () => {
    const body = new Uint8Array([
      ...new TextEncoder().encode('{"channel":"a","content":"'),
      0xff,
      0x22,
      0x7d,
    ]);
    expectRefusal(await raw(send, body), 400, "invalid_input");
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""])(
    "[C4] [X1] the content type %j is 400: a page of another site could send it",
    async (type) => {
      const body = '{"channel":"a","content":"b"}';
      expectRefusal(
        await raw(send, new TextEncoder().encode(body), type ? { "content-type": type } : {}),
        400,
      );
    },
  );

  test.each(["application/json; charset=utf-8", "application/problem+json"])(
    "[C4] the content type %s is taken",
    async (type) => {
      expect((await raw(send, '{"channel":"a","content":"b"}', { "content-type": type })).status).toBe(201);
    },
  );

  test("[M10] [C4] content over 1 MiB is 413, and says to attach a file", async () => {
    const answer = await hub.ask(send, { channel: "a", content: "x".repeat(1024 * 1024 + 1) });
    expectRefusal(answer, 413, "too_large");
    expect(answer.json.error.hint).toContain("artifact");
  });
});

describe("paths and queries", () => {
  test.each([
    ["POST /api/messages/1/ack", { id: 2 }, 400],
    ["POST /api/threads/thr_1/renew", { thread: "thr_2", agent: "w" }, 400],
    ["POST /api/mailbox/a/receive", { agent: "b", timeoutSeconds: 0 }, 400],
    ["POST /api/messages/99/ack", { id: 99 }, 404],
    ["GET /api/messages/0", undefined, 404],
    ["GET /api/messages/-1", undefined, 400],
    ["GET /api/messages/1.5", undefined, 400],
    ["GET /api/messages/9007199254740993", undefined, 400],
    ["GET /api/messages/99999999999999999999999", undefined, 400],
    ["GET /api/messages/abc", undefined, 400],
    ["GET /api/messages/987654", undefined, 404],
    ["GET /api/threads/thr_0", undefined, 400],
    ["GET /api/threads/x", undefined, 400],
    ["GET /api/threads/thr_99", undefined, 404],
    ["POST /api/tokens/tok_9/revoke", {}, 404],
    ["GET /api/messages/inbox/a?limit=0", undefined, 400],
    ["GET /api/messages/inbox/a?limit=1001", undefined, 400],
    ["GET /api/messages/inbox/a?limit=ten", undefined, 400],
    ["GET /api/messages/inbox/a?afterId=-1", undefined, 400],
    ["GET /api/messages/inbox/a?includeAcked=maybe", undefined, 400],
    ["GET /api/messages/inbox/a?odd=1", undefined, 400],
    ["GET /api/messages/inbox/a?channel=b", undefined, 400],
    ["GET /api/messages/inbox/a?reader=r&commit=true", undefined, 400],
    ["GET /api/threads/thr_1?agent=w&markRead=true", undefined, 400],
    ["GET /api/inbox/0b7d2c1e-5f3a-4a44-9d86-1f0c8a7e2b11?markRead=true", undefined, 400],
    ["GET /api/messages/inbox/-a", undefined, 400],
    ["GET /api/messages/inbox/%00", undefined, 400],
    ["GET /api/messages/inbox/%ff", undefined, 400],
    [`GET /api/messages/inbox/${"x".repeat(129)}`, undefined, 400],
    ["GET /api/events?afterEvent=x", undefined, 400],
    ["GET /api/events?odd=1", undefined, 400],
    ["GET /nowhere", undefined, 404],
    ["POST /", {}, 405],
    ["POST /nowhere", {}, 404],
    ["GET /api", undefined, 404],
    ["GET /api/messages/inbox/a/b/c", undefined, 404],
    ["GET /api/../healthz/x", undefined, 404],
  ] as const)("[C4] %s %j is %i", async (route, body, status) => {
    expectRefusal(await hub.ask(route, body), status);
  });

  test("[U3] [C4] a query parameter without a value is one that was left out, a flag is set; an unknown one is still refused", async () => {
    const { status, json } = await hub.ask("GET /api/inbox/history?limit=&before=&workspaceId=");
    const empty = { entries: [], hasMore: false, unread: 0 };
    expect([status, json]).toEqual([200, empty]);
    expect((await hub.ask("GET /api/inbox/history?unread=")).json).toEqual({ ...empty, filtered: true });
    expect((await hub.ask("GET /api/messages/inbox/a?limit=&includeAcked")).status).toBe(200);
    expectRefusal(await hub.ask("GET /api/messages/inbox/a?odd="), 400);
  });

  test("[X9] [C4] a query is refused where the fields belong in the body", async () => {
    for (const [query, body] of [
      ["content=b", { channel: "a" }],
      ["channel=a&content=b", {}],
      ["content=other", { channel: "a", content: "b" }],
    ] as const) {
      const before = counts(hub.db);
      expectRefusal(await hub.ask(`${send}?${query}`, body), 400, "invalid_input");
      expect(counts(hub.db)).toEqual(before);
    }
  });

  test("[C4] an idempotency key on a read is refused", async () => {
    const headers = { "idempotency-key": "k" };
    expectRefusal(await hub.ask("GET /api/threads", undefined, { headers }), 400);
  });

  test("[M9] [C4] a key, as header or field, makes a write happen once", async () => {
    const body = { channel: "keyed", content: "b" };
    const headers = { "idempotency-key": "k1" };
    const first = (await hub.ask(send, body, { headers })).json;
    expect((await hub.ask(send, body, { headers })).json).toEqual({ ...first, deduplicated: true });
    expect((await hub.ask(send, { ...body, idempotencyKey: "k1" })).json.id).toBe(first.id);
    expectRefusal(await hub.ask(send, { ...body, content: "c" }, { headers }), 409, "conflict");
  });
});

describe("methods", () => {
  const paths = Map.groupBy(routes, ({ route }) => route.split(" ")[1]!);

  test.each([...paths.keys()])("[C4] %s answers every other method with 405 and Allow", async (path) => {
    const known = paths.get(path)!.map(({ route }) => route.split(" ")[0]!);
    const filled = path
      .replace(/:thread/, "thr_1")
      .replace(/:id/, "1")
      .replace(/:\w+/, "x");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      if (known.includes(method)) continue;
      const answer = await hub.ask(`${method} ${filled}`);
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, known.join(", ")]);
      expectRefusal(answer, 405);
    }
  });

  test("[C4] [X1] OPTIONS is 405 too: no page of another origin is let in", async () => {
    const preflight = (origin: string) =>
      hub.ask("OPTIONS /api/messages", undefined, {
        headers: { origin, "access-control-request-method": "POST" },
      });
    const own = await preflight(hub.url);
    expect([own.status, own.headers.get("allow")]).toEqual([405, "POST"]);
    const other = await preflight("http://localhost:1");
    expect(other.status).toBe(403);
    for (const { headers } of [own, other]) expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("[C4] HEAD answers like GET, without a body", async () => {
    for (const path of ["/healthz", "/api/threads", "/docs/api"]) {
      const answer = await hub.ask(`HEAD ${path}`);
      expect([path, answer.status, answer.text]).toEqual([path, 200, ""]);
    }
  });
});
