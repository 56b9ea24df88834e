/** How a hub starts and how it ends: nobody is left without an answer, and nothing that was answered is lost. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/surfaces/client/client.ts";
import { run, start } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Ask, ask, hubHere, served } from "../support/hub.ts";
import { overHttp, revisions } from "../support/mcp.ts";
import { freePort } from "../support/servers.ts";
import { bytesOf, line } from "../support/socket.ts";
import { openStream } from "../support/sse.ts";
import { rows } from "../support/stored.ts";
import { until } from "../support/until.ts";

const untilWaiting = (to: Ask, count: number) =>
  until("as many as expected wait at the hub", async () =>
    (await to("GET /metrics")).text.includes(`restante_waiters ${count}\n`),
  );
const send = (to: Ask, content: string) => to("POST /api/messages", { channel: "c", content });

/** Whether it ends while the other side keeps its connection: one that is held up does not end at all. */
const ends = (work: Promise<unknown>) =>
  Promise.race([
    work.then(() => "ended"),
    new Promise((done) => setTimeout(() => done("still there"), 30_000)),
  ]);

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  test("[C4] [W3] ends the hub with 0; open waits are answered, and streams end", async () => {
    await using hub = await served();
    await hub.ask("POST /api/threads", { from: "lead", to: "w", subject: "s" });
    // Known from before: who waits for the first time is an event, and would wake who watches them.
    await hub.ask("POST /api/mailbox/nobody/check", {});
    const waits = [
      hub.ask("POST /api/mailbox/nobody/receive", {}),
      hub.ask("POST /api/mailbox/nobody/wait", {}),
      hub.ask("POST /api/mailbox/nobody/gather", { from: ["x"] }),
      hub.ask("POST /api/threads/thr_1/wait-reply", {}),
      hub.ask("GET /api/events/wait"),
    ];
    const terminal = hub.ask("GET /terminals/nobody/inbox/messages/wait");
    const claim = hub.ask("POST /api/threads/claim", { agent: "nobody", wait: true });
    const stream = await openStream(`${hub.url}/api/events`);
    await untilWaiting(hub.ask, 8); // the stream is one, too
    hub.kill(signal);
    for (const { status, json } of await Promise.all(waits))
      expect([status, json.woke]).toEqual([200, false]);
    expect([(await terminal).status, (await terminal).json]).toEqual([200, []]);
    expect([(await claim).status, (await claim).json.thread]).toEqual([200, null]);
    await stream.ended();
    expect(await hub.exited).toBe(0);
    expect(rows(hub.db, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  test("[S4] writes in flight are answered and stored, or refused and not stored", async () => {
    await using hub = await served();
    await send(hub.ask, "first");
    const writes = Array.from({ length: 300 }, (_, i) =>
      send(hub.ask, String(i)).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    await Promise.race(writes);
    hub.kill(signal);
    const answered = (await Promise.all(writes)).filter((status) => status === 201).length;
    expect(await hub.exited).toBe(0);
    const stored = rows(hub.db, "select 1 from messages").length - 1;
    expect(answered).toBeGreaterThan(0);
    // One that was stored and could not be told any more is allowed; the other way round is not.
    expect(stored).toBeGreaterThanOrEqual(answered);
  });
});

/** A raw stream of the hub's, as it comes over the wire. */
async function rawStream(url: string, path: string, headers: Record<string, string> = {}) {
  const raw = await line(url);
  raw.send(bytesOf(`GET ${path}`, undefined, headers));
  await raw.until(/\r\n\r\n/);
  return raw;
}

describe("a stop", () => {
  test.each([...revisions])(
    "[C11] answers the open calls of MCP clients (%s) as if their time were over",
    async (revision) => {
      await using hub = await served();
      await hub.ask("POST /api/threads", { from: "lead", to: "another", subject: "s" });
      await hub.ask("POST /api/mailbox/w/check", {});
      await using worker = await overHttp(`${hub.url}/mcp?agent=w`, revision);
      const calls = [
        worker.call("check_inbox", { from: "x", timeout: 100 }),
        worker.call("receive", { from: "x", timeout: 100 }),
        worker.call("gather", { from: ["x"], timeout: 100 }),
        worker.call("wait_reply", { thread: "thr_1", timeout_seconds: 100 }),
        worker.call("watch", { timeout_seconds: 100, thread: "thr_1" }),
        worker.call("claim", { wait: true, timeout_seconds: 100 }),
      ];
      // A client of the older revision also keeps a stream open.
      await untilWaiting(hub.ask, calls.length + (revision === "2025-11-25" ? 1 : 0));
      hub.kill("SIGTERM");
      for (const { failed, fields } of await Promise.all(calls)) {
        expect(failed).toBe(false);
        expect(fields.total ?? fields.messages?.length ?? fields.events.length).toBe(0);
      }
      expect(await hub.exited).toBe(0);
    },
  );

  test("[C11] [W6] ends every open stream as a whole, and is not held up by one", async () => {
    await using hub = await served();
    await hub.ask("POST /api/mailbox/user/send", { from: "w", message: "look" });
    const [entry] = (await hub.ask("GET /api/inbox/history")).json.entries;
    const session = await fetch(`${hub.url}/mcp?agent=w`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      }),
    });
    await session.text();
    const events = await rawStream(hub.url, "/api/events");
    const documents = await rawStream(hub.url, `/api/inbox/${entry.id}/docs/watch`);
    const listening = await rawStream(hub.url, "/mcp?agent=w", {
      accept: "text/event-stream",
      "mcp-session-id": session.headers.get("mcp-session-id")!,
    });
    hub.kill("SIGTERM");
    // The last chunk of a body: without it the client can only guess that this was all.
    for (const stream of [events, documents, listening]) await stream.until(/\r\n0\r\n\r\n$/);
    expect(await hub.exited).toBe(0);
  });

  test("[B4] in the middle of a hand-over: answered mail is collected, the rest is still there", async () => {
    for (let round = 0; round < 10; round++) {
      await using hub = await hubHere();
      const waiting = hub.ask("GET /terminals/w/inbox/messages/wait?batch_window=0");
      await untilWaiting(hub.ask, 1);
      await hub.ask("POST /terminals/w/inbox/messages", { sender_id: "s", message: "m" });
      await hub.stop();
      const got = (await waiting).json.length;
      const acked = rows(hub.db, "select 1 from messages where acked_at is not null").length;
      expect([round, acked]).toEqual([round, got]);
    }
  });

  test("[B4] between hand-over and confirmation loses nothing for our own client: it confirms at the next hub", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    const port = freePort();
    const first = await hubHere({ db, port });
    await first.ask("POST /terminals/w/inbox/messages", { sender_id: "s", message: "m" });
    const handed = await connect(first.url).hand("mailbox.receive", { agent: "w" });
    expect(handed.value.total).toBe(1);
    await first[Symbol.asyncDispose]();
    await using second = await hubHere({ db, port });
    await handed.confirm!();
    expect((await second.ask("GET /api/messages/1")).json.status).toBe("acked");
  });

  test("[C4] is not held up by a connection that says nothing", async () => {
    await using hub = await served();
    const raw = await line(hub.url);
    const kept = await line(hub.url);
    kept.send(bytesOf("GET /healthz"));
    await kept.until(/"ok":true/);
    hub.kill("SIGTERM");
    expect(await ends(hub.exited)).toBe("ended");
    raw.cut();
    kept.cut();
  });

  test("[C4] is not held up by half a request", async () => {
    await using hub = await served();
    const raw = await line(hub.url);
    raw.send(bytesOf("POST /api/messages", { channel: "c", content: "x" }).slice(0, -5));
    await send(hub.ask, "the hub has seen the other one by now");
    hub.kill("SIGTERM");
    expect(await ends(hub.exited)).toBe("ended");
    raw.cut();
  });

  test("[C4] [W6] is not held up by a reader that does not read", async () => {
    await using hub = await served();
    const raw = await line(hub.url);
    raw.socket.pause();
    raw.send(bytesOf("GET /api/events?afterEvent=0"));
    const subject = "x".repeat(1000);
    for (let round = 0; round < 100; round++)
      await Promise.all(
        Array.from({ length: 100 }, () => hub.ask("POST /api/threads", { from: "lead", to: "w", subject })),
      );
    hub.kill("SIGTERM");
    expect(await ends(hub.exited)).toBe("ended");
    raw.cut();
  });

  test("[C4] frees the port for the next hub", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    const port = String(freePort());
    await using first = await served(db, "--port", port);
    const stream = await openStream(`${first.url}/api/events`);
    first.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    await using second = await served(db, "--port", port);
    expect(second.url).toBe(first.url);
    expect((await second.ask("GET /readyz")).status).toBe(200);
    stream.close();
  });

  test("[W6] [G4] our own client follows on over a restart, without a gap", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    const port = freePort();
    const first = await hubHere({ db, port });
    const ending = new AbortController();
    const events = connect(first.url).follow({ afterEvent: 0 }, { signal: ending.signal });
    await send(first.ask, "one");
    const ids = [];
    for (let i = 0; i < 2; i++) ids.push((await events.next()).value!.eventId);
    const more = events.next();
    await first[Symbol.asyncDispose]();
    await using second = await hubHere({ db, port });
    await send(second.ask, "two");
    ids.push((await more).value!.eventId);
    expect(ids).toEqual([1, 2, 3]);
    ending.abort();
  });
});

