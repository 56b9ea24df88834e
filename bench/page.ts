/** The person's page in a real browser: how soon a push is on the screen, how much is loaded first, and how a long inbox scrolls. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { temporaryFolder } from "../test/support/folder.ts";
import { served } from "../test/support/hub.ts";
import { night, type Worked, workThrough } from "../test/support/morning.ts";
import { closeBrowser, openWindow } from "../test/support/page.ts";
import { workspace } from "../test/support/scene.ts";
import { until } from "../test/support/until.ts";
import { digits, median, ms, percentile, times } from "./support/figures.ts";
import { fillTables } from "./support/filling.ts";
import type { Benchmark, Section } from "./support/section.ts";

const pushes = 200;
const loads = 10;
const many = 100_000;
const frames = 300;

const now = () => performance.timeOrigin + performance.now();

/** When a row with the text is on the screen: after the frame that shows it. */
const watchRows = `
  window.shown = new Map();
  new MutationObserver(() => {
    const text = document.querySelector(".entry .row-title")?.textContent;
    if (text && !window.shown.has(text)) {
      window.shown.set(text, 0);
      requestAnimationFrame(() => setTimeout(() => window.shown.set(text, performance.timeOrigin + performance.now())));
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });`;

async function visible() {
  using folder = temporaryFolder();
  await using hub = await served();
  await using space = await workspace(hub, join(folder.path, "w"), "Work", "ada");
  await space.push({ comments: "first" });
  await using window = await openWindow(hub.url);
  const { page } = window;
  await page.locator(".entry").first().waitFor();
  await page.evaluate(watchRows);
  const answered: number[] = [];
  const seen: number[] = [];
  for (let i = -20; i < pushes; i++) {
    const started = now();
    await space.push({ comments: `push ${i}` });
    const answer = now() - started;
    const at = await until(
      "the page shows the pushed entry",
      () => page.evaluate(`window.shown.get("push ${i}")`) as Promise<number>,
    );
    if (i < 0) continue;
    answered.push(answer);
    seen.push(at - started);
  }
  return { answered, seen };
}

/** A first visit, with nothing in the cache: bytes over the wire, and when the first entry can be used. */
async function firstLoads() {
  using folder = temporaryFolder();
  await using hub = await served();
  await using space = await workspace(hub, join(folder.path, "w"), "Work", "ada");
  for (let i = 0; i < 50; i++) await space.push({ comments: `Entry ${i}` });
  const ready: number[] = [];
  let bytes = 0;
  let requests = 0;
  let opened = 0;
  for (let i = 0; i < loads; i++) {
    await using window = await openWindow(hub.url);
    const { page } = window;
    await page.locator(".entry").first().waitFor();
    ready.push((await page.evaluate("performance.now()")) as number);
    const sizes = `[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
      .filter(({ name }) => !name.includes("/api/")).map(({ transferSize }) => transferSize)`;
    const first = (await page.evaluate(sizes)) as number[];
    bytes = first.reduce((sum, size) => sum + size, 0);
    requests = first.length;
    await page.keyboard.press("j");
    await page.locator(".commentary .markdown:not(.plain)").waitFor();
    opened = ((await page.evaluate(sizes)) as number[]).reduce((sum, size) => sum + size, 0);
  }
  return { ready, bytes, requests, opened };
}

const rows = [
  `insert into workspaces (workspace_id, path, label, agent_id, created_at)
   with recursive numbers (i) as (select 0 union all select i + 1 from numbers where i < 9)
   select 'ws-bench' || i, '/tmp', 'Workspace ' || i, 'agent-' || i, '2026-01-01T00:00:00.000Z' from numbers`,
  `insert into entries (entry_number, entry_id, workspace_id, workspace_label, docs_json, comments, created_at, read_at, sender)
   with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${many})
   select i, printf('%08x-0000-4000-8000-000000000000', i), 'ws-bench' || (i % 10), 'Workspace ' || (i % 10),
     '[{"path":"reports/' || i || '.md"}]', 'Entry ' || i || ' is about what was done, and asks for a look.',
     strftime('%Y-%m-%dT%H:%M:%fZ', 1760000000 + i * 60, 'unixepoch'),
     iif(i % 50 = 0, null, '2026-01-01T00:00:00.000Z'), 'agent-' || (i % 10) from numbers`,
];

