/** [M9] [B4] [G4] Answers of a hub that never come: what was written is not reported as if it had not been. */
import { describe, expect, test } from "bun:test";
import { connect } from "../../src/surfaces/client/client.ts";
import type { Wire } from "../../src/surfaces/client/request.ts";
import { run } from "../support/cli.ts";
import { type Ask, hubHere } from "../support/hub.ts";
import { muteLine } from "../support/mute-line.ts";
import { refusal } from "../support/refusal.ts";

const inbox = (db: string, ...args: string[]) => run([...args, "--json", "--db", db]);

test("[M9] [G4] a write whose answers are all lost is reported as not known, with the key that makes repeating it safe", async () => {
  await using hub = await hubHere();
  await using line = await muteLine(hub.url, /^POST \/api\/mailbox\/w\/send /);
  const lost = await inbox(line.url, "send", "w", "hello");
  expect([lost.code, lost.json.error.code]).toEqual([50, "storage"]);
  expect(lost.json.error.message).toContain("not known");
  expect(line.swallowed()).toBeGreaterThan(1);
  const key = lost.json.error.details.idempotency_key;
  expect(lost.json.error.hint).toContain(key);
  // By this the bus knows that it needs the key for an hour only.
  expect(key).toStartWith("call-");
  const again = await inbox(hub.url, "send", "w", "hello", "--idempotency-key", key);
  expect([again.code, again.json.deduplicated]).toEqual([0, true]);
  expect((await hub.ask("GET /api/mailbox/w")).json.total).toBe(1);
});

test("[M9] [G4] a write that never left is reported as such", async () => {
  const { code, json } = await inbox("http://127.0.0.1:9", "send", "w", "hello");
  expect([code, json.error.code]).toEqual([50, "storage"]);
  expect(json.error.message).toContain("cannot be reached");
  expect(json.error.details).not.toHaveProperty("idempotency_key");
});

test("[B4] [C3] a receive whose confirmation never arrives does not end with 0", async () => {
  await using hub = await hubHere();
  await hub.ask("POST /api/mailbox/w/send", { from: "lead", message: "hello" });
  await using line = await muteLine(hub.url, /^POST \/api\/hand-overs\/confirm /);
  const { code, json, stderr } = await inbox(line.url, "receive", "--agent", "w");
  expect(json.messages).toMatchObject([{ id: 1 }]);
  expect(code).toBe(50);
  expect(stderr).toContain("not marked as read");
});

const collecting = [
  { what: "receive", args: ["receive", "--agent", "w"] },
  { what: "check", args: ["check", "--agent", "w"] },
  { what: "claim", args: ["claim", "--agent", "w"] },
];

test.each(collecting)(
  "[B4.11] a $what whose first answer is lost is asked again, and one whose answers are all lost says that none came",
  async ({ what, args }) => {
    await using hub = await hubHere();
    await hub.ask("POST /api/threads", { from: "lead", to: "w", subject: "hello" });
    const route = new RegExp(`^POST /api/\\S*/${what} `);
    await using silent = await muteLine(hub.url, route);
    const none = await inbox(silent.url, ...args);
    expect([none.code, none.json.error.code]).toEqual([50, "storage"]);
    expect(none.json.error.message).toEndWith("gave no answer");
    expect(silent.swallowed()).toBeGreaterThan(1);
    if (what === "receive") {
      // Longer than a refusal takes: it has begun to wait, and its time is over when the first answer is lost.
      const waiting = await inbox(silent.url, ...args, "--from", "nobody", "--timeout-seconds", "1");
      expect([waiting.code, waiting.json.error.message]).toEqual([none.code, none.json.error.message]);
    }
    // Nothing of it is left: neither mail that is hidden, nor a lease.
    await using line = await muteLine(hub.url, route, 1);
    const { code, json } = await inbox(line.url, ...args);
    expect([code, json.messages.length, line.swallowed()]).toEqual([0, 1, 1]);
    if (what === "claim") expect(json.lease.attempt).toBe(1);
    else expect(json.messages[0].redelivered).toBe(true);
  },
);

/** The first answer is lost; instead of the second one comes a refusal. */
function losingFirst({ code, status }: { code: string; status: number }): Wire["fetch"] {
  let calls = 0;
  return async (url, init) => {
    if (++calls > 1)
      return Response.json(
        { error: { code, message: "no room left: nothing was written", hint: "" } },
        { status },
      );
    await (await fetch(url, init)).text();
    throw new TypeError("the connection was closed");
  };
}

