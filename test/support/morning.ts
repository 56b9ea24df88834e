/** A night's work of eight agents: what a person finds in the morning. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ask } from "./hub.ts";

const team = [
  ["Checkout rewrite", "checkout-dev"],
  ["Macro thesis", "macro-analyst"],
  ["Data quality", "data-janitor"],
  ["Mobile app", "mobile-dev"],
  ["Search ranking", "search-tuner"],
  ["Billing migration", "billing-dev"],
  ["Docs site", "docs-writer"],
  ["Infra upgrades", "infra-bot"],
] as const;

const news = [
  "Totals are counted in cents now, with a test for the old rounding bug",
  "Nightly check is clean apart from **two orders without a total**",
  "Compared the three index layouts; the second is twice as fast on our queries",
  "Drafted the release notes for the next version, please have a look",
  "Upgraded the runners; builds take four minutes instead of nine",
  "Wrote the migration for invoices and tried it on a copy of production",
  "Found why the login test was flaky: a race in the fixture",
  "The offline mode works on slow connections now",
];

export interface Night {
  /** How many entries there are. */
  total: number;
  /** How many of them are questions with choices. */
  questions: number;
}

/** `count` entries of eight workspaces, every tenth of them a question; told through the hub, as agents tell it. */
export async function night(hub: { ask: Ask }, folder: string, count: number): Promise<Night> {
  const spaces = [];
  for (const [label, agent] of team) {
    const path = join(folder, agent);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "report.md"), `# ${label}\n\n${news.map((one) => `- ${one}`).join("\n")}\n`);
    spaces.push((await hub.ask("POST /api/workspaces", { path, label, agent })).json.workspace.workspaceId);
  }
  let questions = 0;
  for (let n = 0; n < count; n++) {
    const question = n % 10 === 9;
    if (question) questions++;
    await hub.ask(`POST /api/workspaces/${spaces[n % spaces.length]}/entries`, {
      comments: question
        ? `May I go on with step ${n}? It takes about an hour and cannot be undone.`
        : `${news[n % news.length]} (${n})`,
      ...(question && { choices: ["Go on", "Wait for me", "Skip it"] }),
      ...(n % 4 === 1 && !question && { docs: [{ path: "report.md" }] }),
    });
  }
  return { total: count, questions };
}

/** What it took to reach zero. */
export interface Worked {
  keystrokes: number;
  /** From each `e` until the next entry was drawn, in milliseconds. */
  toNext: number[];
}

/**
 * Runs in the page: opens the first entry, answers questions with the first choice, is done with each, until none is left.
 * Keys go to what has the focus, as those of a person do; nothing is pressed before the last key has shown its effect.
 */
export const workThrough = `(async () => {
  const worked = { keystrokes: 0, toNext: [] };
  const find = (selector) => document.querySelector(selector);
  const drawn = (condition) => new Promise((done) => {
    const look = () => (condition() ? done() : requestAnimationFrame(look));
    look();
  });
  const press = (key) => {
    worked.keystrokes++;
    const on = document.activeElement ?? document.body;
    on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  };
  const openRow = () => find('.entry[data-open="true"]');
  const path = () => location.pathname;
  press("j");
  await drawn(openRow);
  while (openRow()) {
    if (openRow().dataset.needs === "answer") {
      await drawn(() => find(".choices"));
      press("1");
      await drawn(() => find(".answered"));
    }
    const [before, started] = [path(), performance.now()];
    press("e");
    const shown = () => openRow() && find(".detail-title h1")?.textContent === openRow().querySelector(".row-title").textContent;
    await drawn(() => path() !== before && (path() === "/" || shown()));
    worked.toNext.push(performance.now() - started);
  }
  return worked;
})()`;
