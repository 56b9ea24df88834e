/** What the hub shows about itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { root } from "../support/cli.ts";
import { hubHere, served, type TestHub } from "../support/hub.ts";
import { routes } from "../support/routes.ts";
import { until } from "../support/until.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await hubHere();
});
afterAll(() => hub[Symbol.asyncDispose]());

test("[C4] /healthz and /readyz answer 200 when it serves", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const { status, json } = await hub.ask(`GET ${path}`);
    expect([path, status, json.ok]).toEqual([path, 200, true]);
  }
});

test("[C4] where tokens are required /healthz says no more than that it lives, and /readyz whether its database does", async () => {
  await using strict = await hubHere({ auth: true });
  for (const path of ["/healthz", "/readyz"])
    expect([path, (await strict.ask(`GET ${path}`)).json]).toEqual([path, { ok: true }]);
  expect((await hub.ask("GET /healthz")).json).toMatchObject({ program: "restante", db: hub.db });
});

test("[C4] /metrics is Prometheus' text form", async () => {
  await hub.ask("POST /api/messages", { channel: "a", content: "b" });
  await hub.ask("GET /nowhere");
  const { text, headers } = await hub.ask("GET /metrics");
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4");
  expect(text.endsWith("\n")).toBe(true);
  const typed = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const comment = /^# (?:HELP [a-z_]+ .+|TYPE ([a-z_]+) (?:counter|gauge|histogram))$/.exec(line);
    if (comment) {
      if (comment[1]) typed.add(comment[1]);
      continue;
    }
    const sample = /^([a-z_]+)(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? ([0-9.e+-]+)$/.exec(line);
    const name = sample?.[1] ?? "";
    expect([line, typed.has(name) || typed.has(name.replace(/_(bucket|sum|count)$/, ""))]).toEqual([
      line,
      true,
    ]);
    expect(Number(sample![4])).not.toBeNaN();
  }
  expect(text).toMatch(/^restante_requests_total\{operation="messages.send",status="201"\} 1$/m);
  expect(text).toMatch(/^restante_waiters 0$/m);
});

test("[C4] /openapi.json has every route of the hub", async () => {
  const { json, status, headers } = await hub.ask("GET /openapi.json");
  expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
  expect(json.openapi).toMatch(/^3\.1/);
  const own = [
    "POST /terminals/:id/inbox/messages",
    "GET /terminals/:id/inbox/messages",
    "GET /terminals/:id/inbox/messages/wait",
    "GET /api/events",
  ];
  const missing = [...routes.map(({ route }) => route), ...own].filter((route) => {
    const [method, path] = route.split(" ") as [string, string];
    return !json.paths[path.replace(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
  });
  expect(missing).toEqual([]);
});

test("[C4] every reference inside /openapi.json leads somewhere, and every path field is declared", async () => {
  const { json } = await hub.ask("GET /openapi.json");
  const references = [...JSON.stringify(json).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
  for (const reference of new Set(references)) {
    const found = reference.split("/").reduce((at, key) => at?.[key], json);
    expect([reference, typeof found]).toEqual([reference, "object"]);
  }
  for (const [path, methods] of Object.entries<Record<string, { parameters?: unknown[] }>>(json.paths))
    for (const { parameters = [] } of Object.values(methods))
      for (const [, name] of path.matchAll(/\{(\w+)\}/g))
        expect(parameters).toContainEqual(expect.objectContaining({ name, in: "path", required: true }));
});

async function expectOwnAssets(ask: TestHub["ask"]): Promise<void> {
  const { status, text, headers } = await ask("GET /docs/api");
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const policy = headers.get("content-security-policy")!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  expect(links.length).toBeGreaterThan(1);
  for (const link of links) {
    expect(link).toMatch(/^\/(?!\/)/);
    expect([link, (await ask(`GET ${link}`)).status]).toEqual([link, 200]);
  }
  expect(text).not.toMatch(/<script(?![^>]*src=)|<style| on\w+=| style=/);
}

test("[C4] [X3] /docs/api loads nothing but what the hub itself serves", async () => {
  await expectOwnAssets(hub.ask);
});

test("[C4] [C1] the built program carries its pages inside", async () => {
  await using child = await served();
  await expectOwnAssets(child.ask);
  const { json } = await child.ask("GET /openapi.json");
  expect(json).toEqual((await hub.ask("GET /openapi.json")).json);
  expect((await child.ask("GET /healthz")).json).toMatchObject({ pid: child.pid, db: child.db });
});

test("[U7] [C4] the built program contains the person's page, compressed, and cached by its content", async () => {
  await using child = await served();
  const asked = (path: string, headers: Record<string, string> = {}) =>
    fetch(child.url + path, { headers, decompress: false });
  const first = await asked("/", { "accept-encoding": "identity" });
  const html = await first.text();
  expect(first.headers.get("cache-control")).toBe("no-cache");
  const again = await asked("/threads/thr_1", { "if-none-match": first.headers.get("etag")! });
  expect(again.status).toBe(304);
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  // The script, the style, the icon and the manifest.
  expect(links).toHaveLength(4);
  for (const link of links.filter((one) => /\.(js|css)$/.test(one))) {
    const sizes: number[] = [];
    for (const encoding of ["br", "gzip", "identity"]) {
      const answer = await asked(link, { "accept-encoding": encoding });
      expect([link, answer.status, answer.headers.get("content-encoding") ?? "identity"]).toEqual([
        link,
        200,
        encoding,
      ]);
      expect(answer.headers.get("cache-control")).toContain("immutable");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      sizes.push((await answer.bytes()).length);
    }
    expect(sizes.toSorted((a, b) => a - b)).toEqual(sizes);
  }
  expect((await asked("/assets/main-00000000.js")).status).toBe(404);
  // From source it is the same page.
  expect((await hub.ask("GET /", undefined, { headers: { "accept-encoding": "identity" } })).text).toBe(html);
});

/** The value of one sample. */
const sample = (text: string, name: string) =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")[1],
  );