/** The times between frames while the list moves by this many pixels a frame; 0 is the floor. */
const scrolling = (step: number) => `new Promise((done) => {
  const list = document.querySelector(".long-list > div");
  const times = [];
  let last;
  const frame = (at) => {
    if (last !== undefined) times.push(at - last);
    last = at;
    if (times.length === ${frames}) return done(times);
    list.scrollTop -= ${step};
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

async function loadAll(page: Page): Promise<void> {
  await until("the list is scrolled to its last entry", async () => {
    const title = (await page.evaluate(`(() => {
      const list = document.querySelector(".long-list > div");
      list.scrollTop = list.scrollHeight;
      return [...document.querySelectorAll(".entry .row-title")].at(-1)?.textContent;
    })()`)) as string | undefined;
    return title?.startsWith("Entry 1 is");
  });
}

async function filtering(page: Page, act: () => Promise<unknown>, fits: string): Promise<number> {
  const started = performance.now();
  await act();
  await until("the page fits", () => page.evaluate(fits));
  return performance.now() - started;
}

async function long() {
  using folder = temporaryFolder();
  const db = join(folder.path, "coord.db");
  fillTables(db, rows);
  await using hub = await served(db);
  await using window = await openWindow(hub.url);
  const { page } = window;
  await page.locator(".entry").first().waitFor();
  const started = performance.now();
  await loadAll(page);
  const loading = performance.now() - started;
  const still = (await page.evaluate(scrolling(0))) as number[];
  const moving = (await page.evaluate(scrolling(400))) as number[];
  const inDocument = (await page.evaluate(`document.querySelectorAll(".entry").length`)) as number;
  const filters: number[] = [];
  const select = page.getByLabel("Workspace", { exact: true });
  for (let i = 0; i < 20; i++) {
    const label = `Workspace ${i % 10}`;
    const shown = `document.querySelectorAll(".entry .who").length > 5 && [...document.querySelectorAll(".entry .who")].every((one) => one.textContent === "${label}")`;
    filters.push(await filtering(page, () => select.selectOption(`ws-bench${i % 10}`), shown));
  }
  return { still, moving, filters, loading, inDocument };
}

/** Sixty entries of eight agents to zero by keyboard: from `e` until the next entry is drawn. */
async function morning() {
  using folder = temporaryFolder();
  await using hub = await served();
  await night(hub, folder.path, 60);
  await using window = await openWindow(hub.url);
  await window.page.locator(".entry").first().waitFor();
  return (await window.page.evaluate(workThrough)) as Worked;
}

async function run(): Promise<Section> {
  const { keystrokes, toNext } = await morning();
  const { answered, seen } = await visible();
  const { ready, bytes, requests, opened } = await firstLoads();
  const { still, moving, filters, loading, inDocument } = await long();
  await closeBrowser();
  const row = (name: string, samples: readonly number[], floor: readonly number[]) => [
    name,
    ms(median(samples)),
    ms(percentile(samples, 0.99)),
    times(median(samples) / median(floor)),
  ];
  return {
    title: "The page",
    about:
      `Chromium without a window, on the machine of the hub. ${pushes} pushes over \`/mcp/WORKSPACE\` until the frame that shows the entry is over; ` +
      `${loads} first visits with 50 entries; then ${many.toLocaleString("en")} entries, all loaded by scrolling to the end, and ${frames} frames with 400 pixels of scrolling in each.`,
    tables: [
      {
        head: ["", "p50", "p99", "p50, to the floor"],
        rows: [
          row("a push until the agent has its answer (floor)", answered, answered),
          row("a push until it is visible", seen, answered),
          row("a frame while nothing moves (floor)", still, still),
          row(`a frame while ${many.toLocaleString("en")} entries scroll`, moving, still),
          row(`another workspace chosen, until its entries are shown`, filters, filters),
          row("`e`, until the next entry is drawn", toNext, still),
        ],
      },
      {
        head: ["first visit", ""],
        rows: [
          ["until the first entry can be used, p50", ms(median(ready))],
          ["bytes, compressed", `${digits(bytes / 1000)} kB in ${requests} requests`],
          ["bytes, with the first entry opened", `${digits(opened / 1000)} kB`],
        ],
      },
    ],
    aims: [
      {
        aim: "the next entry is drawn within 50 ms of `e` (p50)",
        found: ms(median(toNext)),
        met: median(toNext) < 50,
      },
      { aim: "first load under 200 kB", found: `${digits(opened / 1000)} kB`, met: opened < 200_000 },
      {
        aim: "a push is visible within a second (p99)",
        found: ms(percentile(seen, 0.99)),
        met: percentile(seen, 0.99) < 1000,
      },
      {
        aim: "scrolling loses few frames: p99 at most 2 × an idle frame's",
        found: times(percentile(moving, 0.99) / percentile(still, 0.99)),
        met: percentile(moving, 0.99) <= 2 * percentile(still, 0.99),
      },
    ],
    notes: [
      `Sixty entries of eight agents, six of them questions, were done with ${keystrokes} keystrokes.`,
      `Loading all ${many.toLocaleString("en")} by scrolling took ${digits(loading / 1000)} s; at the end ${inDocument} of them were in the document.`,
    ],
  };
}

export const page: Benchmark = { name: "page", run };
