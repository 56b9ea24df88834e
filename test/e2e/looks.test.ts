/** Both themes, wide and narrow, on every tab: nothing that keeps people out, nothing wider than the window. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { hubHere, type TestHub } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow, type Window } from "../support/page.ts";
import { scene } from "../support/scene.ts";
import { until } from "../support/until.ts";

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

type Theme = "light" | "dark";

/**
 * What axe finds that is serious or worse within a part of the page. In the second theme only what colours can do: all else is as
 * in the first.
 */
async function barriers(page: Page, part = "html", themes: Theme[] = ["light", "dark"]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme=${theme}]`).waitFor({ state: "attached" });
    const rules = theme === "dark" ? ", runOnly: ['color-contrast']" : "";
    const { violations } = (await page.evaluate(
      `axe.run("${part}", { resultTypes: ['violations']${rules} })`,
    )) as {
      violations: Violation[];
    };
    for (const { id, impact, nodes } of violations)
      if (impact === "serious" || impact === "critical")
        for (const { html, failureSummary } of nodes)
          found.push(`${theme} ${id}: ${html}\n${failureSummary}`);
  }
  return found;
}

/** Links beside other text that only their colour tells from it. axe leaves out a link that is longer than that text. */
const colourOnly = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll("main a, main .link")]
    .filter((link) => getComputedStyle(link).display.startsWith("inline"))
    .filter((link) => link.parentElement.innerText.trim() !== link.innerText.trim())
    .filter((link) => getComputedStyle(link).textDecorationLine !== "underline")
    .map((link) => link.outerHTML)`) as Promise<string[]>;

const tabs = { i: "Inbox", a: "Agents", t: "Threads", q: "Queue", c: "Channels", d: "Dead letters" };
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };

