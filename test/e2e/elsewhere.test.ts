/** [X9] A real browser with a page of somebody else's in it, on another port of this machine. */
import { afterAll, describe, expect, test } from "bun:test";
import { chromiumPath } from "../support/browser.ts";
import { hubHere } from "../support/hub.ts";
import { browser, closeBrowser } from "../support/page.ts";
import { counts } from "../support/stored.ts";

afterAll(closeBrowser);

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

describe.skipIf(!chromiumPath())("a page on another port", () => {
  test("[X9] changes nothing, collects nothing and sees nothing, whatever it makes the browser send", async () => {
    await using hub = await hubHere();
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
