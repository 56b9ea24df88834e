/** [C16] The documentation: what it is made of, and how a hub serves it. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stage } from "../../scripts/site/stage.ts";
import { errorTable } from "../../src/contract/errors.ts";
import { eventTypes } from "../../src/contract/event.ts";
import { table } from "../../src/contract/operations/index.ts";
import { packFiles } from "../../src/surfaces/http/pack.ts";
import { siteOf } from "../../src/surfaces/http/site-files.ts";
import { packed } from "../../web/pack.ts";
import { temporaryFolder } from "../support/folder.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("[C16] every operation, event and error has a page, and every link of the site leads to one", async () => {
  using folder = temporaryFolder();
  await stage(folder.path);
  for (const { name } of table)
    expect([name, existsSync(join(folder.path, `reference/operations/${name}.md`))]).toEqual([name, true]);
  for (const type of Object.keys(eventTypes))
    expect(existsSync(join(folder.path, `reference/events/${type}.md`))).toBe(true);
  for (const code of Object.keys(errorTable))
    expect(existsSync(join(folder.path, `reference/errors/${code}.md`))).toBe(true);
  const wrong: string[] = [];
  for (const file of new Bun.Glob("**/*.md").scanSync(folder.path)) {
    const text = readFileSync(join(folder.path, file), "utf8").replace(/^```[\s\S]*?^```/gm, "");
    for (const [, address] of text.matchAll(/\]\((\/[^)#\s]*)/g)) {
      const path = join(folder.path, address!);
      if (![path, `${path}.md`, join(path, "index.md")].some((one) => existsSync(one)))
        wrong.push(`${file}: ${address}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("[C16] a hub serves a page by its name, a folder by its index page, assets with an unlimited lifetime, and 404 for the rest", async () => {
  const files = [
    { path: "/index.html", bytes: bytes("<h1>home</h1>") },
    { path: "/404.html", bytes: bytes("<h1>no such page</h1>") },
    { path: "/spec.html", bytes: bytes("<h1>rules</h1>") },
    { path: "/start/index.html", bytes: bytes("<h1>start</h1>") },
    { path: "/assets/app.js", bytes: bytes("1") },
    { path: "/policy.txt", bytes: bytes("default-src 'none'") },
  ];
  const site = siteOf(
    packFiles("no.pack", async () => new Blob([packed(files, { small: false }) as Uint8Array<ArrayBuffer>])),
  );
  const ask = async (path: string, headers?: Record<string, string>) => {
    const response = await site(new Request(`http://hub${path}`, { headers }));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  expect((await ask("/docs")).headers.get("location")).toBe("/docs/");
  expect(await ask("/docs/")).toMatchObject({ status: 200, text: "<h1>home</h1>" });
  expect((await ask("/docs/spec")).text).toBe("<h1>rules</h1>");
  expect((await ask("/docs/start")).text).toBe("<h1>start</h1>");
  expect((await ask("/docs/start/")).text).toBe("<h1>start</h1>");
  const script = await ask("/docs/assets/app.js");
  expect(script.headers.get("cache-control")).toContain("immutable");
  const etag = script.headers.get("etag")!;
  expect((await ask("/docs/assets/app.js", { "if-none-match": etag })).status).toBe(304);
  const missing = await ask("/docs/nope");
  expect([missing.status, missing.text]).toEqual([404, "<h1>no such page</h1>"]);
  expect(missing.headers.get("content-security-policy")).toBe("default-src 'none'");
  const zipped = await site(
    new Request("http://hub/docs/spec", { headers: { "accept-encoding": "gzip, br" } }),
  );
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
});

test("[C16] a program without the documentation says how it is made", async () => {
  const site = siteOf(packFiles("no.pack", () => Promise.reject(new Error("none here"))));
  await expect(site(new Request("http://hub/docs/"))).rejects.toThrow("none here");
});
