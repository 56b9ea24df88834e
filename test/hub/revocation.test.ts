/** [X14] A token that is revoked ends what it has opened, whoever revokes it, and takes nothing along. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openInbox } from "../../src/inbox/inbox.ts";
import { hubHere, type TestHub } from "../support/hub.ts";
import { openStream } from "../support/sse.ts";
import { until } from "../support/until.ts";

interface Scene extends AsyncDisposable {
  hub: TestHub;
  token: string;
  /** By another process's way to the bus: this hub is not told. */
  revoke(): Promise<void>;
  /** Until so many of the token's waits are open. */
  untilWaiting(count: number): Promise<unknown>;
  entry: string;
}

async function scene(): Promise<Scene> {
  const hub = await hubHere({ auth: true });
  const inbox = openInbox(hub.db);
  const admin = (await inbox.call("tokens.create", { agent: "boss", scope: "admin" })).token;
  const { token, tokenId } = await inbox.call("tokens.create", { agent: "w", scope: "leader" });
  const path = join(dirname(hub.db), "space");
  mkdirSync(path);
  writeFileSync(join(path, "a.md"), "x");
  const { workspace } = await inbox.call("workspaces.add", { path, label: "W", agent: "w" });
  const { workspaceId } = workspace;
  const { id } = await inbox.call("entries.push", { workspace: workspaceId, docs: [{ path: "a.md" }] });
  return {
    hub,
    token,
    entry: id,
    revoke: async () => void (await inbox.call("tokens.revoke", { id: tokenId })),
    untilWaiting: (count) =>
      until("the hub counts that many waits", async () =>
        (await hub.as(admin)("GET /metrics")).text.includes(`restante_waiters ${count}\n`),
      ),
    [Symbol.asyncDispose]: async () => {
      await inbox.close();
      await hub[Symbol.asyncDispose]();
    },
  };
}

/** Mail that comes later is still there: nobody was waiting for it any more. */
async function expectUncollected({ hub }: Scene): Promise<void> {
  const inbox = openInbox(hub.db);
  await inbox.call("mailbox.send", { from: "x", to: "w", message: "for whoever comes next" });
  const { total, hidden } = await inbox.call("mailbox.list", { agent: "w" });
  expect([total, hidden]).toEqual([1, 0]);
  await inbox.close();
}

describe("a revoked token", () => {
  test("[X14] ends its streams of events and of documents", async () => {
    await using at = await scene();
    const { hub, token, entry } = at;
    const headers = { authorization: `Bearer ${token}` };
    const streams = [
      await openStream(`${hub.url}/api/events`, headers),
      await openStream(`${hub.url}/api/events?agent=w`, headers),
      await openStream(`${hub.url}/api/inbox/${entry}/docs/watch`, headers),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    await at.revoke();
    await Promise.all(streams.map((stream) => stream.ended()));
    await at.untilWaiting(0);
    expect((await hub.as(token)("GET /api/events")).status).toBe(401);
  });

  test("[X14] gets 401 for its open waits, which collect nothing any more", async () => {
    await using at = await scene();
    const as = at.hub.as(at.token);
    const waits = [
      as("GET /terminals/w/inbox/messages/wait?timeout=600"),
      as("POST /api/mailbox/w/receive", { timeoutSeconds: 600 }),
      as("POST /api/mailbox/w/wait", { timeoutSeconds: 600 }),
      as("POST /api/threads/claim", { wait: true, timeoutSeconds: 600 }),
    ];
    await at.untilWaiting(4);
    await at.revoke();
    for (const { status, json } of await Promise.all(waits))
      expect([status, json.error.code]).toEqual([401, "unauthenticated"]);
    await expectUncollected(at);
  });

  test("[X14] leaves the streams of others open", async () => {
    await using at = await scene();
    const inbox = openInbox(at.hub.db);
    const { token: other } = await inbox.call("tokens.create", { agent: "w", scope: "worker" });
    const [gone, kept] = await Promise.all(
      [at.token, other].map((token) =>
        openStream(`${at.hub.url}/api/events`, { authorization: `Bearer ${token}` }),
      ),
    );
    await at.revoke();
    await gone!.ended();
    await inbox.call("mailbox.send", { from: "x", to: "w", message: "m" });
    for (;;) if ((await kept!.next()).event === "message.sent") break;
    kept!.close();
    await inbox.close();
  });
});

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe("a revoked token over MCP", () => {
  const post = (at: Scene, method: string, params: object, more: Record<string, string>) =>
    fetch(`${at.hub.url}/mcp`, {
      method: "POST",
      headers: { ...json, authorization: `Bearer ${at.token}`, ...more },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  const call = { name: "check_inbox", arguments: { timeout: 600 } };

  test("[X14] ends its calls and subscriptions of the newest revision", async () => {
    await using at = await scene();
    const modern = (method: string, params: object, more: Record<string, string> = {}) =>
      post(
        at,
        method,
        { ...params, _meta: envelope },
        { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...more },
      );
    const listening = await modern("subscriptions/listen", {
      notifications: { resourceSubscriptions: ["inbox://agents/w/inbox"] },
    });
    expect([listening.status, listening.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    const calling = modern("tools/call", call, { "mcp-name": "check_inbox" });
    await at.untilWaiting(1);
    await at.revoke();
    await listening.text();
    await (await calling).text();
    await at.untilWaiting(0);
    await expectUncollected(at);
  });

  test("[X14] ends its calls and its stream of the revision before", async () => {
    await using at = await scene();
    const begun = await post(
      at,
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
      {},
    );
    await begun.text();
    const session = { "mcp-session-id": begun.headers.get("mcp-session-id")! };
    const headers = { ...session, accept: "text/event-stream", authorization: `Bearer ${at.token}` };
    const stream = await fetch(`${at.hub.url}/mcp`, { headers });
    expect(stream.status).toBe(200);
    const calling = post(at, "tools/call", call, session);
    await at.untilWaiting(2); // a stream counts
    await at.revoke();
    await stream.text();
    await (await calling).text();
    await at.untilWaiting(0);
    await expectUncollected(at);
  });
});
