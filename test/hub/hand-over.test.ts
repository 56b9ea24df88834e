/** [B4] An answer on its way: cut at every stage, a message is handed over again or was received; it is never lost. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { InboxError } from "../../src/contract/errors.ts";
import { connect } from "../../src/surfaces/client/client.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Ask, hubHere, served, type TestHub } from "../support/hub.ts";
import { refusal } from "../support/refusal.ts";
import { bytesOf, line } from "../support/socket.ts";
import { rows } from "../support/stored.ts";
import { until } from "../support/until.ts";

const poll = "GET /terminals/w/inbox/messages/wait?timeout=60&batch_window=0";
const write = (ask: Ask, message = "m") =>
  ask("POST /terminals/w/inbox/messages", { sender_id: "s", message });
const status = async (ask: Ask, id = 1) => (await ask(`GET /api/messages/${id}`)).json;
const untilWaiting = (ask: Ask, count: number) =>
  until("as many as expected wait at the hub", async () =>
    (await ask("GET /metrics")).text.includes(`restante_waiters ${count}\n`),
  );
/** What a reader who comes afterwards is given at once. */
const next = async (ask: Ask) => (await ask("GET /terminals/w/inbox/messages/wait?timeout=0")).json;
const settled = (ask: Ask) =>
  until("the message is acked, or pending again", async () => {
    const { status: now, ackedAt } = await status(ask);
    const { hidden } = (await ask("GET /api/mailbox/w")).json;
    return (now === "acked" && ackedAt) || (now === "pending" && hidden === 0);
  });

describe("a long poll that is cut", () => {
  test("[W4] [B4] before the message comes consumes nothing", async () => {
    await using hub = await hubHere();
    for (let i = 0; i < 20; i++) {
      const raw = await line(hub.url);
      raw.send(bytesOf(poll));
      await untilWaiting(hub.ask, 1);
      raw.cut();
      await untilWaiting(hub.ask, 0);
    }
    await write(hub.ask);
    expect(await status(hub.ask)).toMatchObject({ status: "pending", handed: 0 });
    expect(await next(hub.ask)).toMatchObject([{ id: 1, redelivered: false }]);
  });

  test("[W4] [B4] right after the request, or in the middle of it, consumes nothing", async () => {
    await using hub = await hubHere();
    const request = bytesOf("POST /api/mailbox/w/receive", { timeoutSeconds: 60 });
    for (let length = 1; length <= request.length; length += 9) {
      const raw = await line(hub.url);
      raw.send(request.slice(0, length));
      raw.cut();
    }
    const raw = await line(hub.url);
    await new Promise<void>((done) => raw.socket.write(request, () => done()));
    raw.cut();
    await untilWaiting(hub.ask, 0);
    await write(hub.ask);
    expect(await next(hub.ask)).toMatchObject([{ id: 1 }]);
  });

  test("[W4] [B4] in the same moment as the message is written loses nothing", async () => {
    await using hub = await hubHere();
    let lost = 0;
    for (let round = 1; round <= 60; round++) {
      const raw = await line(hub.url);
      raw.send(bytesOf(poll));
      await untilWaiting(hub.ask, 1);
      const writing = write(hub.ask, String(round));
      if (round % 3 === 0) await new Promise((done) => setImmediate(done));
      if (round % 3 === 1) await writing;
      raw.cut();
      await writing;
      await untilWaiting(hub.ask, 0);
      await until("the message is acked, or given back", async () => {
        const { status: now } = await status(hub.ask, round);
        return now === "acked" || (await hub.ask("GET /api/mailbox/w")).json.hidden === 0;
      });
      const came = await next(hub.ask);
      // Written out before the cut: then a plain client has collected it.
      if (!came.length && round % 3 !== 1 && !/"id":/.test(raw.received())) lost++;
      for (const one of came) expect(one.id).toBe(round);
    }
    expect(lost).toBe(0);
  });

  test("[W4] [B4] by closing its sending half still gets its answer, or consumes nothing", async () => {
    await using hub = await hubHere();
    const raw = await line(hub.url);
    raw.send(bytesOf(poll));
    await untilWaiting(hub.ask, 1);
    raw.socket.end();
    await Promise.race([untilWaiting(hub.ask, 0), raw.closed]);
    await write(hub.ask);
    const text = raw.received();
    const came = await next(hub.ask);
    if (/"id":1/.test(text)) expect(came).toEqual([]);
    else expect(came).toMatchObject([{ id: 1 }]);
  });
});

