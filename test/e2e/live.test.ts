/** What happens elsewhere appears by itself, in every window, also after the line was cut; and as a notification, where they are on. */
import { beforeAll, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow, watchOver } from "../support/page.ts";
import { type Workspace, workspace } from "../support/scene.ts";
import { freePort } from "../support/servers.ts";
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
    const port = freePort();
    let hub = await hubHere({ db, port });
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

/** The browser's own, which cannot be seen without a desktop, writes down what it was asked for; and nobody looks. */
const watchNotes = `
  globalThis.notes = [];
  globalThis.looks = false;
  globalThis.asked = 0;
  globalThis.Notification = class extends Notification {
    constructor(...given) {
      super(...given);
      notes.push(this);
    }
  };
  document.hasFocus = () => {
    asked++;
    return looks;
  };
`;

/** The browser's push service is not on this machine: a subscription of it, as the page sees one. */
const standInForPush = `
  globalThis.asked = [];
  globalThis.subscription = null;
  const keys = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  };
  PushManager.prototype.getSubscription = async () => subscription;
  PushManager.prototype.subscribe = async (options) => {
    asked.push(options);
    subscription = {
      endpoint,
      toJSON: () => ({ endpoint, keys }),
      unsubscribe: async () => {
        subscription = null;
        return true;
      },
    };
    return subscription;
  };
`;

const notesOf = (page: Page) =>
  page.evaluate("notes.map(({ title, body, tag }) => ({ title, body, tag }))") as Promise<
    { title: string; body: string; tag: string }[]
  >;

inBrowser({}, ({ ask, open, workspace }) => {
  test("[U7] notifications tell of what is new, once turned on, and lead to it", async () => {
    const space = await workspace();
    await space.push({ comments: "Before" });
    await using window = await open("/", { permissions: ["notifications"], before: watchNotes });
    const { page } = window;
    await page.locator(".entry", { hasText: "Before" }).waitFor();
    await space.push({ comments: "Nobody asked for this one" });
    await page.locator(".entry", { hasText: "Nobody asked" }).waitFor();
    expect(await notesOf(page)).toEqual([]);

    const bell = page.getByRole("button", { name: "Desktop notifications" });
    const listed = page.waitForResponse(/history\?limit=50/);
    await bell.click();
    await listed;
    expect(await bell.getAttribute("aria-pressed")).toBe("true");
    // Of every workspace, whatever the list is filtered by.
    await page.getByLabel("Show").selectOption("unread");
    const id = await space.push({ comments: "**Look** at this" });
    await until("a notification is shown", async () => (await notesOf(page)).length);
    expect(await notesOf(page)).toEqual([{ title: "Work", body: "Look at this", tag: id }]);
    await page.evaluate("notes[0].onclick()");
    await page.waitForURL(`**/inbox/${id}?show=unread`);
    // It is open, and will be read: all of them are shown, so that it stays in the list.
    await page.getByLabel("Show").selectOption("");

    // What was deleted and comes back is not new.
    await ask(`DELETE /api/inbox/${id}`);
    await page.locator(".entry", { hasText: "Look at this" }).waitFor({ state: "detached" });
    await ask(`POST /api/inbox/${id}/restore`);
    await page.locator(".entry", { hasText: "Look at this" }).waitFor();
    // Whoever looks needs no telling.
    await page.evaluate("looks = true; asked = 0");
    await space.push({ comments: "Seen as it came" });
    await page.locator(".entry", { hasText: "Seen as it came" }).waitFor();
    await until("the page has asked whether somebody looks", () => page.evaluate("asked > 0"));
    await page.evaluate("looks = false");
    await space.push({ comments: "The last one" });
    await until("a second notification is shown", async () => (await notesOf(page)).length > 1);
    expect((await notesOf(page)).slice(1).map(({ body }) => body)).toEqual(["The last one"]);
    // Many at once are one: here all have come before the page can ask.
    const held = Promise.withResolvers<void>();
    await page.route(/history\?limit=50/, async (route) => {
      await held.promise;
      await route.continue();
    });
    for (let i = 1; i <= 5; i++) await space.push({ comments: `Of many: ${i}` });
    held.resolve();
    await until("a third notification is shown", async () => (await notesOf(page)).length > 2);
    expect((await notesOf(page)).slice(2)).toEqual([
      { title: "5 new entries", body: "Of many: 5", tag: "inbox" },
    ]);
    expect(window.troubles).toEqual([]);
  });

  test("[U7] a browser that does not allow notifications is told of, and nothing is turned on", async () => {
    await using window = await open("/", { before: "Notification.requestPermission = async () => 'denied'" });
    const { page } = window;
    const bell = page.getByRole("button", { name: "Desktop notifications" });
    await bell.click();
    await page.getByText("does not allow notifications").waitFor();
    expect(await bell.getAttribute("aria-pressed")).toBe("false");
    expect(window.troubles).toEqual([]);
  });

  test("[U15] the bell subscribes this device and takes it back, and its worker shows what is pushed", async () => {
    const pushed: string[] = [];
    const service = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        pushed.push(new URL(request.url).pathname);
        return new Response(null, { status: 201 });
      },
    });
    using _service = { [Symbol.dispose]: () => void service.stop(true) };
    const { origin } = service.url;
    await using hub = await hubHere({ notify: { contact: "mailto:me@example.com", services: [origin] } });
    const keyOf = async () => (await hub.ask("GET /api/notifications/key")).json.publicKey;
    await until("the hub has a key", async () => (await keyOf()) !== null);
    await using window = await openWindow(hub.url, "/", {
      permissions: ["notifications"],
      serviceWorkers: "allow",
      before: `const endpoint = "${origin}/device";${standInForPush}`,
    });
    const { page } = window;
    const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent("serviceworker"));
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    const bell = page.getByRole("button", { name: "Desktop notifications" });
    const added = page.waitForResponse((one) => one.request().method() === "PUT");
    await bell.click();
    expect((await added).status()).toBe(200);
    expect(await page.evaluate("asked")).toEqual([
      { userVisibleOnly: true, applicationServerKey: await keyOf() },
    ]);
    const question = (text: string) =>
      hub.ask("POST /api/mailbox/user/ask", { from: "ada", question: text, choices: ["yes"] });
    await question("Deploy?");
    await until("the push service is told", () => pushed.length === 1);
    // What the push service would bring to the worker, whether or not a window is open.
    const titles = await worker.evaluate(`(async () => {
      const event = new PushEvent("push", { data: JSON.stringify({ title: "ada", body: "Deploy?", id: "e1" }) });
      const shown = [];
      self.registration.showNotification = async (title, options) => void shown.push({ title, ...options });
      self.dispatchEvent(event);
      return shown;
    })()`);
    expect(titles).toEqual([{ title: "ada", body: "Deploy?", tag: "e1", data: { id: "e1" } }]);
    const removed = page.waitForResponse((one) => one.request().method() === "DELETE");
    await bell.click();
    expect((await removed).status()).toBe(200);
    await until("the browser has no subscription", () => page.evaluate("subscription === null"));
    expect(await bell.getAttribute("aria-pressed")).toBe("false");
    await question("And now?");
    expect(pushed).toEqual(["/device"]);
    expect(window.troubles).toEqual([]);
  });
});
