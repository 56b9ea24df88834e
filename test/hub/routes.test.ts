/** The documented routes, with the shapes that SPEC.md gives them. */
import { describe, expect, test } from "bun:test";
import { hubHere } from "../support/hub.ts";
import { until } from "../support/until.ts";

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const seedKeys = [
  "id",
  "channel",
  "sender",
  "content",
  "status",
  "correlationId",
  "taskId",
  "metadata",
  "createdAt",
  "ackedAt",
  "expiresAt",
];

describe("channels", () => {
  test("[C4] [M1] POST /api/messages answers 201 with the message", async () => {
    await using hub = await hubHere();
    const { status, json, headers } = await hub.ask("POST /api/messages", {
      channel: "agent-1",
      content: "Task tx-abc123 is ready for review",
      sender: "orchestrator",
      taskId: "tx-abc123",
      ttlSeconds: 3600,
      correlationId: "req-001",
      metadata: { priority: "high" },
    });
    expect(status).toBe(201);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(json).toMatchObject({
      id: 1,
      channel: "agent-1",
      sender: "orchestrator",
      content: "Task tx-abc123 is ready for review",
      status: "pending",
      correlationId: "req-001",
      taskId: "tx-abc123",
      metadata: { priority: "high" },
      ackedAt: null,
    });
    expect(json.createdAt).toMatch(iso);
    expect(Date.parse(json.expiresAt) - Date.parse(json.createdAt)).toBe(3_600_000);
    expect(seedKeys.filter((key) => !(key in json))).toEqual([]);
  });

  test("[M1] a sender that says nothing about itself is api", async () => {
    await using hub = await hubHere();
    const { json } = await hub.ask("POST /api/messages", { channel: "a", content: "x" });
    expect(json.sender).toBe("api");
    await hub.ask("POST /api/messages/1/ack");
    expect((await hub.ask("GET /api/messages/1")).json.ackedBy).toBe("api");
  });

  test("[C4] GET /api/messages/inbox/:channel answers {messages, channel, count}, with cursor and filters", async () => {
    await using hub = await hubHere();
    const bodies = [
      { content: "one", sender: "ci" },
      { content: "two", sender: "planner", correlationId: "c" },
      { content: "three", sender: "ci" },
    ];
    for (const body of bodies) await hub.ask("POST /api/messages", { channel: "task:tx-1", ...body });
    await hub.ask("POST /api/messages/1/ack");
    const read = async (query: string) => {
      const { status, json } = await hub.ask(`GET /api/messages/inbox/task:tx-1${query}`);
      expect(status).toBe(200);
      expect(Object.keys(json)).toEqual(["messages", "channel", "count"]);
      expect(json).toMatchObject({ channel: "task:tx-1", count: json.messages.length });
      return json.messages.map(({ id }: { id: number }) => id);
    };
    expect(await read("")).toEqual([2, 3]);
    expect(await read("?limit=10&afterId=0")).toEqual([2, 3]);
    expect(await read("?afterId=2")).toEqual([3]);
    expect(await read("?limit=1")).toEqual([2]);
    expect(await read("?sender=ci")).toEqual([3]);
    expect(await read("?correlationId=c")).toEqual([2]);
    expect(await read("?includeAcked=true")).toEqual([1, 2, 3]);
    expect(await read("?includeAcked=false")).toEqual([2, 3]);
  });

  test("[C4] ack, ack all, count, gc answer as documented", async () => {
    await using hub = await hubHere();
    for (const content of ["a", "b", "c"]) await hub.ask("POST /api/messages", { channel: "ch", content });
    const acked = await hub.ask("POST /api/messages/1/ack");
    expect([acked.status, acked.json.message.status]).toEqual([200, "acked"]);
    expect(acked.json.message.ackedAt).toMatch(iso);
    expect(seedKeys.filter((key) => !(key in acked.json.message))).toEqual([]);
    const count = await hub.ask("GET /api/messages/inbox/ch/count");
    expect([count.status, count.json]).toEqual([200, { channel: "ch", count: 2 }]);
    const all = await hub.ask("POST /api/messages/inbox/ch/ack");
    expect([all.status, all.json]).toEqual([200, { channel: "ch", ackedCount: 2 }]);
    const gc = await hub.ask("POST /api/messages/gc", { ackedOlderThanHours: 24 });
    expect([gc.status, gc.json]).toEqual([200, { expired: 0, acked: 0 }]);
    expect((await hub.ask("POST /api/messages/gc")).json).toEqual({ expired: 0, acked: 0 });
  });

  test("[C4] [M1] names of every kind survive the path", async () => {
    await using hub = await hubHere();
    for (const channel of ["a/b", "ä ö", "50%", "a?b#c", "+", "日本", "a&b=c", "...", "\\"]) {
      await hub.ask("POST /api/messages", { channel, content: "x" });
      const { status, json } = await hub.ask(`GET /api/messages/inbox/${encodeURIComponent(channel)}/count`);
      expect([channel, status, json]).toEqual([channel, 200, { channel, count: 1 }]);
    }
  });
});

