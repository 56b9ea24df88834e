/** What a person does on the other tabs, and what the page says while it loads, when the hub refuses or is gone, and when there is nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, type TestHub } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow } from "../support/page.ts";
import { scene } from "../support/scene.ts";
import { until } from "../support/until.ts";

let now = Date.now();

inBrowser({ now: () => now }, ({ ask, open }) => {
  test("[U8] a thread shows its history and its lease, takes an answer, and can be cancelled", async () => {
    await ask("POST /api/threads", { from: "leader", to: "ada", subject: "Add login" });
    const { threadId } = (await ask("POST /api/threads/claim", { agent: "ada" })).json.thread;
    await using window = await open("/threads");
    const { page, press } = window;
    await page.locator(".row-link", { hasText: "Add login" }).click();
    await page.getByText(/min \d+ s left/).waitFor();
    await ask(`POST /api/threads/${threadId}/update`, { agent: "ada", status: "blocked", summary: "SSO?" });
    await page.locator(".said", { hasText: "SSO?" }).waitFor();
    await page.locator(".list-head", { hasText: "Blocked" }).waitFor();
    const answer = ask(`POST /api/threads/${threadId}/wait-reply`, { agent: "ada", timeoutSeconds: 30 });
    await page.getByLabel("Reply to ada").first().waitFor();
    await press("r");
    await page.keyboard.type("No, a password");
    await press("Control+Enter");
    expect((await answer).json).toMatchObject({ woke: true });
    await page.locator(".said", { hasText: "No, a password" }).waitFor();
    await page.getByRole("button", { name: "Cancel thread" }).click();
    await page.getByLabel("Reason").fill("not needed");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel thread" }).click();
    await page.locator(".detail-header .tag", { hasText: "cancelled" }).waitFor();
    expect((await ask(`GET /api/threads/${threadId}`)).json.thread.status).toBe("cancelled");
    expect(window.troubles).toEqual([]);
  });

  test("[U8] a channel shows what is said as it is said, and takes acks and words", async () => {
    const first = await ask("POST /api/messages", { channel: "builds", content: "v1 built", sender: "ci" });
    await using window = await open("/channels");
    const { page, press } = window;
    await page.locator(".row-link", { hasText: "builds" }).click();
    await page.locator(".said", { hasText: "v1 built" }).waitFor();
    await ask("POST /api/messages", { channel: "builds", content: "v2 built", sender: "ci" });
    await page.locator(".said", { hasText: "v2 built" }).waitFor();
    const sure = page.getByRole("dialog");
    await page.getByRole("button", { name: `Acknowledge message ${first.json.id}` }).click();
    await sure.getByRole("button", { name: "Acknowledge" }).click();
    await until(
      "one message is stored in builds",
      async () => (await ask("GET /api/messages/inbox/builds/count")).json.count === 1,
    );
    await press("r");
    await page.keyboard.type("Well done");
    await press("Control+Enter");
    await page.locator(".said", { hasText: "Well done" }).waitFor();
    await page.getByRole("button", { name: "Ack all" }).click();
    await sure.getByRole("button", { name: "Acknowledge all" }).click();
    await page.getByText("0 pending").waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U8] a dead letter is read, put back, and thrown away", async () => {
    for (const content of ["first", "second"]) {
      await ask("POST /api/mailbox/bob/send", { from: "leader", message: content });
    }
    await until("both messages are dead letters", async () => {
      await ask("POST /api/mailbox/bob/check", { ack: "manual", visibilitySeconds: 1 });
      now += 5000;
      return (await ask("GET /api/dead-letters")).json.count === 2;
    });
    await using window = await open("/dead-letters");
    const { page, press } = window;
    await page.getByText("second").first().waitFor();
    await press("j");
    await page.locator(".detail-body").getByText("not acknowledged after 5 deliveries").waitFor();
    await page.getByRole("button", { name: "Requeue", exact: true }).click();
    await until("one dead letter is left", async () => (await ask("GET /api/dead-letters")).json.count === 1);
    await page.getByText("first").first().click();
    await press("Delete");
    await page.getByRole("dialog").getByText("Requeue puts it back instead").waitFor();
    await press("Enter");
    await page.getByText("No dead letters").waitFor();
    expect((await ask("GET /api/dead-letters")).json.count).toBe(0);
  });

  test("[U8] an agent's tab shows what waits for it, and a word to it arrives", async () => {
    await ask("POST /api/mailbox/cid/send", { from: "leader", message: "Please look" });
    await using window = await open("/agents/cid");
    const { page, press } = window;
    await page.locator(".said", { hasText: "Please look" }).waitFor();
    const field = page.getByLabel("Write to cid");
    await field.waitFor();
    await press("r");
    await until("the field has the focus", () => field.evaluate((one) => one.matches(":focus")));
    await page.keyboard.type("And hurry");
    await press("Control+Enter");
    await page.locator(".said", { hasText: "And hurry" }).waitFor();
    expect((await ask("GET /api/mailbox/cid")).json.total).toBe(2);
  });

  test("[U8] an agent's field stays when the queue comes late and its name turns out to be no task's", async () => {
    await using window = await open("/assets/icon.svg");
    const { page } = window;
    const queue = Promise.withResolvers<void>();
    await page.route(/\/api\/tasks\?/, async (route) => {
      await queue.promise;
      await route.continue();
    });
    await page.goto(new URL("/agents/cid", page.url()).href);
    const field = page.getByLabel("Write to cid");
    await field.or(page.locator(".waiting")).waitFor();
    const early = await field.elementHandles();
    const asked = page.waitForResponse(/\/api\/tasks\/cid/);
    queue.resolve();
    await asked;
    await field.waitFor();
    for (const one of early) expect(await one.evaluate((element) => element.isConnected)).toBe(true);
  });

  test("[X2] [U7] a hub that requires a token asks for one, and the page works with it", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    createDatabase(db);
    const inbox = openInbox(db);
    const { token } = await inbox.call("tokens.create", { agent: "user", scope: "user" });
    const admin = await inbox.call("tokens.create", { agent: "boss", scope: "admin" });
    await inbox.close();
    await using hub = await hubHere({ db, auth: true });
    const { json } = await hub.as(admin.token)("POST /api/workspaces", {
      path: folder.path,
      label: "Work",
      agent: "ada",
    });
    await Bun.write(join(folder.path, "a.md"), "# Behind a token\n");
    const push = openInbox(db);
    await push.call("entries.push", {
      workspace: json.workspace.workspaceId,
      docs: [{ path: "a.md" }],
      comments: "Hello",
    });
    await push.close();
    await using window = await openWindow(hub.url);
    const { page, press } = window;
    await page.getByText("This hub requires a token.").waitFor();
    // The field has the focus: nothing else can be done here.
    await page.keyboard.type("wrong");
    await press("Enter");
    await page.getByText("unknown or was revoked").waitFor();
    await page.getByLabel("Token").fill(token);
    await press("Enter");
    await page.getByText("Hello").first().click();
    await page.getByRole("heading", { name: "Behind a token" }).waitFor();
    await Bun.write(join(folder.path, "a.md"), "# Still live\n");
    await page.getByRole("heading", { name: "Still live" }).waitFor();
    expect(window.troubles).toEqual([]);
  });
});

const lists = {
  "/": ["history", "No entries yet"],
  "/agents": ["agents", "No agents yet"],
  "/threads": ["threads", "No threads yet"],
  "/queue": ["tasks", "The queue is empty"],
  "/channels": ["messages/channels", "No channels yet"],
  "/dead-letters": ["dead-letters", "No dead letters"],
} as const;

/** What the hub answers to a person who may not see it. */
const refuse = (route: Route) =>
  route.fulfill({
    status: 403,
    contentType: "application/json",
    body: JSON.stringify({
      error: { code: "not_allowed", message: "ada may not read this", hint: "--help" },
    }),
  });

