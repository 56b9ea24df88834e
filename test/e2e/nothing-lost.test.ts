/** Nothing that a person does on the page is lost, or goes to somebody or something else than what it says. */
import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { inBrowser } from "../support/in-browser.ts";
import type { Workspace } from "../support/scene.ts";
import { until } from "../support/until.ts";

const titles = (page: Page) => page.locator(".entry .row-title").allInnerTexts();
const row = (page: Page, title: string) => page.locator(".entry", { hasText: title });

/** Run in the page: holds up the stream of events, and counts how often a row was missing from the list. */
const heldEvents = `{
  const ask = globalThis.fetch;
  let gate = Promise.resolve();
  let letThrough = () => {};
  globalThis.holdEvents = () => { gate = new Promise((done) => { letThrough = done; }); };
  globalThis.letEventsCome = () => letThrough();
  const held = () => new TransformStream({
    async transform(chunk, onwards) {
      await gate;
      onwards.enqueue(chunk);
    },
  });
  globalThis.fetch = async (url, init) => {
    const answer = await ask(url, init);
    const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
    return isStream ? new Response(answer.body.pipeThrough(held()), answer) : answer;
  };
  globalThis.watchRow = (title) => {
    globalThis.missing = 0;
    const isThere = () => [...document.querySelectorAll(".row-title")].some((row) => row.textContent === title);
    new MutationObserver(() => isThere() || missing++).observe(document, { subtree: true, childList: true });
  };
}`;