describe("terminals", () => {
  const post = { sender_id: "W1", message: "[Task: dataset_A] mean=3.0" };

  test("[C4] POST and GET /terminals/:id/inbox/messages", async () => {
    await using hub = await hubHere();
    const { status, json } = await hub.ask("POST /terminals/S/inbox/messages", post);
    expect(status).toBe(201);
    expect(json).toMatchObject({ success: true, id: 1, ...post, receiver_id: "S", status: "pending" });
    expect(json.created_at).toMatch(iso);
    await hub.ask("POST /terminals/S/inbox/messages", { ...post, message: "two" });
    await hub.ask("POST /terminals/S/inbox/messages", { ...post, message: "three" });
    await hub.ask("POST /api/messages/1/ack");
    const read = async (query: string) => {
      const answer = await hub.ask(`GET /terminals/S/inbox/messages${query}`);
      expect(answer.status).toBe(200);
      return answer.json.map((one: { id: number; status: string }) => [one.id, one.status]);
    };
    const [first, second, third] = [
      [1, "consumed"],
      [2, "pending"],
      [3, "pending"],
    ];
    expect(await read("")).toEqual([first, second, third]);
    expect(await read("?status=pending")).toEqual([second, third]);
    expect(await read("?status=consumed")).toEqual([first]);
    expect(await read("?limit=2")).toEqual([first, second]);
    expect(await read("?status=pending&limit=1")).toEqual([second]);
    const [one] = (await hub.ask("GET /terminals/S/inbox/messages?status=pending")).json;
    expect(one).toMatchObject({ sender_id: "W1", message: "two", status: "pending" });
  });

  test("[C4] status=consumed with a limit counts consumed messages only", async () => {
    await using hub = await hubHere();
    for (let i = 0; i < 4; i++) await hub.ask("POST /terminals/S/inbox/messages", post);
    await hub.ask("POST /api/messages/3/ack");
    const { json } = await hub.ask("GET /terminals/S/inbox/messages?status=consumed&limit=2");
    expect(json.map(({ id }: { id: number }) => id)).toEqual([3]);
  });

  test("[C4] [B2] …/wait answers with a bare array, and collects", async () => {
    await using hub = await hubHere();
    const waiting = hub.ask("GET /terminals/S/inbox/messages/wait?timeout=20&batch_window=0.3");
    await until("one waits at the hub", async () =>
      (await hub.ask("GET /metrics")).text.includes("restante_waiters 1"),
    );
    await hub.ask("POST /terminals/S/inbox/messages", post);
    await hub.ask("POST /terminals/S/inbox/messages", { sender_id: "W2", message: "b" });
    const { status, json } = await waiting;
    expect(status).toBe(200);
    expect(json).toMatchObject([
      { id: 1, sender_id: "W1", message: post.message, thread_id: null },
      { id: 2, sender_id: "W2", message: "b" },
    ]);
    for (const key of ["id", "sender_id", "message", "created_at", "thread_id", "kind"])
      expect(json[0]).toHaveProperty(key);
    await until(
      "the message is consumed",
      async () => (await hub.ask("GET /terminals/S/inbox/messages?status=consumed")).json.length,
    );
    expect((await hub.ask("GET /terminals/S/inbox/messages/wait?timeout=0")).json).toEqual([]);
  });

  test.each([
    ["POST /terminals/S/inbox/messages", { message: "m" }, 400],
    ["POST /terminals/S/inbox/messages", { sender_id: "W1" }, 400],
    ["POST /terminals/S/inbox/messages", { ...post, extra: 1 }, 400],
    ["POST /terminals/S/inbox/messages", { sender_id: 7, message: "m" }, 400],
    ["GET /terminals/S/inbox/messages?status=odd", undefined, 400],
    ["GET /terminals/S/inbox/messages?limit=0", undefined, 400],
    ["GET /terminals/S/inbox/messages?limit=x", undefined, 400],
    ["GET /terminals/S/inbox/messages?limit=0x10", undefined, 400],
    ["GET /terminals/S/inbox/messages/wait?timeout=x", undefined, 400],
    ["GET /terminals/S/inbox/messages/wait?timeout=-1", undefined, 400],
    ["GET /terminals/S/inbox/messages/wait?timeout=601", undefined, 400],
    ["GET /terminals/S/inbox/messages/wait?batch_window=-1&timeout=0", undefined, 400],
    ["GET /terminals/S/inbox/messages/wait?other=1&timeout=0", undefined, 400],
    ["POST /terminals/-x/inbox/messages", post, 400],
    ["POST /terminals/S/inbox/messages/wait", {}, 405],
    ["PUT /terminals/S/inbox/messages", {}, 405],
  ] as const)("[C4] %s %j is %i", async (route, body, status) => {
    await using hub = await hubHere();
    const answer = await hub.ask(route, body);
    expect([answer.status, answer.json.ok]).toEqual([status, false]);
    expect(answer.json.error.message).not.toBe("");
  });
});
