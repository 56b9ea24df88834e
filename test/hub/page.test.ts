/** The page to read and try the API, in a real browser. */
import { afterAll, expect, test } from "bun:test";
import { chromiumPath } from "../support/browser.ts";
import { hubHere } from "../support/hub.ts";
import { closeBrowser, openWindow } from "../support/page.ts";
import { until } from "../support/until.ts";

afterAll(closeBrowser);

test.skipIf(!chromiumPath())("[C4] the page at /docs/api shows every operation with its fields", async () => {
  await using hub = await hubHere();
  const { paths } = (await hub.ask("GET /openapi.json")).json as { paths: Record<string, object> };
  const operations = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
  await using window = await openWindow(hub.url, "/docs/api");
  const { page } = window;
  await until(
    "every operation is shown once",
    async () => (await page.locator("details").count()) === operations,
  );
  const dom = await page.content();
  for (const path of Object.keys(paths)) expect(dom).toContain(`<code>${path}</code>`);
  expect(dom).toContain('name="leaseSeconds"');
  expect(window.troubles).toEqual([]);
});
