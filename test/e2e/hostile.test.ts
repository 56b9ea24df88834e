/**
 * What an agent writes is hostile: it runs nothing, loads nothing from elsewhere, and leaves the page as it was. And so is a page of
 * somebody else's in the same browser, on another port of this machine.
 */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import vectors from "../corpora/xss.json";
import { inBrowser } from "../support/in-browser.ts";
import { browser, type Window } from "../support/page.ts";
import type { Workspace } from "../support/scene.ts";
import { counts } from "../support/stored.ts";
import { until } from "../support/until.ts";

/** What is in the document that only a broken page would have put there. */
const intruders = `[...document.querySelectorAll("*")].flatMap((node) => {
  const name = node.localName;
  const found = [];
  const foreign = ["object", "embed", "base", "meta", "link", "style", "video", "audio", "form", "script", "button"];
  if (foreign.includes(name) && node.closest(".markdown")) found.push(name);
  if (name === "iframe" && node.className !== "diagram-frame") found.push("iframe");
  for (const { name: key, value } of node.attributes) {
    if (/^on/i.test(key)) found.push(name + " " + key);
    if (/^(href|src|action|formaction|xlink:href)$/i.test(key) && /^[\\s\\u0000-\\u001f]*(javascript|vbscript|data:text)/i.test(value)) found.push(key + "=" + value);
  }
  return found;
})`;

async function expectUntouched({ page, troubles }: Window): Promise<void> {
  expect(await page.evaluate(intruders)).toEqual([]);
  expect(await page.evaluate("window.pwned")).toBeUndefined();
  expect(await page.locator("#app").count()).toBe(1);
  expect(await page.locator(".app .side-bar").isVisible()).toBe(true);
  expect(troubles).toEqual([]);
}

/** Every link pressed and every image looked at: what waits for a click must not do anything either. */
async function pokeAround(page: Page): Promise<void> {
  await page.evaluate(`for (const node of document.querySelectorAll(".markdown *")) {
    node.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    if (node.localName === "summary" || (node.localName === "a" && node.getAttribute("href")?.startsWith("#"))) node.click();
    node.focus?.();
  }`);
}

/** Every way a page has to make its browser ask another address for something; told when all have ended. */
const attack = `async (hub) => {
  const seen = [];
  const wait = hub + "/terminals/victim/inbox/messages/wait?timeout=0";
  const send = hub + "/api/messages";
  const body = '{"channel":"x","content":"pwned"}';
  const post = { method: "POST", mode: "no-cors" };
  const own = { "x-inbox-client": "page" };
  const tries = [
    [hub + "/api/tasks?prompt=touch+pwned&runner=sh&agent=main&name=x", post],
    [send + "?channel=x&content=pwned", post],
    [send, { ...post, body }],
    [send, { method: "POST", body, headers: { "content-type": "application/json" } }],
    [send, { method: "POST", body, headers: own }],
    [wait, { mode: "no-cors" }],
    [wait, { headers: own }],
    [hub + "/api/threads", {}],
    [hub + "/mcp?agent=victim", { ...post, body: "{}" }],
  ];
  for (const [address, init] of tries)
    try {
      const response = await fetch(address, init);
      if (response.type !== "opaque") seen.push(address + " " + response.status);
    } catch {
      // Refused by the browser: it was not allowed to ask, or not to look.
    }
  navigator.sendBeacon(send, new Blob([body], { type: "text/plain" }));
  const loaded = (tag, address) =>
    new Promise((done) => {
      const element = document.createElement(tag);
      element.onload = element.onerror = () => done();
      element.src = address;
      document.body.append(element);
    });
  await loaded("img", wait);
  await loaded("script", wait);
  await loaded("iframe", wait);
  await loaded("iframe", hub + "/docs/api");
  for (const frame of document.querySelectorAll("iframe"))
    if (frame.contentDocument) seen.push("a frame could be looked into");
  return seen;
}`;

const submitForm = `(to) => {
  const form = document.createElement("form");
  form.method = "post";
  form.action = to;
  document.body.append(form);
  form.submit();
}`;