describe("a start", () => {
  test("[S2] [S5] creates the database itself, readable by nobody else", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "deep/er/coord.db");
    await using hub = await served(db);
    expect(existsSync(db)).toBe(true);
    expect(statSync(db).mode & 0o777).toBe(0o600);
    expect((await hub.ask("GET /readyz")).status).toBe(200);
  });

  test("[S2] keeps a bus that it makes out of git, as init does", async () => {
    using folder = temporaryFolder();
    await using hub = await served(join(folder.path, ".agents/coord.db"));
    expect((await hub.ask("GET /readyz")).status).toBe(200);
    expect(readFileSync(join(folder.path, ".agents/.gitignore"), "utf8")).toContain("coord.db*");
  });

  test("[C4] on a port that another hub uses names its process and database", async () => {
    await using first = await served();
    using folder = temporaryFolder();
    const { port } = new URL(first.url);
    const second = await run(["serve", "--port", port, "--json", "--db", join(folder.path, "coord.db")]);
    expect(second.code).toBe(50);
    expect(second.json.error.message).toContain(String(first.pid));
    expect(second.json.error.message).toContain(first.db);
    expect((await first.ask("GET /healthz")).json.pid).toBe(first.pid);
  });

  test("[C4] on a port that another program uses reports that", async () => {
    using folder = temporaryFolder();
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
    const db = join(folder.path, "coord.db");
    const { code, json } = await run(["serve", "--port", String(other.port), "--json", "--db", db]);
    expect([code, json.error.code]).toEqual([50, "storage"]);
    expect(json.error.message).toContain(`port ${other.port}`);
  });

  test("[C4] at the address of another hub is refused, and makes no file of that name", async () => {
    using folder = temporaryFolder();
    const args = ["serve", "--port", "0", "--json", "--db", "http://127.0.0.1:9"];
    const child = start(args, { cwd: folder.path });
    const { value } = await child.stdout.getReader().read();
    child.kill("SIGKILL");
    await child.exited;
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ error: { code: "invalid_input" } });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

test("[S4] [W1] a write lock held by another process stalls neither reads nor /healthz", async () => {
  await using hub = await served();
  await send(hub.ask, "one");
  const locked = new Database(hub.db);
  locked.run("pragma busy_timeout = 5000");
  locked.run("begin immediate");
  const writing = send(ask(hub.url), "two");
  // All of them while the lock is held; what waited for it would be answered after that.
  for (let i = 0; i < 20; i++) {
    const { json } = await hub.ask("GET /api/messages/inbox/c/count");
    expect(json.count).toBe(1);
    expect((await hub.ask("GET /healthz")).status).toBe(200);
  }
  locked.run("rollback");
  locked.close();
  expect((await writing).status).toBe(201);
});
