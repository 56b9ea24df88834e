/** What happens elsewhere appears by itself, in every window, also after the line was cut. */
import { beforeAll, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow, watchOver } from "../support/page.ts";
import { type Workspace, workspace } from "../support/scene.ts";
import { until } from "../support/until.ts";

inBrowser({}, (here) => {
  const { ask, open } = here;
  let space: Workspace;
  beforeAll(async () => {
    space = await here.workspace();
  });

  test("[U7] [U4] a push appears in every window, and what is read in one is read in the other", async () => {
    await here.emptyInbox();
    await using one = await open();
    // Another browser, and another window of the same one, which shares its line.
    await using two = await open();
    const third = await one.page.context().newPage();
    const { troubles } = watchOver(third, here.hub.url);
    await third.goto(here.hub.url);
    const pages = [one.page, two.page, third];
    for (const page of pages) await page.getByText("No entries yet").waitFor();
    await space.push({ comments: "Fresh from the agent", choices: ["yes", "no"] });
    for (const page of pages) {
      await page.locator('.entry[data-unread="true"]', { hasText: "Fresh from the agent" }).waitFor();
      await until("the title counts one that needs the person", () =>
        page.evaluate("document.title === '(1) Inbox · Restante'"),
      );
      await until("the icon is the one that counts", () =>
        page.evaluate("document.querySelector('link[rel=icon]').href.startsWith('data:')"),
      );
    }
    await one.page.getByText("Fresh from the agent").first().click();
    await one.press("1");
    for (const page of pages) {
      await page.locator('.entry[data-unread="false"]', { hasText: "Fresh from the agent" }).waitFor();
      await until("the title counts nothing", () => page.evaluate("document.title === 'Inbox · Restante'"));
      await until("the icon is the plain one", () =>
        page.evaluate("document.querySelector('link[rel=icon]').href.endsWith('.svg')"),
      );
    }
    // The window that followed the events is closed: the other one takes over.
    await one.page.close();
    await space.push({ comments: "Second" });
    await third.locator(".entry", { hasText: "Second" }).waitFor();
    expect([...one.troubles, ...two.troubles, ...troubles]).toEqual([]);
  });

  test("[U2] [U7] an edit of an open document appears, one that goes says so, and comes back", async () => {
    space.write("report.md", "# First words\n");
    const id = await space.push({ docs: ["report.md"], comments: "Look" });
    await using window = await open(`/inbox/${id}`);
    const { page } = window;
    await page.getByRole("heading", { name: "First words" }).waitFor();
    space.write("report.md", "# Second words\n\nand more\n");
    await page.getByRole("heading", { name: "Second words" }).waitFor();
    const file = join(space.path, "report.md");
    renameSync(file, join(space.path, "elsewhere.md"));
    await page.getByText("was moved or deleted").waitFor();
    expect(await page.getByRole("heading", { name: "Second words" }).count()).toBe(0);
    // As editors save: a new file under the old name.
    space.write("report.md.new", "# Third words\n");
    renameSync(join(space.path, "report.md.new"), file);
    await page.getByRole("heading", { name: "Third words" }).waitFor();
    rmSync(file);
    await page.getByText("was moved or deleted").waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U7] a lost hub is shown, and when it is back nothing was missed", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    let hub = await hubHere({ db });
    const port = Number(new URL(hub.url).port);
    const before = await workspace(hub, join(folder.path, "w"), "Work", "ada");
    before.write("report.md", "# Before\n");
    const id = await before.push({ docs: ["report.md"], comments: "Before the cut" });
    await using window = await openWindow(hub.url, `/inbox/${id}`);
    const { page } = window;
    await page.getByRole("heading", { name: "Before", exact: true }).waitFor();
    await until(
      "the entry is stored as read",
      async () => (await hub.ask(`GET /api/inbox/${id}`)).json.entry.readAt !== null,
    );
    await before[Symbol.asyncDispose]();
    await hub.stop();
    await page.getByText("The hub cannot be reached").waitFor();

    // Another hub on the same bus, which the page cannot see: what happens there is missed by nobody.
    const hidden = await hubHere({ db });
    const missed = await workspace(hidden, join(folder.path, "w2"), "Second", "bob");
    for (let i = 0; i < 3; i++) await missed.push({ comments: `Missed ${i}` });
    await hidden.ask(`DELETE /api/inbox/${id}/read`);
    await missed[Symbol.asyncDispose]();
    await hidden.stop();
    await Bun.write(join(folder.path, "w/report.md"), "# After\n");

    hub = await hubHere({ db, port });
    await page.getByText("The hub cannot be reached").waitFor({ state: "detached" });
    for (let i = 0; i < 3; i++) await page.locator(".entry", { hasText: `Missed ${i}` }).waitFor();
    await page.locator('.entry[data-unread="true"]', { hasText: "Before the cut" }).waitFor();
    await page.getByRole("heading", { name: "After", exact: true }).waitFor();
    await page.locator(".list-header .count", { hasText: "4" }).waitFor();
    expect(window.troubles).toEqual([]);
    await hub[Symbol.asyncDispose]();
  });

  test("[U9] a worker's question offers its choices, and the answer comes back typed", async () => {
    await ask("POST /api/threads", { from: "user", to: "ada", subject: "Plan the trip" });
    const { threadId } = (await ask("POST /api/threads/claim", { agent: "ada" })).json.thread;
    await using window = await open();
    const { page } = window;
    await page.locator(".list-column :is(.row, .empty)").first().waitFor();
    await ask(`POST /api/threads/${threadId}/update`, {
      agent: "ada",
      status: "blocked",
      summary: "Train or plane?",
      payload: { choices: ["Train", "Plane"] },
    });
    const answer = ask(`POST /api/threads/${threadId}/wait-reply`, { agent: "ada", timeoutSeconds: 30 });
    await page.locator(".entry", { hasText: "Train or plane?" }).click();
    await page.getByRole("button", { name: "1 Train", exact: true }).click();
    const { json } = await answer;
    expect(json).toMatchObject({ woke: true });
    expect(JSON.stringify(json)).toContain('"choice":"Train"');
    await page
      .locator(".entry", { hasText: "Train or plane?" })
      .locator(".tag", { hasText: "answered" })
      .waitFor();
  });
});
