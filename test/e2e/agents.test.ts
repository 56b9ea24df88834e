/** Sub-agents on the page: transcripts of any length, agents as tabs, what runs and for how long. */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inBrowser } from "../support/in-browser.ts";
import { shellProfile } from "../support/scene.ts";
import { until } from "../support/until.ts";

inBrowser({ agents: shellProfile }, (here) => {
  const { ask, folder, open } = here;
  beforeAll(async () => {
    for (const name of ["one", "two", "three"]) await run(name, `echo I am ${name}`);
  });

  const run = (name: string, message: string) =>
    ask("POST /api/tasks/handoff", { agent: "main", name, message, cwd: folder });

  /** As if the one that was told this had used a tool so often before it ended. */
  function lengthen(message: string, count: number): void {
    const files = new Bun.Glob("**/transcript.jsonl").scanSync({
      cwd: dirname(here.hub.db),
      absolute: true,
      dot: true,
    });
    const path = [...files].find((file) => readFileSync(file, "utf8").includes(message))!;
    const [prompt, ...rest] = readFileSync(path, "utf8").trim().split("\n");
    const at = new Date().toISOString();
    const tools = Array.from({ length: count }, (_, n) =>
      JSON.stringify({ at, kind: "tool", tool: "Bash", text: `step ${n}` }),
    );
    writeFileSync(path, `${[prompt, ...tools, ...rest].join("\n")}\n`);
  }

  test("[U14] [Q9] a long transcript opens at its end, is drawn as far as it is seen, and leads back to its beginning", async () => {
    await run("long", "echo The very end");
    lengthen("echo The very end", 20_000);
    let asked = 0;
    await using window = await open("/agents/one");
    const { page } = window;
    page.on("request", (request) => {
      if (request.url().includes("/long/log")) asked++;
    });
    await page.getByRole("link", { name: /^long / }).click();
    // The final message is shown once, and is what one sees first.
    const end = page.locator(".piece", { hasText: "The very end" });
    await end.waitFor();
    expect(await page.locator('.transcript .piece:has-text("The very end")').count()).toBe(1);
    expect(await end.getAttribute("data-kind")).toBe("final");
    await page.locator(".piece", { hasText: "step 19999" }).waitFor();
    expect(asked).toBeLessThan(5);
    expect(await page.locator(".piece").count()).toBeLessThan(100);
    // What it was told can be read without going there.
    await page.locator(".prompt-above summary", { hasText: "echo The very end" }).click();
    await page.getByRole("region", { name: "Prompt" }).getByText("echo The very end").waitFor();
    const log = page.getByRole("log");
    // Scrolling up loads what was before, and what is read stays where it is.
    await log.evaluate((list) => list.scrollTo({ top: 0 }));
    await until("more was loaded, and the view has not moved to it", () =>
      log.evaluate((list) => list.scrollTop > 1000),
    );
    await until("much earlier steps are there", async () => {
      await log.evaluate((list) => list.scrollTo({ top: 0 }));
      const steps = await page.getByText(/^step \d+$/).allInnerTexts();
      return Math.min(...steps.map((text) => Number(text.slice(5)))) < 19_200;
    });
    expect(await page.locator(".piece").count()).toBeLessThan(100);
    await page.getByRole("button", { name: "To the end" }).click();
    await end.waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U14] agents are tabs: Alt with A goes to the one that was used before, w closes one", async () => {
    await using window = await open("/agents");
    const { page, press } = window;
    const tabs = page.getByRole("navigation", { name: "Open agents" });
    const shown = async (name: string) => {
      await page.locator(".detail-title h1", { hasText: name }).waitFor();
    };
    for (const name of ["one", "two", "three"]) {
      await page.getByRole("link", { name: new RegExp(`^${name} `) }).click();
      await shown(name);
    }
    const names = async () => (await tabs.getByRole("link").allInnerTexts()).map((name) => name.trim());
    expect(await names()).toEqual(["one", "two", "three"]);
    const holding = async (...keys: string[]) => {
      await page.keyboard.down("Alt");
      await press(...keys);
      await page.getByRole("dialog", { name: "Switch to an agent" }).waitFor();
      await page.keyboard.up("Alt");
    };
    await holding("a");
    await shown("two");
    await holding("a");
    await shown("three");
    await holding("a", "a");
    await shown("one");
    // From anywhere, also while typing.
    await press("r");
    await page.keyboard.type("half a word");
    await holding("a");
    await shown("three");
    await press("g", "i");
    await page.getByRole("heading", { level: 1, name: "Inbox" }).waitFor();
    await holding("a");
    await shown("three");
    await press("w");
    await shown("one");
    expect(await names()).toEqual(["one", "two"]);
    await press("?");
    await page.getByRole("dialog").getByText("hold: switch, last used first").waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U14] one that runs shows its last line and for how long, and is killed; one that failed is started again", async () => {
    await ask("POST /api/tasks/assign", {
      agent: "main",
      name: "runner",
      message: "echo begun; echo halfway there; sleep 600",
      cwd: folder,
    });
    await using window = await open("/agents/runner");
    const { page, press } = window;
    const row = page.locator(".row", { hasText: "runner" });
    await row.locator(".last-line", { hasText: "halfway there" }).waitFor();
    await row.getByText(/^\d+ s$/).waitFor();
    await page.locator(".detail-title", { hasText: /for \d+ s/ }).waitFor();
    await press("Control+k");
    await page.keyboard.type("Kill");
    await page.locator(".option", { hasText: "Kill" }).first().waitFor();
    await press("Enter");
    await page.getByRole("dialog", { name: "Kill runner?" }).getByRole("button", { name: "Kill" }).click();
    await page.locator(".detail-header .tag", { hasText: "failed" }).waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await until(
      "it runs again",
      async () => (await ask("GET /api/tasks/runner")).json.task.status === "running",
    );
    await ask("POST /api/tasks/runner/kill", { agent: "user" });
    expect(window.troubles).toEqual([]);
  });

  test("[U14] [A11] what a task has cost is beside it, and what a day has cost above the list", async () => {
    const pause = join(folder, "pause");
    const start = (name: string, agent: string, message: string) =>
      ask("POST /api/tasks/assign", { agent, name, message, cwd: folder });
    await start("spender", "main", `while [ ! -e ${pause} ]; do sleep 0.05; done`);
    await start("below", "spender", `while [ ! -e ${pause} ]; do sleep 0.05; done`);
    const used = { inputTokens: 10_000, outputTokens: 2300, costUsd: 0.25, turns: 3 };
    for (const agent of ["spender", "below"])
      expect((await ask("POST /api/tasks/report", { agent, ...used })).status).toBe(200);
    await using window = await open("/agents/below");
    const { page } = window;
    await page.locator(".detail-title", { hasText: "12.3k tokens, $0.25" }).waitFor();
    await window.go("/agents/spender");
    await page.locator(".detail-title", { hasText: "24.6k tokens, $0.50 in all" }).waitFor();
    await page.getByRole("button", { name: "Today 24.6k tokens, $0.50" }).click();
    const day = page.getByRole("dialog", { name: "Costs by day" }).getByRole("row").nth(1);
    expect((await day.innerText()).split(/\s+/).slice(1)).toEqual(["24.6k", "0", "6", "$0.50"]);
    writeFileSync(pause, "");
    expect(window.troubles).toEqual([]);
  });
});
