/** The page to read and try the API, in a real browser. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startHub } from "../../src/hub.ts";
import { chromium } from "../support/browser.ts";
import { temporaryFolder } from "../support/folder.ts";

test.skipIf(!Bun.which("chromium"))(
  "[C4] the page at /docs/api shows every operation with its fields",
  async () => {
    using folder = temporaryFolder();
    const hub = await startHub({
      db: join(folder.path, "c.db"),
      port: 0,
      host: "127.0.0.1",
      allowHosts: [],
      auth: false,
    });
    const browser = Bun.spawn(
      chromium(
        join(folder.path, "profile"),
        "--virtual-time-budget=5000",
        "--dump-dom",
        `${hub.url}/docs/api`,
      ),
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
    await hub.stop();
    for (const path of Object.keys(paths)) expect(dom).toContain(`<code>${path}</code>`);
    expect(dom.match(/<details>/g)).toHaveLength(
      Object.values(paths).flatMap((methods) => Object.keys(methods)).length,
    );
    expect(dom).toContain('name="leaseSeconds"');
  },
);