inBrowser({}, (here) => {
  const { ask, open } = here;
  let space: Workspace;
  beforeAll(async () => {
    space = await here.workspace(`<img src=x onerror=alert(1)>"'>`, "<svg onload=alert(1)>");
  });

  test("[X3] no vector of the corpus runs or loads anything, as commentary or as a document", async () => {
    // Apart, because one that swallows the rest would hide them; together, because they may work together.
    const ids: string[] = [];
    for (const [i, vector] of vectors.entries()) {
      space.write(`v/${i}.md`, `before\n\n${vector}\n\nafter`);
      if (i % 20 === 19 || i === vectors.length - 1) {
        const docs = Array.from({ length: (i % 20) + 1 }, (_, k) => `v/${i - (i % 20) + k}.md`);
        ids.push(await space.push({ docs, comments: vectors.slice(i - (i % 20), i + 1).join("\n\n") }));
      }
    }
    for (const id of ids) {
      await using window = await open(`/inbox/${id}`);
      const { page } = window;
      await page.locator(".commentary .markdown:not(.plain)").waitFor();
      await page.locator(".document .markdown:not(.plain)").last().waitFor();
      await until(
        "nothing on the page is busy",
        async () => (await page.locator('[aria-busy="true"]').count()) === 0,
      );
      await pokeAround(page);
      await expectUntouched(window);
    }
  });

  test("[X3] files that a browser would run are shown as text or as an image, and served as neither page nor script", async () => {
    space.write("evil.html", "<script>window.pwned=1,alert(1)</script><img src=https://evil.invalid/x.png>");
    space.write(
      "evil.svg",
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(1)"><script>alert(1)</script><image href="https://evil.invalid/x.png"/></svg>`,
    );
    space.write("evil.csv", `a,b\n"<img src=x onerror=alert(1)>",=cmd()\n`);
    space.write(
      "evil.json",
      JSON.stringify({ "<img src=x onerror=alert(1)>": "<script>alert(1)</script>", __proto__: 1 }),
    );
    const docs = ["evil.html", "evil.svg", "evil.csv", "evil.json"];
    const id = await space.push({ docs, comments: "Look at these" });
    await using window = await open(`/inbox/${id}`);
    const { page } = window;
    await page.locator(".document").getByText("<script>window.pwned=1").waitFor();
    await page.locator('.document img[alt="evil.svg"]').waitFor();
    await page.getByRole("cell", { name: "<img src=x onerror=alert(1)>" }).waitFor();
    await expectUntouched(window);
    for (const n of docs.keys()) {
      const { headers } = await ask(`GET /api/inbox/${id}/docs/${n}`);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-type")).not.toMatch(/html|javascript/);
      expect(headers.get("content-security-policy")).toContain("sandbox");
    }
    // Opened by itself, as a link in a chat might do.
    for (const n of docs.keys()) await page.goto(`${here.hub.url}/api/inbox/${id}/docs/${n}`).catch(() => {}); // a download, or inert
    expect(await page.evaluate("window.pwned")).toBeUndefined();
    expect(window.troubles).toEqual([]);
  });

  test("[X3] names, subjects and messages are text on every tab", async () => {
    const evil = `<img src=x onerror=alert(1)>`;
    await ask("POST /api/threads", {
      from: evil,
      to: `"><svg onload=alert(1)>`,
      subject: evil,
      body: vectors.slice(0, 30).join("\n\n"),
    });
    await ask("POST /api/messages", {
      channel: evil,
      content: vectors.slice(30, 60).join("\n\n"),
      sender: evil,
    });
    await ask("POST /api/mailbox/user/send", { from: evil, message: vectors.slice(60).join("\n\n") });
    for (const path of ["/", "/agents", "/threads", "/channels"]) {
      await using window = await open(path);
      const { page, press } = window;
      await page.locator(".row-link").first().waitFor();
      await press("j");
      await page.locator(".detail-header").waitFor();
      await expectUntouched(window);
    }
    await using window = await open(`/channels/${encodeURIComponent(evil)}`);
    await window.page.locator(".said .markdown:not(.plain)").first().waitFor();
    await pokeAround(window.page);
    await expectUntouched(window);
  });

  test("[X3] [X1] the page's policy allows no inline script, nothing from elsewhere, and no frame around it", async () => {
    for (const path of ["/", "/threads/thr_1", "/queue"]) {
      const { headers, text } = await ask(`GET ${path}`);
      const policy = headers.get("content-security-policy")!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(text).not.toMatch(/<script(?![^>]*src=)|<style| on\w+=| style=/);
    }
    const frame = await ask("GET /diagrams");
    const policy = frame.headers.get("content-security-policy")!;
    expect(policy).toContain("sandbox allow-scripts");
    expect(policy).not.toMatch(/allow-same-origin|unsafe-eval|connect-src|img-src|\*|https?:/);
    for (const [route, headers, status] of [
      ["GET /", { origin: "https://evil.invalid" }, 403],
      ["GET /", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, 403],
      ["GET /", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 200],
      ["GET /api/inbox/history", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 403],
      ["POST /api/messages", { origin: "https://evil.invalid" }, 403],
      ["POST /api/messages", { origin: "null" }, 403],
    ] as const)
      expect([route, headers, (await ask(route, undefined, { headers })).status]).toEqual([
        route,
        headers,
        status,
      ]);
  });

  test("[X9] a page on another port changes nothing, collects nothing and sees nothing, whatever it makes the browser send", async () => {
    const { hub } = here;
    using elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        const to = new URL(url).searchParams.get("to");
        if (to) return Response.redirect(to, 302);
        return new Response("<!doctype html><body>", { headers: { "content-type": "text/html" } });
      },
    });
    await hub.ask("POST /terminals/victim/inbox/messages", { sender_id: "a", message: "secret" });
    const before = counts(hub.db);
    const context = await (await browser()).newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${elsewhere.port}/`);
    expect(await page.evaluate(`(${attack})("${hub.url}")`)).toEqual([]);
    // A form, which leads the window to the hub.
    await page.evaluate(`(${submitForm})("${hub.url}/api/messages?channel=x&content=pwned")`);
    await page.waitForURL(`${hub.url}/**`);
    // What the person types, and is redirected from.
    const wait = `${hub.url}/terminals/victim/inbox/messages/wait?timeout=0`;
    for (const address of [wait, `http://127.0.0.1:${elsewhere.port}/?to=${encodeURIComponent(wait)}`])
      expect((await page.goto(address))!.status()).toBe(403);
    await context.close();
    expect(counts(hub.db)).toEqual(before);
    expect((await hub.ask("GET /api/messages/inbox/victim/count")).json.count).toBe(1);
    expect((await hub.ask("GET /api/mailbox/victim")).json.hidden).toBe(0);
  });
});