test.each([
  { code: "storage", status: 503 },
  { code: "limited", status: 429 },
  { code: "unauthenticated", status: 401 },
  { code: "not_allowed", status: 403 },
  { code: "internal", status: 500 },
])(
  "[M9.5] a write whose first answer is lost is not reported as unwritten where its repetition is refused as $code",
  async (refused) => {
    await using hub = await hubHere();
    const client = connect(hub.url, { fetch: losingFirst(refused) });
    const error = await refusal(client.call("mailbox.send", { from: "lead", to: "w", message: "hello" }));
    expect(error.code).toBe("storage");
    expect(error.message).toContain("gave no answer, and the repeated call was refused (no room left");
    expect(error.message).toContain("not known");
    expect(error.details?.known).toBe(false);
    const idempotencyKey = error.details!.idempotency_key as string;
    const again = { from: "lead", to: "w", message: "hello" };
    await connect(hub.url).call("mailbox.send", again, { idempotencyKey });
    expect((await hub.ask("GET /api/mailbox/w")).json.total).toBe(1);
  },
);

test("[M9.5] a refusal that is decided with the key in hand is the answer, also where an earlier one was lost", async () => {
  await using hub = await hubHere();
  const client = connect(hub.url, { fetch: losingFirst({ code: "conflict", status: 409 }) });
  const error = await refusal(client.call("mailbox.send", { from: "lead", to: "w", message: "hello" }));
  expect([error.code, error.details?.known]).toEqual(["conflict", undefined]);
});

describe("a claim that brings a result", () => {
  /** A client whose first requests for a claim fail, in one of two ways. */
  const failing = (url: string, fails: "busy" | "refused", times: number) => {
    let asked = 0;
    const client = connect(url, {
      fetch: async (to, init) => {
        if (!to.endsWith("/api/threads/claim") || ++asked > times) return fetch(to, init);
        if (fails === "refused") throw Object.assign(new TypeError("refused"), { code: "ConnectionRefused" });
        return Response.json({ ok: false, error: { code: "busy", message: "busy" } }, { status: 503 });
      },
    });
    return { client, asked: () => asked };
  };
  const claimed = async (ask: Ask) => {
    for (const subject of ["one", "two"]) await ask("POST /api/threads", { from: "lead", to: "w", subject });
    await ask("POST /api/threads/claim", { agent: "w" });
  };

  test.each(["busy", "refused"] as const)(
    "[L12.6] is sent again if the hub is %s, with wait and without",
    async (how) => {
      for (const wait of [false, true]) {
        await using hub = await hubHere();
        await claimed(hub.ask);
        const { client, asked } = failing(hub.url, how, 2);
        const { thread, ended } = await client.call("threads.claim", {
          agent: "w",
          done: "thr_1",
          summary: "made",
          wait,
        });
        expect([thread?.threadId, ended?.thread.status, asked()]).toEqual(["thr_2", "done", 3]);
      }
    },
  );

  test("[L12.6] fails if the hub stays away, and a claim without a result fails at once", async () => {
    await using hub = await hubHere();
    await claimed(hub.ask);
    const refused = failing(hub.url, "refused", 1);
    expect(await refusal(refused.client.call("threads.claim", { agent: "w" }))).toMatchObject({
      code: "storage",
    });
    expect(refused.asked()).toBe(1);
    const busy = failing(hub.url, "busy", 99);
    const ending = busy.client.call("threads.claim", { agent: "w", done: "thr_1" });
    expect(await refusal(ending)).toMatchObject({ code: "busy" });
    expect(busy.asked()).toBe(4);
    const nobody = connect("http://127.0.0.1:9").call("threads.claim", { agent: "w", done: "thr_1" });
    expect(await refusal(nobody)).toMatchObject({ code: "storage" });
  });

  test("[L12.6] takes no place among the open waits", async () => {
    await using hub = await hubHere({ limits: { waits: { all: 0, perToken: 0, perAddress: 0 } } });
    await claimed(hub.ask);
    const claim = (input: object) => hub.ask("POST /api/threads/claim", { agent: "w", ...input });
    expect((await claim({ done: "thr_1" })).json.ended.thread.status).toBe("done");
    expect((await claim({ done: "thr_2", wait: true })).json.error.code).toBe("limited");
  });
});
