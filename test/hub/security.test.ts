/** Who may come in, and as whom. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { startHub } from "../../src/hub.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Fields, hubHere, type TestHub } from "../support/hub.ts";
import { refusal } from "../support/refusal.ts";
import { requestOf, routeKinds, routes } from "../support/routes.ts";
import { bytesOf, line } from "../support/socket.ts";
import { rows } from "../support/stored.ts";

/** By hand: a client of the runtime's own might put these headers right. */
async function statusAt(url: string, route: string, headers: Record<string, string>): Promise<number> {
  const raw = await line(url);
  raw.send(bytesOf(route, undefined, headers));
  const head = await raw.until(/^HTTP\/1\.1 (\d+)/);
  raw.cut();
  return Number(head.slice(9, 12));
}

describe("another address", () => {
  const elsewhere = { port: 0, host: "0.0.0.0", allowHosts: [], auth: false };

  test("[X1] is refused without tokens", async () => {
    using folder = temporaryFolder();
    const error = await refusal(startHub({ ...elsewhere, db: join(folder.path, "coord.db") }));
    expect(error.code).toBe("not_allowed");
    expect(`${error.message} ${error.hint}`).toMatch(/0\.0\.0\.0.*tokens\.create/);
  });

  test("[X1] is refused where every token was revoked", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    createDatabase(db);
    const inbox = openInbox(db);
    const { tokenId } = await inbox.call("tokens.create", { agent: "a" });
    await inbox.call("tokens.revoke", { id: tokenId });
    await inbox.close();
    expect((await refusal(startHub({ ...elsewhere, db }))).code).toBe("not_allowed");
  });

  test("[X1] or another name, which means that a proxy leads here, needs tokens just as much", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    const named = { port: 0, host: "127.0.0.1", allowHosts: ["Bus.Example"], auth: false };
    const error = await refusal(startHub({ ...named, db }));
    expect(error.code).toBe("not_allowed");
    expect(`${error.message} ${error.hint}`).toMatch(/Bus\.Example.*tokens\.create.*allowHost/);
    createDatabase(db);
    const inbox = openInbox(db);
    const { token } = await inbox.call("tokens.create", { agent: "a" });
    await inbox.close();
    await using hub = await hubHere({ ...named, db });
    const statusWith = (headers: Record<string, string>) => statusAt(hub.url, "GET /api/threads", headers);
    const authorization = `Bearer ${token}`;
    expect(await statusWith({ host: "bus.example" })).toBe(401);
    expect(await statusWith({ host: "localhost" })).toBe(401);
    expect(await statusWith({ host: "bus.example", authorization })).toBe(200);
    // Who holds the port is for this machine.
    expect((await hub.ask("GET /healthz")).json).toEqual({ ok: true });
  });

  test("[X1] with a token is served to its owner and to nobody else", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    createDatabase(db);
    const inbox = openInbox(db);
    const { token } = await inbox.call("tokens.create", { agent: "a" });
    await inbox.close();
    await using hub = await hubHere({ ...elsewhere, db });
    const url = hub.url.replace("0.0.0.0", "127.0.0.1");
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${url}/api/threads`, { headers })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(200);
  });
});

describe("tokens", () => {
  let hub: TestHub;
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    hub = await hubHere({ auth: true });
    const inbox = openInbox(hub.db);
    for (const scope of ["worker", "leader", "user", "admin"] as const)
      tokens[scope] = (await inbox.call("tokens.create", { agent: `${scope}-1`, scope })).token;
    tokens.revoked = (await inbox.call("tokens.create", { agent: "gone" })).token;
    const { tokens: all } = await inbox.call("tokens.list", {});
    await inbox.call("tokens.revoke", { id: all.at(-1)!.tokenId });
    await inbox.close();
  });
  afterAll(() => hub[Symbol.asyncDispose]());

  const open = /^GET \/($|healthz|readyz|openapi|docs|nowhere|inbox|diagrams|worker\.js)/;
  const guarded = [
    ...routeKinds.filter((route) => !open.test(route)),
    ...routes.map(({ route }) => route),
  ].filter((route) => !route.startsWith("PUT"));
  const filled = (route: string) =>
    route
      .replace(/:thread/, "thr_1")
      .replace(/:id/, "1")
      .replace(/:\w+/, "x");

  test.each([...new Set(guarded)])(
    "[X2] %s is 401 without a token, and with one that is none",
    async (route) => {
      for (const authorization of [
        undefined,
        "Bearer",
        "Bearer x",
        "Basic eDp5",
        `Bearer ${tokens.revoked}`,
      ]) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const { status, json } = await hub.ask(filled(route), undefined, { headers });
        expect([authorization, status, json.error?.code]).toEqual([authorization, 401, "unauthenticated"]);
      }
    },
  );

  test("[X2] the name of the caller can be forged on no route that writes", async () => {
    const admin = hub.as(tokens.admin!);
    const other = "somebody-else";
    for (const { op, route } of routes) {
      const identity = op.cli.identity;
      if (op.kind === "read" || identity === undefined) continue;
      const named = await admin(...requestOf(route, { ...sample(route), [identity]: other }));
      expect([route, named.status, named.json.error?.code]).toEqual([route, 403, "not_allowed"]);
    }
    const terminal = await admin("POST /terminals/x/inbox/messages", { sender_id: other, message: "m" });
    expect([terminal.status, terminal.json.error?.code]).toEqual([403, "not_allowed"]);
    const wait = await admin("GET /terminals/x/inbox/messages/wait?timeout=0");
    expect(wait.status).toBe(403);
    const forged = rows(hub.db, "select * from messages where from_agent = ?1 or acked_by = ?1", other);
    expect(forged).toEqual([]);
    expect(rows(hub.db, "select * from events where source = ?1", other)).toEqual([]);
  });

  test("[X2] left out, it is the token's agent", async () => {
    const leader = hub.as(tokens.leader!);
    const me = "leader-1";
    const sent = await leader("POST /api/messages", { channel: me, content: "x" });
    expect(sent.json.sender).toBe(me);
    expect((await leader("POST /api/threads", { to: me, subject: "s" })).json.thread.createdBy).toBe(me);
    expect((await leader("POST /api/mailbox/w/send", { message: "m" })).json.message.fromAgent).toBe(me);
    const terminal = await leader("POST /terminals/w/inbox/messages", { message: "m" });
    expect(terminal.json.sender_id).toBe(me);
    expect((await leader("POST /api/threads/claim", {})).json.thread.assignedTo).toBe(me);
    expect(
      (await leader("POST /api/threads/thr_1/update", { summary: "on it" })).json.message.fromAgent,
    ).toBe(me);
    expect((await leader("POST /api/threads/thr_1/done", {})).status).toBe(200);
    await leader(`POST /api/messages/${sent.json.id}/ack`);
    expect((await leader(`GET /api/messages/${sent.json.id}`)).json.ackedBy).toBe(me);
    expect((await leader("POST /api/pools/p/join", {})).status).toBe(200);
    const { agents } = (await leader("GET /api/agents")).json;
    expect(agents.find(({ name }: { name: string }) => name === me).pools).toEqual(["p"]);
    expect((await leader("POST /api/dead-letters/requeue", { channel: "w" })).status).toBe(200);
    expect((await leader(`POST /api/mailbox/${me}/check`, {})).status).toBe(200);
  });

  test("[X2] [M3] a token cannot move another reader's stored position", async () => {
    const worker = hub.as(tokens.worker!);
    await worker("POST /api/messages", { channel: "log", content: "x" });
    await worker("GET /api/messages/inbox/log?reader=leader-1&commit=true");
    const { json } = await hub.as(tokens.leader!)("GET /api/messages/inbox/log?reader=leader-1");
    expect(json.count).toBe(1);
  });

  test("[X2] the same idempotency key of another agent is another key", async () => {
    const body = { channel: "keys", content: "x", idempotencyKey: "same" };
    const one = await hub.as(tokens.worker!)("POST /api/messages", body);
    const two = await hub.as(tokens.leader!)("POST /api/messages", body);
    expect(two.json.id).not.toBe(one.json.id);
  });

  test("[X2] a hand-over is settled by its receiver only", async () => {
    const headers = { "x-inbox-hand-over": crypto.randomUUID() };
    const [worker, leader] = [hub.as(tokens.worker!), hub.as(tokens.leader!)];
    await worker("POST /api/mailbox/worker-1/send", { message: "mine" });
    const { handOver } = (await worker("POST /api/mailbox/worker-1/check", {}, { headers })).json;
    expect((await leader("POST /api/hand-overs/confirm", handOver)).status).toBe(403);
    // Nor does it help to know the id, and to say that it is one's own.
    const own = (await leader("POST /api/hand-overs/confirm", { ...handOver, agent: "leader-1" })).status;
    expect(own).toBeGreaterThanOrEqual(400);
    await leader("POST /api/hand-overs/release", { of: "call", id: handOver.id });
    expect((await worker("POST /api/hand-overs/confirm", handOver)).status).toBe(200);
  });

  test("[X2] are listed without token and hash, and kept as a hash", async () => {
    const { json } = await hub.as(tokens.admin!)("GET /api/tokens");
    for (const one of json.tokens)
      expect(Object.keys(one)).toEqual(["tokenId", "agentId", "scope", "createdAt", "revokedAt"]);
    const stored = rows<{ token_hash: string }>(hub.db, "select token_hash from tokens order by token_id");
    const hash = (token: string) => new Bun.CryptoHasher("sha256").update(token).digest("hex");
    const drawn = Object.values(tokens);
    expect(stored.map((row) => row.token_hash)).toEqual(drawn.map(hash));
    const folder = dirname(hub.db);
    for (const name of readdirSync(folder).filter((file) => file.startsWith("coord.db"))) {
      if (name.endsWith("-wake")) continue;
      const bytes = readFileSync(join(folder, name), "latin1");
      for (const token of drawn) expect([name, bytes.includes(token)]).toEqual([name, false]);
    }
  });

  test("[X2] a revoked token ends at once, and a new one works at once", async () => {
    const admin = hub.as(tokens.admin!);
    const { token, tokenId, agentId } = (await admin("POST /api/tokens", { agent: "brief" })).json;
    expect(agentId).toBe("brief");
    expect((await hub.as(token)("GET /api/threads")).status).toBe(200);
    await admin(`POST /api/tokens/${tokenId}/revoke`);
    expect((await hub.as(token)("GET /api/threads")).status).toBe(401);
  });

  test("[X2] a token counts also where none is wanted", async () => {
    await using free = await hubHere();
    const { token } = (await free.ask("POST /api/tokens", { agent: "a" })).json;
    const forged = await free.as(token)("POST /api/messages", { channel: "c", content: "x", sender: "b" });
    expect(forged.status).toBe(403);
    expect((await free.as("rst_none")("GET /api/threads")).status).toBe(401);
  });
});

/** An input that fits the route but for who is calling. */
function sample(route: string): Fields {
  const all: Record<string, Fields> = {
    "POST /api/threads": { to: "x", subject: "s" },
    "POST /api/mailbox/:to/send": { to: "x", message: "m" },
    "POST /api/mailbox/:agent/gather": { from: ["x"], timeoutSeconds: 0 },
    "POST /api/messages": { channel: "x", content: "c" },
    "POST /api/messages/:id/ack": { id: 1 },
    "POST /api/messages/inbox/:channel/ack": { channel: "x" },
    "POST /api/pools/:pool/join": { pool: "p" },
    "POST /api/pools/:pool/leave": { pool: "p" },
    "POST /api/dead-letters/requeue": { channel: "x" },
    "POST /api/dead-letters/purge": { channel: "x" },
  };
  return all[route] ?? (route.includes(":thread") ? { thread: "thr_1" } : {});
}