inBrowser({}, (here) => {
  const { ask, open } = here;
  let empty: TestHub;
  let played: AsyncDisposable;
  beforeAll(async () => {
    empty = await hubHere();
    played = await scene(here.hub, here.folder);
  });
  afterAll(async () => {
    await played[Symbol.asyncDispose]();
    await empty[Symbol.asyncDispose]();
  });

  test("[U7] [U8] every list tells loading, failed and empty apart, and can be loaded again", async () => {
    await using window = await openWindow(empty.url, "/assets/icon.svg");
    const { page } = window;
    for (const [path, [route, none]] of Object.entries(lists)) {
      const held = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const which = new RegExp(`/api/(inbox/)?${route}(\\?|$)`);
      await page.route(which, async (one) => {
        asked.resolve();
        await held.promise;
        await one.abort();
      });
      // Loaded anew each time: a list may be there already because another tab needs it.
      await page.goto(empty.url + path);
      await asked.promise;
      const list = page.locator(".list-column");
      await list.locator("[aria-busy=true]").waitFor();
      expect([path, await list.getByText(none).count()]).toEqual([path, 0]);
      held.resolve();
      await list.getByRole("alert").getByText("cannot be reached").waitFor();
      expect([path, await list.getByText(none).count()]).toEqual([path, 0]);
      await page.unroute(which);
      await list.getByRole("button", { name: "Try again" }).click();
      await list.getByText(none).waitFor();
    }
    expect(window.troubles).toEqual([]);
  });

  test("[U7] [U8] a list that cannot be refreshed stays, and says so", async () => {
    await using window = await open("/threads");
    const { page } = window;
    const list = page.locator(".list-column");
    await list.locator(".row-link").first().waitFor();
    await page.route(/\/api\/threads\?/, refuse);
    await ask("POST /api/threads", { from: "leader", to: "backend", subject: "One more" });
    await list.getByText("Not up to date: Ada may not read this").waitFor();
    expect(await list.locator(".row-link").count()).toBeGreaterThan(0);
    await page.unroute(/\/api\/threads\?/);
    await list.getByRole("button", { name: "Try again" }).click();
    await list.getByText("One more").waitFor();
    expect(await list.getByRole("alert").count()).toBe(0);
  });

  test("[U8] the search says whether it still runs, has failed, or has found nothing", async () => {
    await using window = await open();
    const { page, press } = window;
    await page.locator(".row-link").first().waitFor();
    const state = page.locator(".palette-state");
    const held = Promise.withResolvers<void>();
    await page.route(/\/api\/search/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await press("/");
    await page.keyboard.type("zzyzx");
    await state.getByText("Searching …").waitFor();
    held.resolve();
    await state.getByText("Nothing found for “zzyzx”.").waitFor();
    await page.unroute(/\/api\/search/);
    await page.route(/\/api\/search/, (route) => route.abort());
    await page.getByRole("combobox").last().fill("deploy");
    await state.getByText("The search failed: The hub at").waitFor();
    await page.unroute(/\/api\/search/);
    await state.getByRole("button", { name: "Try again" }).click();
    await page.locator(".option", { hasText: "v2.3.1" }).first().waitFor();
    expect(await state.innerText()).toBe("");
  });

  test("[U7] [U8] what a person may not read says so wherever it is opened, and is never blank", async () => {
    const [entry] = (await ask("GET /api/inbox/history")).json.entries;
    await using window = await open();
    const { page } = window;
    await page.route(/\/api\/(mailbox|threads|tasks|inbox)\/(?!history|profiles)[\w-]+/, refuse);
    await page.route(/\/api\/messages\/inbox\//, refuse);
    for (const path of [
      `/inbox/${entry.id}`,
      "/threads/thr_1",
      "/agents/deployer",
      "/queue/survey",
      "/channels/builds",
    ]) {
      await window.go(path);
      const alert = page.locator(".detail-column").getByRole("alert");
      await alert.getByText("Ada may not read this").waitFor();
      await alert.getByText("Your token does not permit this").waitFor();
      expect([path, await alert.getByRole("button", { name: "Try again" }).count()]).toEqual([path, 1]);
    }
  });

  test("[U7] [U8] an address that names nothing says so in the page's own words, and leads back", async () => {
    await using window = await open();
    const { page } = window;
    const detail = page.locator(".detail-column");
    const leads = async (path: string, words: string, back: string) => {
      await window.go(path);
      await detail.getByText(words).waitFor();
      expect(await detail.innerText()).not.toMatch(/--|inbox (entries|list|show)/);
      await detail.getByRole("button", { name: `Back to ${back}` }).click();
      await detail.getByText(words).waitFor({ state: "detached" });
    };
    await leads("/inbox/nope", "There is no entry nope", "Inbox");
    await leads(`/inbox/${crypto.randomUUID()}`, "There is no entry", "Inbox");
    await leads("/threads/nope", "There is no thread nope", "Threads");
    await leads("/queue/nope", "There is no task nope", "Queue");
    await leads("/dead-letters/77", "There is no dead letter 77", "Dead letters");
  });

  test("[U7] the unread count is that of the chosen workspace", async () => {
    await using window = await open();
    const { page } = window;
    const count = page.locator(".list-header .count");
    const { entries, unread } = (await ask("GET /api/inbox/history")).json;
    await count.getByText(String(unread)).waitFor();
    const [{ workspaceId }] = entries.filter((one: { workspaceLabel: string }) =>
      one.workspaceLabel?.startsWith("Macro"),
    );
    await page.getByLabel("Workspace").selectOption(workspaceId);
    await count.getByText(/^1 unread$/).waitFor();
    await page.locator(".detail-column").getByText("1 unread").waitFor();
    expect(await page.locator(".tab .count:not(.needs)").first().innerText()).toBe(String(unread));
  });

  test("[U7] [U8] titles are without the marks of Markdown, on every tab and in the search", async () => {
    const bold = "**Rates** and *the `curve` of __init__*";
    const plain = "Rates and the curve of __init__";
    await ask("POST /api/mailbox/user/send", { from: "ada", message: bold });
    await ask("POST /api/threads", { from: "leader", to: "zoe", subject: bold });
    await ask("POST /api/tasks", { agent: "main", name: "bold", prompt: bold, cwd: here.folder });
    await using window = await open();
    const { page, press } = window;
    const shows = async (path: string) => {
      await window.go(path);
      await page.locator(".list-column .row-text", { hasText: plain }).first().waitFor();
    };
    for (const path of ["/", "/threads", "/queue"]) await shows(path);
    await window.go("/threads");
    await page.locator(".row-title", { hasText: plain }).click();
    await page.locator(".detail-title h1", { hasText: plain }).waitFor();
    await press("/");
    await page.keyboard.type("curve init");
    await page.locator(".option .hit-title", { hasText: "Rates" }).first().waitFor();
    for (const text of await page.locator(".option .hit").allInnerTexts()) expect(text).not.toContain("**");
    expect(await page.locator(".option mark").allInnerTexts()).toContain("curve");
  });

  test("[U7] the page is called Restante", async () => {
    await using window = await open("/queue");
    const { page }: { page: Page } = window;
    await page.locator(".side-bar").getByText("Restante").waitFor();
    expect(await page.title()).toMatch(/^(\(\d+\) )?Queue · Restante$/);
  });
});
