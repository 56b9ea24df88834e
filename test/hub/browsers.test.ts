/** [X9] What a page in the person's browser can make the browser send, and what becomes of it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import browserRequests from "../corpora/browser-requests.json" with { type: "json" };
import hosts from "../corpora/hosts.json" with { type: "json" };
import origins from "../corpora/origins.json" with { type: "json" };
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, type TestHub } from "../support/hub.ts";
import { routeKinds, routes } from "../support/routes.ts";
import { bytesOf, line } from "../support/socket.ts";
import { counts } from "../support/stored.ts";

type Headers = Record<string, string>;

/** By hand, and over one connection: a client of the runtime's own might put these headers right. */
async function statusAt(url: string, route: string, headers: Headers): Promise<number> {
  const raw = await line(url);
  raw.send(bytesOf(route, undefined, { host: new URL(url).host, ...headers }));
  const head = await raw.until(/^HTTP\/1\.1 (\d+)/);
  raw.cut();
  return Number(head.slice(9, 12));
}

let hub: TestHub;
beforeAll(async () => {
  hub = await hubHere();
});
afterAll(() => hub[Symbol.asyncDispose]());

const statusOf = (route: string, headers: Headers) => statusAt(hub.url, route, headers);
const filled = (origin: string) => origin.replaceAll("PORT", new URL(hub.url).port);
const without = async (wanted: number, found: (readonly [string, number])[]) =>
  expect(found.filter(([, status]) => status !== wanted)).toEqual([]);

describe("Host and Origin", () => {
  test.each(routeKinds)("[X1] %s under another name is refused", async (route) => {
    for (const host of hosts.foreign) {
      const status = await statusOf(route, { host });
      expect([host, status === 403 || status === 400]).toEqual([host, true]);
    }
  });

  test.each(routeKinds)(
    "[X1] [X9] %s from a page of another origin is 403, also of this machine's",
    async (route) => {
      const found: [string, number][] = [];
      for (const origin of origins.foreign.map(filled))
        found.push([origin, await statusOf(route, { origin })]);
      await without(403, found);
    },
  );

  test("[X1] its own names and its own origin are served", async () => {
    for (const host of hosts.own)
      expect([host, await statusOf("GET /api/threads", { host })]).toEqual([host, 200]);
    for (const origin of origins.own.map(filled))
      expect([origin, await statusOf("GET /api/threads", { origin })]).toEqual([origin, 200]);
    // As it was called, so its pages are called.
    for (const host of hosts.own)
      expect(await statusOf("GET /api/threads", { host, origin: `http://${host}` })).toBe(200);
  });

  test("[X1] a request without a Host is refused", async () => {
    const raw = await line(hub.url);
    raw.send("GET /api/threads HTTP/1.0\r\n\r\n");
    expect(await raw.until(/^HTTP\/1\.\d (\d+)/)).toMatch(/^HTTP\/1\.\d 40[03]/);
    raw.cut();
  });

  test("[X1] [X9] behind a proxy: its pages have the names that were allowed, with the ports that were said", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    createDatabase(db);
    const inbox = openInbox(db);
    const { token } = await inbox.call("tokens.create", { agent: "a" });
    await inbox.close();
    await using named = await hubHere({ db, allowHosts: ["Bus.Example", "odd.example:8443"] });
    const authorization = `Bearer ${token}`;
    const status = (headers: Headers) =>
      statusAt(named.url, "GET /api/threads", { authorization, ...headers });
    for (const origin of origins.ownBehindProxy) {
      expect([origin, await status({ origin })]).toEqual([origin, 200]);
      const host = origin.replace(/^.*\/\//, "");
      expect([host, await status({ origin, host })]).toEqual([host, 200]);
    }
    // A proxy that hands the Host on says the port itself.
    expect(await status({ origin: "https://bus.example:9443", host: "bus.example:9443" })).toBe(200);
    for (const origin of origins.foreignBehindProxy) {
      expect([origin, await status({ origin })]).toEqual([origin, 403]);
      expect([origin, await status({ origin, host: "bus.example" })]).toEqual([origin, 403]);
    }
    // What a proxy or an attacker says about the scheme and the name is not believed.
    const forwarded = {
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.example",
    };
    expect(await status({ ...forwarded, origin: "https://evil.example" })).toBe(403);
  });
});

