/** Desktop notifications: only where they were turned on, of what is new, while the person looks elsewhere. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { hubHere } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow } from "../support/page.ts";
import { until } from "../support/until.ts";

/** The browser's own, which cannot be seen without a desktop, writes down what it was asked for; and nobody looks. */
const watchNotes = `
  globalThis.notes = [];
  globalThis.looks = false;
  globalThis.Notification = class extends Notification {
    constructor(...given) {
      super(...given);
      notes.push(this);
    }
  };
  document.hasFocus = () => looks;
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

    // What was deleted and comes back is not new.
    await ask(`DELETE /api/inbox/${id}`);
    await page.locator(".entry", { hasText: "Look at this" }).waitFor({ state: "detached" });
    await ask(`POST /api/inbox/${id}/restore`);
    await page.locator(".entry", { hasText: "Look at this" }).waitFor();
    // Whoever looks needs no telling.
    await page.evaluate("looks = true");
    await space.push({ comments: "Seen as it came" });
    await page.locator(".entry", { hasText: "Seen as it came" }).waitFor();
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
