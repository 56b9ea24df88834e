/** Sub-agents on the page: transcripts of any length, agents as tabs, what runs and for how long, and the tools they ask to use. */
import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Step } from "../support/acp-agent.ts";
import { root } from "../support/cli.ts";
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
      if (/\/log\?.*tail=/.test(request.url())) asked++;
    });
    await page.getByRole("link", { name: /^long / }).click();
    // The final message is shown once, and is what one sees first.
    const end = page.locator(".piece", { hasText: "The very end" });
    await end.waitFor();
    expect(await page.locator('.transcript .piece:has-text("The very end")').count()).toBe(1);
    expect(await end.getAttribute("data-kind")).toBe("final");
    await page.locator(".piece", { hasText: "step 19999" }).waitFor();
    expect(asked).toBeGreaterThan(0);
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
    const button = page.getByRole("button", { name: "To the end" });
    await button.click();
    await end.waitFor();
    // Who leaves the end while it is still being drawn is not taken back to it.
    const scrollUp = () => log.evaluate((list) => list.scrollTo({ top: 0 }));
    await scrollUp();
    await button.evaluate((element) => (element as unknown as { click(): void }).click());
    await scrollUp();
    await Bun.sleep(300);
    expect(
      await log.evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop),
    ).toBeGreaterThan(1000);
    await button.click();
    await end.waitFor();
    // Also a little way, with the wheel.
    await log.hover();
    await page.mouse.wheel(0, -200);
    await button.waitFor();
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

  test("[U14] a key that is pressed before the page was painted goes by the agent that was just opened", async () => {
    await using window = await open("/agents");
    const { page } = window;
    for (const name of ["one", "two"]) {
      await page.getByRole("link", { name: new RegExp(`^${name} `) }).click();
      await page.locator(".detail-title h1", { hasText: name }).waitFor();
    }
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector(".detail-title h1")?.textContent.trim() !== "three") return;
      observer.disconnect();
      const press = (type, more) => document.body.dispatchEvent(new KeyboardEvent(type, { bubbles: true, ...more }));
      const a = { key: "a", code: "KeyA", altKey: true };
      press("keydown", a);
      setTimeout(() => press("keydown", a));
    }).observe(document, { subtree: true, childList: true, characterData: true })`);
    await page.getByRole("link", { name: /^three / }).click();
    const switcher = page.getByRole("dialog", { name: "Switch to an agent" });
    await switcher.waitFor();
    expect(await switcher.getByRole("button").allInnerTexts()).toEqual(
      ["three", "two", "one"].map((name) => expect.stringMatching(new RegExp(`\\b${name}\\b`))),
    );
    await switcher.locator("[aria-current]", { hasText: "one" }).waitFor();
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
    await page.locator(".detail-header .tag", { hasText: "killed" }).waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await until(
      "it runs again",
      async () => (await ask("GET /api/tasks/runner")).json.task.status === "running",
    );
    // What is shown is the new one, from its beginning.
    await page.locator(".detail-header .tag", { hasText: "running" }).waitFor();
    await page.locator('.piece[data-kind="error"]').waitFor({ state: "detached" });
    await page.locator('.piece[data-kind="output"]', { hasText: "halfway there" }).waitFor();
    await ask("POST /api/tasks/runner/kill", { agent: "user" });
    expect(window.troubles).toEqual([]);
  });

  test("[U14] every list calls the state of a task by its name: what was removed has not failed", async () => {
    const push = (name: string, prompt: string, more = {}) =>
      ask("POST /api/tasks", { agent: "states", name, prompt, cwd: folder, ...more });
    await push("unwanted", "echo never");
    expect((await ask("DELETE /api/tasks/unwanted", { agent: "user" })).status).toBe(200);
    await push("broken", "exit 3");
    await push("behind", "echo never", { after: ["broken"] });
    await push("overlong", "sleep 600", { timeout: 0.1 });
    await push("flaky", "exit 4", { retries: 9 });
    await ask("POST /api/tasks/run", { agent: "states" });
    await push("later", "echo never");
    const states = {
      unwanted: "removed",
      broken: "failed",
      behind: "skipped",
      overlong: "timed out",
      one: "done",
    };
    await using window = await open("/queue");
    const { page } = window;
    for (const tab of ["queue", "agents"]) {
      await window.go(`/${tab}`);
      for (const [name, state] of Object.entries(states))
        await page.getByRole("link", { name: new RegExp(`^${name} .*${state}$`) }).waitFor();
    }
    await window.go("/queue/unwanted");
    await page.locator(".detail-header .tag", { hasText: "removed" }).waitFor();
    await page.locator(".detail-body", { hasText: "Removed by you." }).waitFor();
    expect(await page.locator(".detail-body .gone").count()).toBe(0);
    // What its parent was told is JSON, for programs; a person reads words.
    await window.go("/agents/states");
    const mail = page.getByRole("region", { name: "Mail" });
    await mail.getByText("Failed: it exited with status 3").waitFor();
    expect(await mail.innerText()).not.toContain("{");
    await window.go("/queue");
    // One that starts by itself is told from one that waits to be run.
    await page.getByRole("link", { name: /^flaky .*to be retried$/ }).waitFor();
    await window.go("/queue/later");
    await page.locator(".detail-header .tag", { hasText: /^queued$/ }).waitFor();
    for (const name of ["flaky", "later"]) await ask(`DELETE /api/tasks/${name}`, { agent: "user" });
    expect(window.troubles).toEqual([]);
  });

  test("[U14] [A11] what a task has cost is beside it, and what a day has cost above the list", async () => {
    const pause = join(folder, "pause");
    const start = (name: string, agent: string, message: string) =>
      ask("POST /api/tasks/assign", { agent, name, message, cwd: folder });
    await start("spender", "main", `while [ ! -e ${pause} ]; do sleep 0.05; done`);
    await start("below", "spender", `while [ ! -e ${pause} ]; do sleep 0.05; done`);
    const used = { inputTokens: 10_000, outputTokens: 2300, costUsd: 0.25, turns: 3 };
    for (const agent of ["spender", "below"]) {
      await until(
        `${agent} runs`,
        async () => (await ask(`GET /api/tasks/${agent}`)).json.task.status === "running",
      );
      expect((await ask("POST /api/tasks/report", { agent, ...used })).status).toBe(200);
    }
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

const profiles = `default = "acp"
[runners.acp]
kind = "acp"
command = ${JSON.stringify([process.execPath, join(root, "test/support/acp-agent.ts")])}
permission = "ask"
[profiles.hasty]
runner = "acp"
ask_timeout = 0.1
[profiles.reporting]
runner = "acp"
ask = "parent"
`;

inBrowser({ agents: profiles }, ({ ask, folder, open }) => {
  async function start(name: string, steps: Step[], profile = "acp"): Promise<void> {
    const message = JSON.stringify(steps);
    const { status, text } = await ask("POST /api/tasks/assign", {
      agent: "main",
      name,
      profile,
      message,
      cwd: folder,
    });
    expect([status, status === 201 ? "" : text]).toEqual([201, ""]);
  }
  const needing = async () => (await ask("GET /api/inbox/history?needsYou=true")).json.entries;
  const result = async (name: string) => {
    await until(
      `${name} has ended`,
      async () => (await ask(`GET /api/tasks/${name}`)).json.task.status === "finished",
    );
    return (await ask(`GET /api/tasks/${name}/log`)).json.entries
      .map(({ text }: { text: string }) => text)
      .join("\n");
  };

  test("[U14] what is to be allowed shows tool, arguments, folder and change, and one key answers it", async () => {
    const change = {
      path: join(folder, "src/cart.ts"),
      oldText: "one\nprice: number\nthree\n",
      newText: "one\nprice: bigint\nthree\n",
    };
    const push: Step = { ask: "push", name: "Bash", input: { command: "git push origin main", timeout: 60 } };
    const first: Step = { say: "I **look** at the cart." };
    await start("sub", [first, { ask: "edit", name: "Edit", input: {}, change }, push, { say: "over" }]);
    await using window = await open();
    const { page, press } = window;
    await page.locator(".entry", { hasText: "sub asks to use Edit" }).locator(".row-link").click();
    // New rows wait while the pointer is over the list.
    await page.mouse.move(900, 500);
    const asked = page.getByRole("region", { name: "What it asks for" });
    await asked.getByText("Edit", { exact: true }).waitFor();
    await asked.getByText(folder, { exact: true }).waitFor();
    const kinds = asked.locator(".patch-line");
    expect(await kinds.evaluateAll((lines) => lines.map((line) => line.getAttribute("data-kind")))).toEqual([
      "same",
      "removed",
      "added",
      "same",
    ]);
    await press("1");
    await page.getByText("You answered allow once").waitFor();
    // The list says what the next one is for.
    await page
      .locator(".entry", { hasText: "sub asks to use Bash: git push origin main" })
      .locator(".row-link")
      .click();
    await asked.getByText("timeout").waitFor();
    await press("4");
    await page.getByLabel("Why not").fill("not on Fridays");
    await press("Enter");
    await page.getByText("You answered deny and say why").waitFor();
    expect(await result("sub")).toContain("user denied it: not on Fridays");
    // What it said is drawn as what it is, and what it called a tool with is no JSON.
    await window.go("/agents/sub");
    const transcript = page.getByRole("log");
    await transcript.locator('.piece[data-kind="output"] strong', { hasText: "look" }).waitFor();
    await transcript.getByText("command: git push origin main\ntimeout: 60").waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U14] one that waits for the person says so and leads to its question, which closes when it is killed", async () => {
    await start("blocked", [{ ask: "deploy", input: { command: "deploy it" } }, { say: "over" }]);
    // Also where the person has put the question away: it is not answered by that.
    const asked = await until("it has asked", async () =>
      (await needing()).find(({ sender }: { sender: string }) => sender === "blocked"),
    );
    await ask(`PUT /api/inbox/${asked.id}/archive`);
    await using window = await open("/agents/blocked");
    const { page, press } = window;
    await page
      .locator(".row", { hasText: "blocked" })
      .locator(".waits", { hasText: "waiting for you" })
      .waitFor();
    await page.getByRole("link", { name: /^Waiting for you: blocked asks to use deploy/ }).click();
    await page.locator(".choices").waitFor();
    expect((await ask("POST /api/tasks/blocked/kill", { agent: "user" })).status).toBe(200);
    await page.getByText("closed: blocked was killed").waitFor();
    expect(await page.locator(".choices").count()).toBe(0);
    expect(await needing()).toEqual([]);
    await press("g", "a");
    await page.locator(".row", { hasText: "blocked" }).locator(".tag", { hasText: "killed" }).waitFor();
    await page.locator(".waits").waitFor({ state: "detached" });
    expect(window.troubles).toEqual([]);
  });

  test("[U14] [A8] one that waits for its parent's answer says so wherever it is shown, until the parent has answered", async () => {
    await start("asker", [{ ask: "deploy" }, { wait: "cancel" }], "reporting");
    await using window = await open("/agents/asker");
    const { page } = window;
    const waits = (place: string) =>
      page.locator(place, { hasText: "asker" }).getByText("waiting for main", { exact: false });
    await waits(".row").waitFor();
    await page.getByRole("link", { name: /^Waiting for main to allow or deny a tool/ }).waitFor();
    await window.go("/queue");
    await waits(".row").waitFor();
    await window.go("/threads?view=board");
    await waits(".card-link").waitFor();
    await window.go("/overview");
    await waits(".team-node").waitFor();
    // Read is not answered.
    const [question] = (await ask("POST /api/mailbox/main/receive", { from: "asker" })).json.messages;
    await window.go("/agents/asker");
    await waits(".row").waitFor();
    const answer = { from: "main", choice: "deny" };
    expect((await ask(`POST /api/messages/${question.id}/answer`, answer)).status).toBe(201);
    await page
      .locator(".row", { hasText: "asker" })
      .locator(".last-line", { hasText: /^waiting$/ })
      .waitFor();
    await until(
      "nothing says that it waits",
      async () => (await page.getByText(/waiting for main/i).count()) === 0,
    );
    await ask("POST /api/tasks/asker/kill", { agent: "user" });
    expect(window.troubles).toEqual([]);
  });

  test("[U14] several are selected and answered at once, by the same key", async () => {
    const names = ["first", "second", "third"];
    for (const name of names)
      await start(name, [{ ask: "deploy", input: { command: `deploy ${name}` } }, { say: "went on" }]);
    await until("three questions are there", async () => {
      for (const name of names) {
        const { task } = (await ask(`GET /api/tasks/${name}`)).json;
        if (task.status === "finished") throw new Error(`${name} ended before it asked: ${task.error}`);
      }
      return (await needing()).length === 3;
    });
    await using window = await open();
    const { page, press } = window;
    await page.locator(".entry", { hasText: "first asks to use deploy: deploy first" }).waitFor();
    await press("j", "x", "J", "J");
    await page.getByText("3 selected").waitFor();
    const all = page.getByRole("group", { name: "Answer all" });
    expect(await all.getByRole("button").allTextContents()).toEqual([
      "1 allow once",
      "2 allow for this task",
      "3 deny",
      "4 deny and say why",
    ]);
    await press("3");
    await page.getByText("Answered 3 entries with “deny”").waitFor();
    expect(await page.getByText("3 selected").count()).toBe(0);
    for (const name of names) expect(await result(name)).toContain("user denied it: deploy");
    expect(await needing()).toEqual([]);
    expect(window.troubles).toEqual([]);
  });

  test("[U14] [A8] what was not answered in time says so, and needs nobody any more", async () => {
    await start("late", [{ ask: "deploy" }, { say: "gave up" }], "hasty");
    expect(await result("late")).toContain("nobody answered within 0.1 seconds");
    expect(await needing()).toEqual([]);
    await using window = await open();
    const { page } = window;
    await page.locator(".entry", { hasText: "late asks to use deploy" }).locator(".row-link").click();
    await page.getByText("denied: nobody answered within 0.1 seconds").waitFor();
    expect(await page.locator(".choices").count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });
});