inBrowser({}, (here) => {
  const { open } = here;
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

  /** Every tab with something open, then the overview, then what lies above everything. */
  async function lookAround({ page, press }: Window, width: number, themes?: Theme[]): Promise<void> {
    const fits = async (name: string) =>
      expect([name, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([name, width]);
    for (const [letter, name] of Object.entries(tabs)) {
      await press("Escape", "g", letter);
      await page.getByRole("heading", { level: 1, name }).first().waitFor();
      if (name === "Dead letters") continue;
      await page.locator(".row-link").first().waitFor();
      await press("j");
      await page.locator(".detail-header").waitFor();
      await until(
        "nothing on the page is busy",
        async () => (await page.locator("[aria-busy=true]").count()) === 0,
      );
      // What is around it is the same on every tab.
      expect([name, ...(await barriers(page, name === "Inbox" ? "html" : "main", themes))]).toEqual([name]);
      expect([name, ...(await colourOnly(page))]).toEqual([name]);
      await fits(name);
    }
    await press("Escape", "g", "o");
    await page.locator(".hours").waitFor();
    expect(await barriers(page, "main", themes)).toEqual([]);
    await fits("Overview");
    for (const key of ["?", "/"]) {
      await press(key);
      await page.getByRole("dialog").waitFor();
      expect([key, ...(await barriers(page, "dialog", themes))]).toEqual([key]);
      await press("Escape");
    }
  }

  test("[U7] [U8] every tab is open to everybody, light and dark, with something open", async () => {
    await using window = await open("/", { viewport: sizes.wide });
    await lookAround(window, sizes.wide.width);
    expect(window.troubles).toEqual([]);
  });

  test("[U7] [U8] every tab is open to everybody on a phone, with something open", async () => {
    await using window = await open("/", { viewport: sizes.narrow });
    // A phone has the colours of every window.
    await lookAround(window, sizes.narrow.width, ["light"]);
    expect(window.troubles).toEqual([]);
  });

  test("[U7] [U8] every tab is open to everybody with nothing there, and fits a phone", async () => {
    await using window = await openWindow(empty.url, "/", { viewport: sizes.narrow });
    const { page, press } = window;
    for (const [letter, name] of Object.entries(tabs)) {
      await press("Escape", "g", letter);
      await page.getByRole("heading", { level: 1, name }).first().waitFor();
      await page.locator(".list-column .empty").waitFor();
      // What says so has the same colours on every tab.
      const themes: Theme[] = name === "Inbox" ? ["light", "dark"] : ["light"];
      expect([name, ...(await barriers(page, ".list-column", themes))]).toEqual([name]);
    }
    await press("Escape", "g", "o");
    await page.locator(".hours").waitFor();
    expect(await barriers(page, "main")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(sizes.narrow.width);
    expect(window.troubles).toEqual([]);
  });

  test("[U7] [U14] what runs can be read in both themes, and no tab is wider than a window between phone and desktop", async () => {
    const task = { agent: "main", name: "runner", message: "echo halfway; sleep 600", cwd: here.folder };
    expect((await here.ask("POST /api/tasks/assign", task)).status).toBe(201);
    await using window = await open("/agents/runner");
    const { page } = window;
    await page.getByText("Running …").waitFor();
    await page.locator(".last-line", { hasText: "halfway" }).waitFor();
    expect(await barriers(page, "main")).toEqual([]);
    for (const width of [720, 721]) {
      await page.setViewportSize({ width, height: 800 });
      for (const letter of Object.keys(tabs)) {
        await window.press("Escape", "g", letter);
        await page
          .getByRole("heading", { level: 1, name: tabs[letter as keyof typeof tabs] })
          .first()
          .waitFor();
        if (letter !== "d") await page.locator(".row-link").first().waitFor();
        if (letter !== "d") await window.press("j");
        // What scrolls or cuts off by itself may be wider inside.
        const wide = await page.evaluate(`[...document.querySelectorAll("main *")].filter((one) => {
          for (let box = one.parentElement; box.id !== "main"; box = box.parentElement)
            if (getComputedStyle(box).overflowX !== "visible") return false;
          return one.getBoundingClientRect().right > innerWidth + 1;
        }).map((one) => one.outerHTML.slice(0, 80))`);
        const all = await page.evaluate("document.documentElement.scrollWidth");
        expect([width, letter, all, wide]).toEqual([width, letter, width, []]);
      }
    }
    await here.ask("POST /api/tasks/runner/kill", { agent: "user" });
    expect(window.troubles).toEqual([]);
  });

  test("[U7] on a phone there is one column at a time, and a way back", async () => {
    await using window = await open("/", { viewport: sizes.narrow, hasTouch: true });
    const { page } = window;
    await page.locator(".row-link").first().waitFor();
    expect(await page.locator(".detail-column").isVisible()).toBe(false);
    await page.locator(".row-link").first().tap();
    await page.locator(".detail-header").waitFor();
    expect(await page.locator(".list-column").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Back to the list" }).tap();
    await page.locator(".row-link").first().waitFor();
    expect(await page.locator(".detail-column").isVisible()).toBe(false);
  });

  test("[U7] the theme is chosen, kept, and taken over by other windows", async () => {
    await using window = await open("/", { colorScheme: "light" });
    const { page } = window;
    const other = await page.context().newPage();
    await other.goto(here.hub.url);
    const themeOf = (one: Page) => one.evaluate("document.documentElement.dataset.theme");
    expect(await themeOf(page)).toBe("light");
    await page.getByRole("button", { name: "Theme: system" }).click();
    await page.getByRole("button", { name: "Theme: light" }).click();
    expect(await themeOf(page)).toBe("dark");
    await until("the other window is dark, too", async () => (await themeOf(other)) === "dark");
    await page.reload();
    await page.locator(".side-bar").waitFor();
    expect(await themeOf(page)).toBe("dark");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.getByRole("button", { name: "Theme: dark" }).click();
    expect(await themeOf(page)).toBe("dark");
    await page.emulateMedia({ colorScheme: "light" });
    await until("the page is light", async () => (await themeOf(page)) === "light");
  });
});