describe("what a page of another origin sends without an Origin", () => {
  const data = routeKinds.filter((route) => /^\w+ \/(api|terminals|metrics|mcp)/.test(route));

  test.each(browserRequests.foreignFetch.map((headers) => [JSON.stringify(headers), headers] as const))(
    "[X9] %s is 403",
    async (_, headers) => {
      const sent = headers as unknown as Headers;
      await without(
        403,
        await Promise.all(data.map(async (route) => [route, await statusOf(route, sent)] as const)),
      );
    },
  );

  test("[X9] a link to a page is followed, in a window and not in a frame", async () => {
    const follows = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    for (const route of ["GET /", "GET /inbox/x", "GET /docs/api"]) {
      expect([route, await statusOf(route, { ...follows, "sec-fetch-dest": "document" })]).toEqual([
        route,
        200,
      ]);
      expect([route, await statusOf(route, { ...follows, "sec-fetch-dest": "iframe" })]).toEqual([
        route,
        403,
      ]);
    }
  });

  test.each(routeKinds)("[X9] %s may be framed by no page of another origin", async (route) => {
    const ending = new AbortController();
    const [method, path] = route.split(" ") as [string, string];
    const response = await fetch(hub.url + path, { method, signal: ending.signal });
    const policy = response.headers.get("content-security-policy");
    ending.abort();
    // Diagrams are drawn in a frame of our own page.
    expect(policy).toContain(path === "/diagrams" ? "frame-ancestors 'self'" : "frame-ancestors 'none'");
  });
});

describe("a change", () => {
  const changing = routes.filter(({ route }) => !route.startsWith("GET "));
  const place = (route: string) =>
    route
      .replace(/:thread/, "thr_1")
      .replace(/:id/, "1")
      .replace(/:\w+/, "x");

  test("[X9] is made by no request that a form or a script of any page can send unasked", async () => {
    await hub.ask("POST /api/messages", { channel: "x", content: "kept" });
    const before = counts(hub.db);
    const { contentTypes, fetchHeaders, methods } = browserRequests;
    const query = "?prompt=touch+pwned&runner=sh&agent=main&channel=x&content=y&message=m&subject=s&to=x";
    for (const { route } of changing.filter((one) => methods.includes(one.route.split(" ")[0]!)))
      for (const type of contentTypes)
        for (const fetched of fetchHeaders) {
          const headers = { ...fetched, ...(type !== null && { "content-type": type }) } as Headers;
          const status = await statusOf(place(route) + query, { ...headers, connection: "close" });
          expect([route, headers, status]).toEqual([route, headers, 400]);
        }
    expect(counts(hub.db)).toEqual(before);
  });

  test("[X9] is made with the JSON type or our own header, with a body and without one", async () => {
    const send = async () => (await hub.ask("POST /api/messages", { channel: "y", content: "z" })).json.id;
    const ack = async (headers: Headers) => statusOf(`POST /api/messages/${await send()}/ack`, headers);
    expect(await ack({})).toBe(400);
    expect(await ack({ "content-type": "application/json" })).toBe(200);
    expect(await ack({ "content-type": "Application/JSON; charset=utf-8" })).toBe(200);
    expect(await ack({ "x-inbox-client": "mine" })).toBe(200);
    // The header does not make a form's body one of ours.
    const body = '{"channel":"a","content":"b"}';
    const headers = { "content-type": "text/plain", "x-inbox-client": "mine" };
    expect((await hub.ask("POST /api/messages", undefined, { body, headers })).status).toBe(400);
  });

  test("[X9] a refusal says what to send", async () => {
    const response = await fetch(`${hub.url}/api/messages/1/ack`, { method: "POST" });
    const { error } = (await response.json()) as { error: { hint: string } };
    expect([response.status, error.hint]).toEqual([
      400,
      "send Content-Type: application/json, or the header x-inbox-client",
    ]);
  });
});

describe("a GET that collects", () => {
  const wait = "GET /terminals/victim/inbox/messages/wait?timeout=0";
  const left = async () => (await hub.ask("GET /api/messages/inbox/victim/count")).json.count;

  test("[X9] collects nothing if a browser sends it by itself: typed, redirected, or as part of a page", async () => {
    await hub.ask("POST /terminals/victim/inbox/messages", { sender_id: "a", message: "secret" });
    for (const headers of [
      ...browserRequests.unknowing,
      ...browserRequests.foreignFetch,
    ] as unknown as Headers[])
      expect([headers, await statusOf(wait, headers)]).toEqual([headers, 403]);
    expect(await left()).toBe(1);
  });

  test("[X9] [C4] serves programs as it always did, and pages that send our header", async () => {
    const read = async (headers: Headers) => {
      await hub.ask("POST /terminals/reader/inbox/messages", { sender_id: "a", message: "m" });
      return (await hub.ask(wait.replace("victim", "reader"), undefined, { headers })).json.length;
    };
    expect(await read({})).toBe(1);
    expect(await read({ "user-agent": "curl/8.5.0", accept: "*/*" })).toBe(1);
    // Node's fetch says this of itself.
    expect(await read({ "sec-fetch-mode": "cors", "user-agent": "node" })).toBe(1);
    const page = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" };
    expect(await read({ ...page, "x-inbox-client": "page" })).toBe(1);
  });
});