describe("an answer that is not taken", () => {
  /** Each of these takes six bytes in JSON: an answer much bigger than what the sockets of both sides hold. */
  const big = "\u0001".repeat(900_000);
  const many = 5;

  async function withBigMail(hub: TestHub): Promise<void> {
    for (let i = 0; i < many; i++) await write(hub.ask, big);
  }

  const ask = "POST /api/mailbox/w/check";

  test("[B4] cut while it is being written has collected nothing", async () => {
    await using hub = await hubHere();
    await withBigMail(hub);
    const raw = await line(hub.url);
    raw.send(bytesOf(ask, {}));
    await raw.until(/"id":1/);
    raw.socket.pause();
    raw.cut();
    await settled(hub.ask);
    const { total, messages } = (await hub.ask(ask, {})).json;
    expect(messages[0]).toMatchObject({ id: 1 });
    expect(total).toBeGreaterThan(1);
  });

  test("[B4] cut after only its headers has collected nothing", async () => {
    await using hub = await hubHere();
    await withBigMail(hub);
    const raw = await line(hub.url);
    raw.send(bytesOf(ask, {}));
    await new Promise<void>((done) => raw.socket.once("data", () => done()));
    raw.socket.pause();
    expect(raw.received()).toStartWith("HTTP/1.1 200");
    raw.cut();
    await settled(hub.ask);
    expect((await hub.ask(ask, {})).json.messages[0]).toMatchObject({ id: 1 });
  });

  test("[B4] [W1] read slowly is whole, and collected once", async () => {
    await using hub = await hubHere();
    await withBigMail(hub);
    const raw = await line(hub.url);
    raw.socket.pause();
    raw.send(bytesOf(ask, {}, { connection: "close" }));
    await until("the message is handed over", async () => (await status(hub.ask)).handed === 1);
    await write(hub.ask, "others are served meanwhile");
    raw.socket.resume();
    const body = (await raw.closed).split("\r\n\r\n").slice(1).join("\r\n\r\n");
    const ids = [...body.matchAll(/"id":(\d+)/g)].map((match) => Number(match[1]));
    expect(ids[0]).toBe(1);
    for (const id of ids)
      await until("the message is acked", async () => (await status(hub.ask, id)).status === "acked");
    const rest = (await hub.ask(ask, {})).json.messages.map((one: { id: number }) => one.id);
    expect(rest[0]).toBe(ids.at(-1)! + 1);
  });

  test("[B4] [L1] a claim whose answer was cut leaves the thread to others", async () => {
    await using hub = await hubHere();
    await hub.ask("POST /api/threads", { from: "lead", to: "w", subject: "s", body: big });
    for (let i = 0; i < 3; i++)
      await hub.ask("POST /api/threads/thr_1/reply", { from: "lead", to: "w", body: big });
    const raw = await line(hub.url);
    raw.send(bytesOf("POST /api/threads/claim", { agent: "w" }));
    await new Promise<void>((done) => raw.socket.once("data", () => done()));
    raw.socket.pause();
    raw.cut();
    const show = async () => (await hub.ask("GET /api/threads/thr_1")).json;
    await until("the thread is pending again", async () => (await show()).thread.status === "pending");
    expect((await status(hub.ask)).status).toBe("pending");
  });
});

/** [B4.6] Of a batch that was confirmed too late a part may be the reader's all the same: the refusal names it. */
const leftOver = ({ details }: InboxError) =>
  ((details?.collected ?? []) as string[]).map((id) => Number(id.replace("msg_", "")));

test("[B4] under many cuts every message is received, and acked by one only", async () => {
  let offset = 0;
  await using hub = await hubHere({ now: () => Date.now() + offset });
  const total = 200;
  const acked = () => rows(hub.db, "select 1 from messages where acked_at is not null").length;
  const seen = new Set<number>();
  const consumer = async (seed: number) => {
    let draw = seed;
    const client = connect(hub.url, {
      fetch: async (url, init) => {
        draw = (draw * 1_103_515_245 + 12_345) % 2_147_483_648;
        const chance = (draw >> 8) % 4;
        if (chance === 0) throw new TypeError("cut before it was sent");
        const response = await fetch(url, init);
        if (chance === 1 && url.endsWith("/receive")) throw new TypeError("cut before it was read");
        return response;
      },
    });
    while (acked() < total) {
      const answer = client.call("mailbox.receive", { agent: "w", max: 3, timeoutSeconds: 0.02 });
      for (const id of await answer.then(({ messages }) => messages.map(({ id }) => id), leftOver))
        seen.add(id);
    }
  };
  const consumers = [1, 2, 3, 4].map(consumer);
  for (let i = 0; i < total; i++) await write(hub.ask, String(i));
  const ageing = setInterval(() => {
    offset += 61_000;
  }, 50);
  await Promise.all(consumers);
  clearInterval(ageing);
  const collected = rows<{ payload_json: string }>(
    hub.db,
    "select payload_json from events where event_type = 'messages.collected'",
  ).flatMap((row) => JSON.parse(row.payload_json).messages);
  expect(collected.length).toBe(total);
  expect(new Set(collected).size).toBe(total);
  expect(seen.size).toBe(total);
});

