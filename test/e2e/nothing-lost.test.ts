/** Nothing that a person does on the page is lost, or goes to somebody or something else than what it says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { chromiumPath } from "../support/browser.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, type TestHub } from "../support/hub.ts";
import { closeBrowser, openWindow } from "../support/page.ts";
import { type Workspace, workspace } from "../support/scene.ts";
import { until } from "../support/until.ts";

const titles = (page: Page) => page.locator(".entry .row-title").allInnerTexts();
const row = (page: Page, title: string) => page.locator(".entry", { hasText: title });

describe.skipIf(!chromiumPath())("in a browser", () => {
  const folder = temporaryFolder();
  let hub: TestHub;
  let spaces = 0;
  const opened: AsyncDisposable[] = [];
  beforeAll(async () => {
    hub = await hubHere();
  });
  afterAll(async () => {
    await closeBrowser();
    for (const one of opened) await one[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** A workspace of a test's own, and a page that shows nothing else. */
  async function alone(...comments: string[]) {
    const agent = `ada${++spaces}`;
    const space = await workspace(hub, join(folder.path, agent), `Space ${spaces}`, agent);
    opened.push(space);
    const ids: string[] = [];
    for (const text of comments) ids.push(await space.push({ comments: text }));
    return { space, agent, ids };
  }

  async function show(space: Workspace, first: string) {
    const window = await openWindow(hub.url);
    await window.page.getByLabel("Workspace").selectOption(space.id);
    await row(window.page, first).waitFor();
    return window;
  }

  test("[U10] Undo belongs to its toast, and z walks back through what was done", async () => {
    const { space } = await alone("One", "Two", "Three");
    await using window = await show(space, "Three");
    const { page, press } = window;
    for (const title of ["One", "Two"])
      await page.getByRole("button", { name: `Delete “${title}”` }).click();
    await until("one row is left", async () => (await titles(page)).join() === "Three");
    await page.locator(".toast").first().getByRole("button", { name: "Undo" }).click();
    await until("One is back, and Two is not", async () => (await titles(page)).join() === "Three,One");
    await page.getByRole("button", { name: "Delete “Three”" }).click();
    await until("One is left", async () => (await titles(page)).join() === "One");
    await press("z", "z");
    await until("all are back", async () => (await titles(page)).join() === "Three,Two,One");
    expect(window.troubles).toEqual([]);
  });
});
