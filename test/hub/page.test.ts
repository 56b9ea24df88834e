/** The page to read and try the API, in a real browser. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { chromium, chromiumPath } from "../support/browser.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";

test.skipIf(!chromiumPath())("[C4] the page at /docs/api shows every operation with its fields", async () => {
  using folder = temporaryFolder();
  await using hub = await hubHere();
  const browser = Bun.spawn(
    chromium(join(folder.path, "profile"), "--virtual-time-budget=5000", "--dump-dom", `${hub.url}/docs/api`),
    {
      stdout: "pipe",
      stderr: "ignore",
    },
  );
  const dom = await new Response(browser.stdout).text();
  await browser.exited;
  const { paths } = (await (await fetch(`${hub.url}/openapi.json`)).json()) as {
    paths: Record<string, object>;
  };
  for (const path of Object.keys(paths)) expect(dom).toContain(`<code>${path}</code>`);
  expect(dom.match(/<details>/g)).toHaveLength(
    Object.values(paths).flatMap((methods) => Object.keys(methods)).length,
  );
  expect(dom).toContain('name="leaseSeconds"');
});