test("[O3] sends, claims and wakes are histograms, and the bus's own counts are gauges", async () => {
  await using own = await hubHere();
  const waiting = own.ask("POST /api/mailbox/ada/receive", { timeoutSeconds: 30 });
  await until(
    "somebody waits",
    async () => sample((await own.ask("GET /metrics")).text, "restante_waiters") === 1,
  );
  await own.ask("POST /api/mailbox/ada/send", { from: "lead", message: "wake up" });
  expect((await waiting).json.messages).toHaveLength(1);
  await own.ask("POST /api/threads", { from: "lead", to: "ada", subject: "s" });
  await own.ask("POST /api/threads/claim", { agent: "ada" });
  // Nothing left, and nothing that woke anybody: neither is felt.
  await own.ask("POST /api/threads/claim", { agent: "ada" });
  const { text } = await own.ask("GET /metrics");
  expect(sample(text, "restante_send_seconds_count")).toBe(2);
  expect(sample(text, "restante_claim_seconds_count")).toBe(1);
  expect(sample(text, "restante_wake_seconds_count")).toBe(1);
  for (const name of ["send", "claim", "wake"]) {
    const buckets = [
      ...text.matchAll(new RegExp(`^restante_${name}_seconds_bucket\\{le="(.+)"\\} (\\d+)$`, "gm")),
    ];
    const counts = buckets.map(([, , count]) => Number(count));
    expect(buckets.at(-1)![1]).toBe("+Inf");
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(sample(text, `restante_${name}_seconds_count`));
  }
  expect(text).toMatch(/^restante_threads\{state="claimed"\} 1$/m);
  expect(text).toMatch(/^restante_up 1$/m);
});

test("[O4] the dashboard asks for metrics that there are, and for nothing else", async () => {
  const { text } = await hub.ask("GET /metrics");
  const known = new Set([...text.matchAll(/^(restante_[a-z_]+)/gm)].map(([, name]) => name));
  const dashboard = await Bun.file(join(root, "deploy/grafana-dashboard.json")).json();
  const asked = JSON.stringify(dashboard).match(/restante_[a-z_]+/g)!;
  expect(asked.filter((name: string) => !known.has(name))).toEqual([]);
  expect(dashboard.panels.length).toBeGreaterThan(8);
});