inBrowser({}, (here) => {
  const { ask, open } = here;
  let spaces = 0;

  /** A workspace of a test's own, and a page that shows nothing else. */
  async function alone(...comments: string[]) {
    const agent = `ada${++spaces}`;
    const space = await here.workspace(`Space ${spaces}`, agent);
    const ids: string[] = [];
    for (const text of comments) ids.push(await space.push({ comments: text }));
    return { space, agent, ids };
  }

  async function show(space: Workspace, first: string) {
    const window = await open();
    await window.page.getByLabel("Workspace").selectOption(space.id);
    await row(window.page, first).waitFor();
    return window;
  }

  test("[U10] Undo belongs to its toast, and z walks back through what was done", async () => {
    const { space } = await alone("One", "Two", "Three");
    await using window = await show(space, "Three");
    const { page, press } = window;
    const remove = async (title: string) => {
      await row(page, title).locator(".row-link").click();
      await press("Delete");
    };
    await remove("One");
    await remove("Two");
    await until("one row is left", async () => (await titles(page)).join() === "Three");
    await page.locator(".toast").first().getByRole("button", { name: "Undo" }).click();
    await until("One is back, and Two is not", async () => (await titles(page)).join() === "Three,One");
    await remove("Three");
    await until("One is left", async () => (await titles(page)).join() === "One");
    await press("z", "z");
    await until("all are back", async () => (await titles(page)).join() === "Three,Two,One");
    expect(window.troubles).toEqual([]);
  });

  test("[U10] what was brought back stays, also where the hub tells of its deletion after the undo", async () => {
    const { space } = await alone("Gone", "Done");
    await using window = await open(`/?workspace=${space.id}`, { before: heldEvents });
    const { page, press } = window;
    for (const [title, key, undo] of [
      ["Gone", "Delete", "POST /restore"],
      ["Done", "e", "DELETE /archive"],
    ] as const) {
      await row(page, title).locator(".row-link").click();
      // New rows wait while the pointer is over the list.
      await page.mouse.move(900, 500);
      await page.evaluate("holdEvents()");
      await press(key);
      await until(`${title} is gone`, async () => !(await titles(page)).includes(title));
      const [method, end] = undo.split(" ") as [string, string];
      const undone = page.waitForResponse(
        (answer) => answer.request().method() === method && new URL(answer.url()).pathname.endsWith(end),
      );
      await press("z");
      await undone;
      await row(page, title).waitFor();
      await page.evaluate(`watchRow(${JSON.stringify(title)}); letEventsCome()`);
      // Events come in order: once this one is shown, the others have been taken.
      await space.push({ comments: `After that, ${title}` });
      await row(page, `After that, ${title}`).waitFor();
      expect([title, await page.evaluate("missing")]).toEqual([title, 0]);
    }
    expect(window.troubles).toEqual([]);
  });

  test("[U10] a reply never goes to oneself, and says who gets it and whether somebody reads it", async () => {
    const { space, agent, ids } = await alone("For the person");
    await ask("POST /api/threads", { from: "user", to: agent, subject: "Asked by the person" });
    const { thread } = (await ask("POST /api/threads/claim", { agent })).json;
    await ask(`POST /api/threads/${thread.threadId}/done`, { agent, summary: "Done it" });
    await using window = await open(`/threads/${thread.threadId}`);
    const { page } = window;
    await page.getByLabel(`Reply to ${agent}`).fill("Thanks");
    await page.locator(".receiver", { hasText: `To ${agent}, which is active` }).waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(`Sent to ${agent}`).waitFor();
    const { messages } = (await ask(`GET /api/threads/${thread.threadId}`)).json;
    expect(messages.at(-1)).toMatchObject({ fromAgent: "user", toAgent: agent });
    for (const [path, name] of [
      ["/agents/user", "Agents"],
      ["/channels/user", "Channels"],
    ] as const) {
      await window.go(path);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.locator(".no-receiver").waitFor();
      expect([path, await page.locator(".reply-bar textarea").count()]).toEqual([path, 0]);
    }
    // What the person wrote to itself is answered by nobody.
    await ask("POST /api/mailbox/user/send", { from: "user", message: "Remember the milk" });
    const [own] = (await ask("GET /api/inbox/history")).json.entries;
    await window.go(`/inbox/${own.id}`);
    await page.getByText("You wrote this yourself").waitFor();
    expect((await ask(`POST /api/inbox/${own.id}/reply`, { message: "I did" })).status).toBe(409);
    await window.go("/agents/nobody-yet");
    await page.locator(".receiver", { hasText: "nobody of this name has been seen yet" }).waitFor();
    expect(space.agent).toBe(agent);
    expect(ids).toHaveLength(1);
    expect(window.troubles).toEqual([]);
  });

  test("[U10] a draft survives Escape, another entry, a failed send, an outage, a revoked token and a reload", async () => {
    const { space, agent, ids } = await alone("First", "Second");
    await using window = await show(space, "Second");
    const { page, press } = window;
    const field = page.getByLabel(`Reply to ${agent}`);
    const holds = (text: string) =>
      until(`the field holds "${text}"`, async () => (await field.inputValue()) === text);
    await row(page, "Second").locator(".row-link").click();
    await field.fill("Half a thou");
    await press("Escape");
    await press("j");
    await page.locator(".commentary", { hasText: "First" }).waitFor();
    await holds("");
    await row(page, "Second").locator(".tag", { hasText: "draft" }).waitFor();
    await press("k");
    await holds("Half a thou");
    await page.route(/\/reply$/, (route) => route.abort());
    await field.fill("Half a thought");
    await field.press("Control+Enter");
    await page.locator('.toast[data-tone="bad"]').waitFor();
    await holds("Half a thought");
    await page.unroute(/\/reply$/);
    // The hub takes the token away: after another is given, the text is there.
    await page.route(/\/api\//, (route) =>
      route.fulfill({
        status: 401,
        contentType: "application/json",
        body: JSON.stringify({ error: { code: "unauthorized", message: "no", hint: "" } }),
      }),
    );
    await field.press("Control+Enter");
    await page.getByText("This hub requires a token.").waitFor();
    await page.unroute(/\/api\//);
    await page.goto(`${here.hub.url}/inbox/${ids[1]}`);
    await holds("Half a thought");
    await field.press("Control+Enter");
    await page.getByText(`Sent to ${agent}`).waitFor();
    await holds("");
    expect(await page.locator(".tag", { hasText: "draft" }).count()).toBe(0);
    const { messages } = (await ask(`GET /api/mailbox/${agent}`)).json;
    expect(messages).toMatchObject([{ message: "Half a thought" }]);
  });

  test("[U10] keys and buttons work on an entry that is not in the list", async () => {
    const { space, ids } = await alone("Old one", "New one");
    const other = await alone("Elsewhere");
    await using window = await show(other.space, "Elsewhere");
    const { page, press } = window;
    const stored = async () => (await ask(`GET /api/inbox/history?workspaceId=${space.id}`)).json.entries;
    const shown = page.locator(".commentary");
    /** As a search hit or a link in a text leads there: the filter stays. */
    const goTo = async (id: string, text: string) => {
      await window.go(`/inbox/${id}${await page.evaluate("location.search")}`);
      await shown.filter({ hasText: text }).waitFor();
    };
    await goTo(ids[0]!, "Old one");
    await until("Old one is read", async () => (await stored())[1].readAt !== null);
    await press("u");
    await until("Old one is unread", async () => (await stored())[1].readAt === null);
    await press("Delete");
    await until("Old one is deleted", async () => (await stored()).length === 1);
    await shown.filter({ hasText: "Elsewhere" }).waitFor();
    await press("z");
    await until("Old one is back", async () => (await stored()).length === 2);
    await press("Escape", "e");
    await page.getByText("No entry is open or selected").waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U10] the header acts on what is open, the selection bar on what is selected", async () => {
    const { space } = await alone("One", "Two", "Three");
    await using window = await show(space, "Three");
    const { page } = window;
    await row(page, "Three").locator(".row-link").click();
    for (const title of ["One", "Two"]) await page.getByLabel(`Select “${title}”`).check();
    await page.getByText("2 selected").waitFor();
    await page.locator(".detail-header").getByRole("button", { name: "Delete" }).click();
    await until("only Three is gone", async () => (await titles(page)).join() === "Two,One");
    await page.getByText("2 selected").waitFor();
    await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
    await until("the other two are gone", async () => (await titles(page)).length === 0);
  });

  test("[U10] what takes others' mail or deletes for good is asked first", async () => {
    const { agent } = await alone("Here");
    await ask("POST /api/messages", { channel: agent, content: "for the agent", sender: "leader" });
    await using window = await open(`/channels/${agent}`);
    const { page, press } = window;
    const pending = async () => (await ask(`GET /api/mailbox/${agent}`)).json.total;
    await page.getByRole("button", { name: "Ack all" }).click();
    await page.getByRole("dialog").getByText("will not get it").waitFor();
    await press("Escape");
    await page.getByRole("button", { name: /^Acknowledge message/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Keep it" }).click();
    expect(await pending()).toBe(1);
    await page.getByRole("button", { name: "Ack all" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Acknowledge all" }).click();
    await until("nothing is pending", async () => (await pending()) === 0);
    await ask("POST /api/mailbox/main/send", { from: "ada", message: "not yours" });
    await press("/");
    await page.keyboard.type("/check");
    await press("Enter");
    await page.locator(".palette-answer", { hasText: "the main agent will not get it" }).waitFor();
    expect((await ask("GET /api/mailbox/main")).json.total).toBe(1);
    await press("Enter");
    await page.locator(".palette-answer", { hasText: "not yours" }).waitFor();
  });
});
