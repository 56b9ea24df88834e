/** [U15] What changed since the person last looked. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chromiumPath } from "../support/browser.ts";
import type { TestHub } from "../support/hub.ts";
import { closeBrowser, openWindow } from "../support/page.ts";
import { type Home, hubWithWorkspace, type Workspace } from "../support/scene.ts";
import { until } from "../support/until.ts";

const plan = (...lines: string[]) => `# Plan\n\n${lines.join("\n\n")}\n`;

describe.skipIf(!chromiumPath())("in a browser", () => {
  let home: Home;
  let hub: TestHub;
  let space: Workspace;
  beforeAll(async () => {
    home = await hubWithWorkspace();
    ({ hub, space } = home);
  });
  afterAll(async () => {
    await closeBrowser();
    await home[Symbol.asyncDispose]();
  });
  const readText = async (id: string) =>
    (await hub.ask(`GET /api/inbox/${id}/changes`)).json.documents[0].before as string | null;

  test("[U15] a document that was edited since says how much, shows it inline, and only once", async () => {
    space.write("plan.md", plan("Measure twice", "Cut once"));
    const id = await space.push({ docs: ["plan.md"], comments: "The plan" });
    const other = await space.push({ comments: "Something else" });
    await using window = await openWindow(hub.url, `/inbox/${id}`);
    const { page, press } = window;
    const doc = page.locator(".document");
    const button = doc.locator(".changes-button");
    await doc.getByText("Cut once").waitFor();
    await until("the hub knows what was read", async () => (await readText(id)) !== null);
    expect(await button.count()).toBe(0);

    await page.locator(".entry", { hasText: "Something else" }).locator(".row-link").click();
    await page.waitForURL(`**/inbox/${other}`);
    space.write("plan.md", plan("Measure twice", "Cut at the mark", "Sand it"));
    await page.locator(".entry", { hasText: "The plan" }).locator(".row-link").click();
    await button.waitFor();
    expect((await button.innerText()).replace(/\s+/g, " ")).toContain("+3 3 lines added, −1 1 line removed");
    // The text itself comes first; the person asks for the difference.
    await doc.locator(".markdown", { hasText: "Cut at the mark" }).waitFor();
    await press("d");
    await doc.locator('.diff-line[data-is="removed"]', { hasText: "Cut once" }).waitFor();
    await doc.locator('.diff-line[data-is="added"]', { hasText: "Cut at the mark" }).waitFor();

    // It stays while it is open, also though the hub knows by now that it was read, and follows what is edited meanwhile.
    await until("the hub knows that this was read", async () => (await readText(id))!.includes("Sand it"));
    space.write("plan.md", plan("Measure twice", "Cut at the mark", "Sand it", "Paint it"));
    await doc.locator('.diff-line[data-is="added"]', { hasText: "Paint it" }).waitFor();
    await doc.locator('.diff-line[data-is="added"]', { hasText: "Cut at the mark" }).waitFor();
    await until("that was read too", async () => (await readText(id))!.includes("Paint it"));
    await button.click();
    await doc.locator(".markdown", { hasText: "Paint it" }).waitFor();

    await page.reload();
    await doc.getByText("Paint it").waitFor();
    expect(await button.count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });

  test("[U15] dates in a table keep their line, and on a phone buttons have their names below them", async () => {
    const note = "a note that is long enough to need all the width there is, and then some more of it";
    space.write("runs.csv", `date,note\n2026-05-01 08:15:00,${note}\n2026-05-02 08:15:00,${note}\n`);
    const id = await space.push({ docs: ["runs.csv"], comments: "The runs" });
    await using window = await openWindow(hub.url, `/inbox/${id}`, { viewport: { width: 390, height: 844 } });
    const { page } = window;
    const date = page.getByRole("cell", { name: "2026-05-01 08:15:00" });
    await date.waitFor();
    // Wide enough for all of it at once: broken, it was half as wide.
    expect((await date.boundingBox())!.width).toBeGreaterThan(130);
    for (const name of ["Done", "Snooze", "Delete"])
      await page.locator(".detail-header .icon-label", { hasText: name }).waitFor();
    // Every name fits: none is cut off.
    const cut = await page
      .locator(".side-bar .label:visible, .icon-label:visible")
      .evaluateAll((labels) =>
        (labels as unknown as { scrollWidth: number; clientWidth: number; textContent: string }[])
          .filter((one) => one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.textContent),
      );
    expect(cut).toEqual([]);
  });
});
