/** `node scripts/bun.mjs scripts/screenshots.ts`: the pictures of the README, of the page on a hub with something in it. */
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { temporaryFolder } from "../test/support/folder.ts";
import { hubHere } from "../test/support/hub.ts";
import { closeBrowser, openWindow } from "../test/support/page.ts";
import { scene } from "../test/support/scene.ts";
import { until } from "../test/support/until.ts";

const target = join(import.meta.dir, "../docs/images");
const wide = { width: 1280, height: 800 };

interface Picture {
  name: string;
  path: string;
  keys: string[];
  options: BrowserContextOptions;
}

const pictures: Picture[] = [
  { name: "inbox", path: "/", keys: ["j", "j"], options: { viewport: wide, colorScheme: "light" } },
  { name: "threads", path: "/threads", keys: ["j"], options: { viewport: wide, colorScheme: "dark" } },
  {
    name: "phone",
    path: "/",
    keys: ["j"],
    options: { viewport: { width: 390, height: 800 }, colorScheme: "light", deviceScaleFactor: 2 },
  },
  {
    name: "search",
    path: "/",
    keys: ["/", ..."deploy"],
    options: { viewport: wide, colorScheme: "dark" },
  },
];

using folder = temporaryFolder();
await using hub = await hubHere();
await using _played = await scene(hub, folder.path);
for (const { name, path, keys, options } of pictures) {
  await using window = await openWindow(hub.url, path, options);
  const { page, press } = window;
  await page.locator(".row-link").first().waitFor();
  await press(...keys);
  await until(
    "nothing on the page is busy, and every diagram is drawn",
    async () =>
      (await page.locator("[aria-busy=true]").count()) === 0 &&
      (await page.locator(".diagram").count()) === (await page.locator(".diagram img").count()),
  );
  await page.evaluate("document.fonts.ready");
  await page.mouse.move(0, 0);
  await page.evaluate("document.activeElement.blur?.()");
  await page.waitForLoadState("networkidle", { timeout: 2000 }).catch(() => {}); // the stream of events stays open
  const bytes = await page.screenshot({ path: join(target, `${name}.png`) });
  console.log(`docs/images/${name}.png, ${Math.round(bytes.length / 1000)} kB`);
}
await closeBrowser();
