/** The morning: sixty entries of eight agents, by keyboard, to zero. What is timed is in bench/page.ts. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { inBrowser } from "../support/in-browser.ts";
import { night, type Worked, workThrough } from "../support/morning.ts";
import { until } from "../support/until.ts";

const heads = (page: Page) => page.locator(".list-head").allInnerTexts();
const titles = (page: Page) => page.locator(".entry .row-title").allInnerTexts();

inBrowser({}, (here) => {
  const { ask, open } = here;
  beforeAll(async () => {
    await night(here.hub, here.folder, 60);
  });

  const inbox = async (more = "") => (await ask(`GET /api/inbox/history?limit=200${more}`)).json.entries;

  test("[U11] [U12] sixty entries of eight agents are done by keyboard: a key each, and one more for an answer", async () => {
    await using window = await open();
    const { page } = window;
    await page.locator(".list-head", { hasText: "Needs you" }).waitFor();
    expect((await heads(page))[0]).toMatch(/^Needs you\s*6$/);
    await until("the title counts what needs the person", async () =>
      (await page.title()).startsWith("(6) "),
    );
    const { keystrokes } = (await page.evaluate(workThrough)) as Worked;
    await page.getByText("All done").waitFor();
    expect(keystrokes).toBe(1 + 60 + 6);
    await until("the hub has an empty inbox", async () => (await inbox()).length === 0);
    const archive = await inbox("&folder=archive");
    expect(archive).toHaveLength(60);
    expect(archive.filter((one: { answer: string }) => one.answer === "Go on")).toHaveLength(6);
    expect(window.troubles).toEqual([]);
  });

  test("[U10] an answer shows who chose what; another one is a second step", async () => {
    await ask("POST /api/mailbox/user/ask", {
      from: "asker",
      question: "Deploy now?",
      choices: ["yes", "no"],
    });
    const [{ id }] = await inbox();
    await using window = await open(`/inbox/${id}`);
    const { page, press } = window;
    await page.locator(".choices").waitFor();
    await press("1");
    await page.locator(".answered", { hasText: "You answered yes" }).waitFor();
    await press("2");
    expect((await ask("GET /api/mailbox/asker")).json.total).toBe(1);
    await page.getByRole("button", { name: "Change the answer" }).click();
    await page.getByRole("button", { name: "2 no" }).click();
    await page.locator(".answered", { hasText: "You answered no" }).waitFor();
    const { messages } = (await ask("GET /api/mailbox/asker")).json;
    expect(messages.map(({ message }: { message: string }) => message)).toEqual(["yes", "no"]);
  });

  test("[U11] a failure shows why and its last lines, never JSON, and its thread's history is in the entry", async () => {
    await ask("POST /api/threads", { from: "user", to: "builder", subject: "Build it" });
    const { thread } = (await ask("POST /api/threads/claim", { agent: "builder" })).json;
    const route = `POST /api/threads/${thread.threadId}`;
    await ask(`${route}/update`, { agent: "builder", status: "in_progress", summary: "Fetched everything" });
    await ask(`${route}/fail`, { agent: "builder", summary: "The disk is full", body: "df: 100 %" });
    await using window = await open();
    const { page } = window;
    await page.locator(".entry", { hasText: "The disk is full" }).locator(".row-link").click();
    await page.locator(".failure", { hasText: "The disk is full" }).waitFor();
    await page.locator(".entry .tag", { hasText: "failed" }).waitFor();
    expect(await page.locator(".detail-body").innerText()).not.toContain("{");
    await page.locator(".earlier summary").click();
    await page.locator(".earlier .said", { hasText: "Fetched everything" }).waitFor();
  });

  test("[U12] h hides until later, m mutes, and what tells of the same is one row", async () => {
    for (let n = 0; n < 13; n++)
      await ask("POST /api/mailbox/user/send", { from: "pulse", message: `Still alive after ${n} minutes` });
    await ask("POST /api/mailbox/user/send", { from: "other", message: "A word apart" });
    await using window = await open();
    const { page, press } = window;
    const pulse = page.locator(".entry", { hasText: "Still alive after 12" });
    await pulse.getByText("+12").waitFor();
    await pulse.locator(".row-link").click();
    await press("m", "1");
    await page.getByText("Muted pulse").waitFor();
    // The page says so before the hub has answered.
    await until("the mute is stored", async () => (await ask("GET /api/mutes")).json.mutes.length === 1);
    await ask("POST /api/mailbox/user/send", { from: "pulse", message: "Unheard" });
    await press("e");
    await until("no pulse is in the inbox", async () =>
      (await inbox()).every(({ sender }: { sender: string }) => sender !== "pulse"),
    );
    await page.locator(".entry", { hasText: "A word apart" }).locator(".row-link").click();
    await press("h", "6");
    await page.getByText("Snoozed 1 entry until something new comes").waitFor();
    await page.locator(".entry", { hasText: "A word apart" }).waitFor({ state: "detached" });
    await until("it is stored as snoozed", async () => (await inbox("&folder=snoozed")).length === 1);
    await ask("POST /api/mailbox/user/send", { from: "other", message: "The next word" });
    await page.locator(".entry", { hasText: "A word apart" }).waitFor();
    expect(await titles(page)).not.toContain("Unheard");
    await page.getByLabel("Show").selectOption("archive");
    await page.locator(".entry", { hasText: "Unheard" }).waitFor();
    expect(await page.evaluate("location.search")).toBe("?show=archive");
    expect(window.troubles).toEqual([]);
  });

  test("[U12] nothing under the pointer moves, and a burst of pushes is few requests", async () => {
    await using window = await open();
    const { page } = window;
    const first = page.locator(".entry").first();
    await first.hover();
    const before = await first.locator(".row-title").innerText();
    let requests = 0;
    // However long the burst takes here: for the page it is over before its first question is answered.
    const over = Promise.withResolvers<void>();
    await page.route(/history|counts/, async (route) => {
      requests++;
      await over.promise;
      await route.continue();
    });
    for (let n = 0; n < 20; n++)
      await ask("POST /api/mailbox/user/send", { from: `burst${n}`, message: `Word ${"x".repeat(n)}` });
    over.resolve();
    await page.locator(".new-entries", { hasText: "20 new" }).waitFor();
    expect(await first.locator(".row-title").innerText()).toBe(before);
    expect(requests).toBeLessThan(20);
    await page.mouse.move(1000, 500);
    await page.locator(".entry", { hasText: `Word ${"x".repeat(19)}` }).waitFor();
    await page.locator(".new-entries").waitFor({ state: "detached" });
  });
});

let now = Date.now();
const day = 86_400_000;

inBrowser({ now: () => now }, (here) => {
  test("[U11] [U12] [U13] of many entries of several days all that the filter names is shown, counted and selected", async () => {
    const { open } = here;
    now -= 3 * day;
    await night(here.hub, here.folder, 20);
    now += 3 * day;
    await night(here.hub, here.folder, 100);
    const { entries } = (await here.ask("GET /api/inbox/history?limit=20")).json;
    const { id } = entries.findLast(({ choices }: { choices: unknown }) => choices === null);
    await using window = await open("/queue");
    const { page, press } = window;
    // What needs the person is partly older than what the list has loaded: it comes in above what is open. The page before
    // has asked for it too, and what it asked for may never come.
    await page.goto("about:blank");
    const older = page.waitForResponse(/needsYou=true/);
    await page.goto(`${here.hub.url}/inbox/${id}`);
    await older;
    // What the person gave to somebody who is gone needs it too; the lease lapses while the page is open.
    await here.ask("POST /api/threads", { from: "user", to: "ada", subject: "Plan the **trip**" });
    await here.ask("POST /api/threads/claim", { agent: "ada", leaseSeconds: 1 });
    await page.getByRole("link", { name: "Plan the trip stuck at ada" }).waitFor();
    await until("the title counts it", async () => (await page.title()).startsWith("(13) "));
    const frame = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";
    await page.evaluate(`${frame}.then(() => ${frame})`);
    await until("the open row is in view", async () => {
      const [row, list] = await Promise.all(
        ['.entry[data-open="true"]', ".long-list"].map((one) => page.locator(one).boundingBox()),
      );
      return row && list && row.y >= list.y && row.y + row.height <= list.y + list.height + 1;
    });
    await page.locator(".long-list").evaluate((list) => list.firstElementChild!.scrollTo({ top: 0 }));
    const times = await until("all that needs the person is drawn", async () => {
      const drawn = await page.locator('.entry[data-needs="answer"] time').allInnerTexts();
      return drawn.length === 12 ? drawn : undefined;
    });
    expect(times.filter((time) => /^\d\d:\d\d$/.test(time))).toHaveLength(10);
    await press("Escape", "Control+a");
    await page.getByText("120 selected").waitFor();
    await press("Escape");

    const from = new Date(now - 2 * day).toISOString().slice(0, 10);
    await window.go(`/?day=${from}`);
    await page.locator(".list-head", { hasText: /^Needs you\s*2$/ }).waitFor();
    await window.go("/?show=needs");
    await page.locator(".list-header .count", { hasText: "12" }).waitFor();
    await until("all of them are shown", async () => (await titles(page)).length === 12);
    // Only what is shown: an entry that needs nobody stays unread.
    await press("A");
    await until("no question is unread", async () => {
      const { entries: unread } = (await here.ask("GET /api/inbox/history?unread=true&limit=200")).json;
      return unread.length > 100 && unread.every(({ needs }: { needs: unknown }) => needs === null);
    });
    await press("Control+a");
    await page.getByText("12 selected").waitFor();
    await press("e");
    await page.locator(".toast", { hasText: "12 questions not answered" }).waitFor();
    await window.go("/?show=archive");
    await page.locator(".entry").first().waitFor();
    expect(await page.locator(".list-header .count").count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });
});
