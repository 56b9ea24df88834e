/** Tools that sub-agents ask to use, allowed and denied on the page: real tasks with permission=ask, of an ACP agent. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Step } from "../support/acp-agent.ts";
import { root } from "../support/cli.ts";
import { inBrowser } from "../support/in-browser.ts";
import { until } from "../support/until.ts";

const profiles = `default = "acp"
[runners.acp]
kind = "acp"
command = ${JSON.stringify([process.execPath, join(root, "test/support/acp-agent.ts")])}
permission = "ask"
[profiles.hasty]
runner = "acp"
ask_timeout = 0.1
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
    await start("sub", [{ ask: "edit", name: "Edit", input: {}, change }, push, { say: "over" }]);
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
    await page.getByText("user answered allow once").waitFor();
    // The list says what the next one is for.
    await page
      .locator(".entry", { hasText: "sub asks to use Bash: git push origin main" })
      .locator(".row-link")
      .click();
    await asked.getByText("timeout").waitFor();
    await press("4");
    await page.getByLabel("Why not").fill("not on Fridays");
    await press("Enter");
    await page.getByText("user answered deny and say why").waitFor();
    expect(await result("sub")).toContain("user denied it: not on Fridays");
    expect(window.troubles).toEqual([]);
  });

  test("[U14] one that waits for the person says so and leads to its question, which closes when it is killed", async () => {
    await start("blocked", [{ ask: "deploy", input: { command: "deploy it" } }, { say: "over" }]);
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
    await page.locator(".row", { hasText: "blocked" }).locator(".tag", { hasText: "failed" }).waitFor();
    await page.locator(".waits").waitFor({ state: "detached" });
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
