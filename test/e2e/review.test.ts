/** Reviewing what a task has changed: real tasks in worktrees of a real repository, decided about on the page. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chromiumPath } from "../support/browser.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere, type TestHub } from "../support/hub.ts";
import { closeBrowser, openWindow } from "../support/page.ts";
import { type Repository, repositoryIn } from "../support/repository.ts";
import { until } from "../support/until.ts";

/** `sh` cannot go on with a session, `coder` can: it notes what it is told. */
const profiles = `default = "sh"
check = ["sh", "-c", "! grep -rq FORBIDDEN src"]
[runners.sh]
command = ["sh", "-c", "{prompt}"]
[runners.coder]
command = ["sh", "-c", "eval \\"$1\\"; echo '{\\"result\\": \\"changed\\", \\"session\\": \\"s1\\"}'", "sh", "{prompt}"]
resume = ["sh", "-c", "cat >>told.txt; echo '{\\"result\\": \\"again\\", \\"session\\": \\"s1\\"}'"]
output = "json"
`;

const cart = `export interface Line {
  amount: number;
  price: number;
}

/** What all of it costs. */
export const total = (lines: Line[]) =>
  lines.reduce((sum, line) => sum + line.amount * line.price, 0);
`;

describe.skipIf(!chromiumPath())("in a browser", () => {
  const folder = temporaryFolder();
  let hub: TestHub;
  let repository: Repository;
  beforeAll(async () => {
    repository = repositoryIn(join(folder.path, "shop"), { "src/cart.ts": cart, "readme.txt": "hello\n" });
    // Nobody works on main: it may be moved.
    repository.git("checkout", "--quiet", "-b", "work");
    hub = await hubHere();
    writeFileSync(join(dirname(hub.db), "agents.toml"), profiles);
  });
  afterAll(async () => {
    await closeBrowser();
    await hub[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** A task that has changed something and has ended. */
  async function changed(name: string, script: string, profile = "sh"): Promise<void> {
    const how = { agent: "main", worktree: "yes", cwd: repository.path };
    await hub.ask("POST /api/tasks/handoff", { ...how, name, profile, message: script });
  }

  const cents = "sed -i 's/price: number/price: bigint/; s/, 0)/, 0n)/' src/cart.ts";

  test("[U14] the changes of a task that has ended are shown by file and line, inline and side by side", async () => {
    await changed(
      "cents",
      `${cents}; echo more >>readme.txt; git commit -qam 'Count in cents'; echo x >'a b.txt'`,
    );
    await using window = await openWindow(hub.url, "/agents/cents");
    const { page, press } = window;
    await page.getByRole("button", { name: /^Changes/ }).click();
    const files = page.getByRole("list", { name: "Files" });
    await files.waitFor();
    expect(await files.getByRole("button").allInnerTexts()).toEqual([
      "a b.txt\n+1 −0",
      "readme.txt\n+1 −0",
      "src/cart.ts\n+2 −2",
    ]);
    expect(await page.getByRole("list", { name: "Commits" }).locator("li").first().innerText()).toEndWith(
      "Count in cents",
    );
    const lines = async (kind: string) =>
      (await page.locator(`.diff-line[data-kind="${kind}"] .diff-text`).allTextContents()).map((text) =>
        text.replace(/^(added|removed): /, "").trim(),
      );
    expect(await lines("removed")).toEqual([
      "price: number;",
      "lines.reduce((sum, line) => sum + line.amount * line.price, 0);",
    ]);
    expect(await lines("added")).toContain("price: bigint;");
    // In colours, as code is everywhere on the page.
    await page.locator(".diff-line .hljs-keyword", { hasText: "const" }).first().waitFor();
    await page.getByRole("button", { name: "Side by side" }).click();
    const pair = page.locator(".diff-pair", { hasText: "price: bigint" });
    expect(await pair.locator(".diff-text").allTextContents()).toEqual([
      "removed:   price: number;",
      "added:   price: bigint;",
    ]);
    await page.reload();
    await pair.waitFor();
    await page.getByRole("button", { name: "Inline" }).click();
    // A file is folded by its head.
    await page.locator(".diff-fold", { hasText: "src/cart.ts" }).click();
    await until("the file is folded", async () => !(await lines("added")).includes("price: bigint;"));
    await press("Escape");
    expect(window.troubles).toEqual([]);
  });
});