describe("our own client", () => {
  test("[B4] that dies between answer and confirmation loses nothing: same id, redelivered", async () => {
    let offset = 0;
    await using hub = await hubHere({ now: () => Date.now() + offset });
    await write(hub.ask);
    const dying = connect(hub.url);
    const handed = await dying.hand("mailbox.receive", { agent: "w" });
    expect(handed.value.messages).toMatchObject([{ id: 1, redelivered: false }]);
    expect(await next(hub.ask)).toEqual([]);
    offset += 61_000;
    expect(await next(hub.ask)).toMatchObject([{ id: 1, redelivered: true }]);
    // It comes back to life: the message is another's by now.
    expect((await refusal(handed.confirm!())).code).toBe("conflict");
    await until("the message is acked", async () => (await status(hub.ask)).status === "acked");
    expect(rows(hub.db, "select 1 from events where event_type = 'messages.collected'")).toHaveLength(1);
  });

  test("[B4] gives back what its caller could not use, at once and uncounted", async () => {
    await using hub = await hubHere();
    await write(hub.ask);
    const handed = await connect(hub.url).hand("mailbox.check", { agent: "w" });
    await handed.release!();
    expect(await status(hub.ask)).toMatchObject({ status: "pending", handed: 0 });
    expect((await refusal(handed.confirm!())).code).toBe("conflict");
    expect(await next(hub.ask)).toMatchObject([{ id: 1, redelivered: false }]);
  });

  test("[B4] whose answer is lost on the way has collected nothing", async () => {
    await using hub = await hubHere();
    await write(hub.ask);
    let lose = true;
    const client = connect(hub.url, {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (!lose || !url.includes("/receive")) return response;
        lose = false;
        throw new TypeError("the line was cut");
      },
    });
    const answer = await client
      .call("mailbox.receive", { agent: "w", timeoutSeconds: 0 })
      .catch(() => undefined);
    expect((await status(hub.ask)).status).toBe(answer?.messages.length ? "acked" : "pending");
  });

  test("[B4] whose confirmation's answer is lost still has the message, or will get it again", async () => {
    await using hub = await hubHere();
    await write(hub.ask);
    let lose = true;
    const client = connect(hub.url, {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (!lose || !url.includes("/confirm")) return response;
        lose = false;
        throw new TypeError("the line was cut");
      },
    });
    const answer = await client.call("mailbox.receive", { agent: "w" }).catch(() => undefined);
    const has = answer?.messages.length === 1;
    expect([has, (await status(hub.ask)).status]).toEqual([true, "acked"]);
  });

  test("[B4] that uses one id for two hand-overs loses neither", async () => {
    await using hub = await hubHere();
    const id = crypto.randomUUID();
    const headers = { "x-inbox-hand-over": id };
    const check = async () => {
      await write(hub.ask);
      return (await hub.ask("POST /api/mailbox/w/check", {}, { headers })).status;
    };
    expect([await check(), await check()]).toEqual([200, 200]);
    await hub.ask("POST /api/hand-overs/release", { of: "call", agent: "w", id });
    expect((await next(hub.ask)).map((one: { id: number }) => one.id)).toEqual([1, 2]);
  });

  test("[W4] [B4] that aborts its wait consumes nothing", async () => {
    await using hub = await hubHere();
    const ending = new AbortController();
    const waiting = connect(hub.url).call("mailbox.receive", { agent: "w" }, { signal: ending.signal });
    await untilWaiting(hub.ask, 1);
    ending.abort();
    await expect(waiting).rejects.toThrow();
    await untilWaiting(hub.ask, 0);
    await write(hub.ask);
    expect(await next(hub.ask)).toMatchObject([{ id: 1, redelivered: false }]);
  });

  test("[M9] [B4] a write whose answer is lost is sent again, and happens once", async () => {
    await using hub = await hubHere();
    let losses = 2;
    const client = connect(hub.url, {
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (losses-- > 0) throw new TypeError("the line was cut");
        return response;
      },
    });
    const sent = await client.call("messages.send", { channel: "c", content: "x", sender: "s" });
    expect(sent).toMatchObject({ id: 1 });
    expect(sent).not.toHaveProperty("deduplicated");
    expect((await hub.ask("GET /api/messages/inbox/c/count")).json.count).toBe(1);
  });
});

test("[B4] [S4] a hub killed between hand-over and confirmation delivers again, after the deadline", async () => {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  await using killed = await served(db);
  await write(killed.ask);
  const handed = await connect(killed.url).hand("mailbox.receive", { agent: "w" });
  expect(handed.value.messages).toMatchObject([{ id: 1, redelivered: false }]);
  killed.kill("SIGKILL");
  await killed.exited;
  expect((await refusal(handed.confirm!())).code).toBe("storage");
  await using again = await served(db);
  expect(await next(again.ask)).toEqual([]);
  await using later = await hubHere({ db, now: () => Date.now() + 61_000 });
  expect(await next(later.ask)).toMatchObject([{ id: 1, redelivered: true }]);
});
