/** Reviewing what a task has changed: real tasks in worktrees of a real repository, decided about on the page. */
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { inBrowser } from "../support/in-browser.ts";
import { type Repository, repositoryIn } from "../support/repository.ts";
import { until } from "../support/until.ts";

const sendBack = (text: string) => {
  const findings = [{ file: "src/cart.ts", line: 3, text }];
  return `echo '${JSON.stringify({ verdict: "send_back", findings })}'`;
};

/** `sh` cannot go on with a session, `coder` can: it notes what it is told. `critic` reviews, and is never content. */
const profiles = `default = "sh"
check = ["sh", "-c", "! grep -rq FORBIDDEN src"]
[runners.sh]
command = ["sh", "-c", "{prompt}"]
[runners.coder]
command = ["sh", "-c", "eval \\"$1\\"; echo '{\\"result\\": \\"changed\\", \\"session\\": \\"s1\\"}'", "sh", "{prompt}"]
resume = ["sh", "-c", "cat >>told.txt; echo '{\\"result\\": \\"again\\", \\"session\\": \\"s1\\"}'"]
output = "json"
[runners.critic]
command = ${JSON.stringify(["sh", "-c", `grep -q 'Say why' && ${sendBack("Callers still pass `numbers`.")} || ${sendBack("Say why.")}`])}
`;

const cart = `export interface Line {
  amount: number;
  price: number;
}

/** What all of it costs. */
export const total = (lines: Line[]) =>
  lines.reduce((sum, line) => sum + line.amount * line.price, 0);
`;

inBrowser({ agents: profiles }, (here) => {
  const { ask, open } = here;
  let repository: Repository;
  beforeAll(() => {
    repository = repositoryIn(join(here.folder, "shop"), { "src/cart.ts": cart, "readme.txt": "hello\n" });
    // Nobody works on main: it may be moved.
    repository.git("checkout", "--quiet", "-b", "work");
  });

  /** A task that has changed something and has ended. */
  async function changed(name: string, script: string, more: Record<string, unknown> = {}): Promise<void> {
    const how = { agent: "main", profile: "sh", worktree: "yes", cwd: repository.path, ...more };
    await ask("POST /api/tasks/assign", { ...how, name, message: script });
    await until(
      `${name} has ended`,
      async () => (await ask(`GET /api/tasks/${name}`)).json.task.status === "finished",
    );
  }

  const cents = "sed -i 's/price: number/price: bigint/; s/, 0)/, 0n)/' src/cart.ts";

  test("[U14] the changes of a task that has ended are shown by file and line, inline and side by side", async () => {
    await changed(
      "cents",
      `${cents}; echo more >>readme.txt; git commit -qam 'Count in cents'; echo x >'a b.txt'`,
    );
    await using window = await open("/agents/cents");
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
      (await page.locator(`.patch-line[data-kind="${kind}"] .patch-text`).allTextContents()).map((text) =>
        text.replace(/^(added|removed): /, "").trim(),
      );
    expect(await lines("removed")).toEqual([
      "price: number;",
      "lines.reduce((sum, line) => sum + line.amount * line.price, 0);",
    ]);
    expect(await lines("added")).toContain("price: bigint;");
    // In colours, as code is everywhere on the page.
    await page.locator(".patch-line .hljs-keyword", { hasText: "const" }).first().waitFor();
    await page.getByRole("button", { name: "Side by side" }).click();
    const pair = page.locator(".patch-pair", { hasText: "price: bigint" });
    expect(await pair.locator(".patch-text").allTextContents()).toEqual([
      "removed:   price: number;",
      "added:   price: bigint;",
    ]);
    await page.reload();
    await pair.waitFor();
    await page.getByRole("button", { name: "Side by side" }).click();
    // A file is folded by its head.
    await page.locator(".patch-fold", { hasText: "src/cart.ts" }).click();
    await until("the file is folded", async () => !(await lines("added")).includes("price: bigint;"));
    await press("Escape");
    expect(window.troubles).toEqual([]);
  });

  test("[U14] comments on lines survive a reload and go back to the session as one message", async () => {
    await changed("coder", `${cents}; git commit -qam 'Count in cents'`, { profile: "coder" });
    await using window = await open("/agents/coder?view=changes");
    const { page, press } = window;
    const line = page.locator(".patch-line", { hasText: "price: bigint" });
    await line.hover();
    await line.getByRole("button", { name: "Comment on line 3" }).click();
    await page.keyboard.type("Why not a number of cents?");
    await press("Control+Enter");
    // By keyboard: the line above, which was removed.
    await page.locator(".patch-comment", { hasText: "Why not" }).waitFor();
    await press("k");
    await page.locator('.patch-line[data-current="true"][data-kind="removed"]').waitFor();
    await press("c");
    await page.keyboard.type("Keep this");
    await press("Control+Enter");
    await page.reload();
    await page.locator(".patch-comment", { hasText: "Keep this" }).waitFor();
    await page.getByLabel("Tell coder what to change").fill("Nearly there.");
    await page.getByRole("button", { name: "Send back 2 comments" }).click();
    await page.getByText("coder goes on with your comments").waitFor();
    await until("the second turn has ended", async () => {
      const { status, worktree } = (await ask("GET /api/tasks/coder")).json.task;
      return status === "finished" && worktree.files === 2;
    });
    const told = repository.at("orch/coder", "told.txt");
    expect(told).toContain(
      "Nearly there.\n\nsrc/cart.ts:3 (as it was before)\n> price: number;\nKeep this\n\n",
    );
    expect(told).toContain("src/cart.ts:3\n> price: bigint;\nWhy not a number of cents?");
    // It is shown with what came of it, and nothing is left to be sent.
    await page.getByRole("list", { name: "Files" }).getByText("told.txt").waitFor();
    expect(await page.locator(".patch-comment").count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });

  test("[U14] a conflict and a failed check say what to do; then it is merged, squashed, into the branch that is named", async () => {
    await changed("first", `${cents}`);
    await changed("second", "sed -i 's/price: number/price: string/' src/cart.ts");
    await changed("third", "echo FORBIDDEN >src/bad.ts");
    await using window = await open("/agents/first?view=changes");
    const { page, press } = window;
    const dialog = page.getByRole("dialog");
    const merge = async (name: string, into: string, how: string) => {
      await window.go(`/agents/${name}?view=changes`);
      await page.getByRole("button", { name: "Merge" }).click();
      await dialog.getByLabel("Into the branch").fill(into);
      await dialog.getByLabel(how).check();
      await press("Control+Enter");
    };
    // The branch it was pushed from is checked out: it says so, and offers the way.
    await page.getByRole("button", { name: "Merge" }).click();
    expect(await dialog.getByLabel("Into the branch").inputValue()).toBe("work");
    await press("Control+Enter");
    await dialog.getByRole("alert").getByText("checked out").waitFor();
    await press("Escape");
    await merge("first", "main", "One commit");
    await page.getByText("Merged first into main").waitFor();
    await page.locator(".fate", { hasText: "merged into main" }).waitFor();
    expect(repository.at("main", "src/cart.ts")).toContain("price: bigint");
    expect(repository.git("log", "--format=%s", "-1", "main")).toStartWith("first: ");
    await merge("second", "main", "A merge commit");
    const failure = page.getByRole("alert", { name: "Not merged" });
    await failure.getByText("It conflicts with main").waitFor();
    expect(await failure.locator(".conflicts").innerText()).toBe("src/cart.ts");
    await merge("third", "main", "Its commits on top");
    await failure.getByText("the check failed").waitFor();
    expect(repository.git("ls-tree", "--name-only", "main:src")).toBe("cart.ts");
    expect(window.troubles).toEqual([]);
  });

  test("[U14] discarding asks first, and says how to bring it back", async () => {
    await changed("waste", "echo waste >waste.txt", { agent: "user" });
    // From its result in the inbox.
    await using window = await open();
    const { page } = window;
    await page.locator(".entry", { hasText: "waste" }).locator(".row-link").click();
    await page.getByRole("button", { name: "Review changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Discard what waste has changed?" });
    await page.getByRole("button", { name: "Discard" }).click();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect(repository.git("branch", "--list", "orch/waste")).not.toBe("");
    await page.getByRole("button", { name: "Discard" }).click();
    await dialog.getByRole("button", { name: "Discard" }).click();
    const back = page.getByText(/git branch orch\/waste [0-9a-f]+ brings it back/);
    await back.waitFor();
    await page.locator(".fate", { hasText: "discarded" }).waitFor();
    expect(repository.git("branch", "--list", "orch/waste")).toBe("");
    const command = (await back.innerText()).replace(/^git (.*) brings.*/, "$1").split(" ");
    repository.git(...command);
    expect(repository.at("orch/waste", "waste.txt")).toBe("waste");
    expect(window.troubles).toEqual([]);
  });

  test("[U14] of a patch with thousands of lines only what is seen is drawn, and all of it can be reached", async () => {
    const lines = `seq 300 | sed "s/.*/export const x& = 'line &';/"`;
    const many = `for n in $(seq 40); do ${lines} >src/many$n.ts; done; seq 5000 >src/long.txt`;
    await changed("many", many);
    await using window = await open("/agents/many?view=changes");
    const { page, press } = window;
    await page.getByRole("button", { name: "Show all 41 files" }).click();
    const drawn = () => page.locator(".patch-line").count();
    expect(await drawn()).toBeLessThan(200);
    // What is long is folded, and unfolds when it is gone to.
    await page.getByRole("list", { name: "Files" }).getByRole("button", { name: "src/long.txt" }).click();
    await page.locator(".patch-text", { hasText: /^added: 1$/ }).waitFor();
    await page.locator(".patch").focus();
    await press("n");
    await page.locator('.patch-file[data-current="true"]', { hasText: "src/many1.ts" }).waitFor();
    // What was never drawn has no height yet: the end moves while it is approached.
    await until("the end of the last file is in view", async () => {
      await page.locator(".patch").evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
      const above = await page.locator(".patch-above", { hasText: "src/many9.ts" }).count();
      return above > 0 && (await page.locator(".patch-line", { hasText: "line 300" }).count()) > 0;
    });
    expect(await drawn()).toBeLessThan(200);
    expect(window.troubles).toEqual([]);
  });

  test("[U14] [A12] what a reviewer found last stands beside the lines it is about", async () => {
    await changed("reviewed", cents, { profile: "coder", review: "critic", reviewRounds: 2 });
    await using window = await open("/agents/reviewed?view=changes");
    const { page } = window;
    const said = page.getByRole("region", { name: "Review" });
    await said.getByText("sent back").waitFor();
    await said.getByText("after 2 rounds").waitFor();
    await page.locator(".detail-header .tag", { hasText: "sent back" }).waitFor();
    await said.getByRole("button", { name: "src/cart.ts:3" }).click();
    await page.locator(".patch-comment", { hasText: "Callers still pass numbers." }).waitFor();
    for (const place of [said, page.locator(".patch-comment")])
      await place.locator("code", { hasText: "numbers" }).waitFor();
    // What it found in the first round was worked on since.
    expect(repository.at("orch/reviewed", "told.txt")).toContain("src/cart.ts:3: Say why.");
    expect(await said.getByText("Say why.").count()).toBe(0);
    expect(await page.locator(".patch-comment", { hasText: "Say why." }).count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });

  test("[U14] a conflict is only reported where the person wants it so", async () => {
    await changed("winner", "echo winner >readme.txt");
    await changed("loser", "echo loser >readme.txt", { profile: "coder" });
    await ask("POST /api/tasks/winner/merge", { agent: "user", into: "main" });
    await using window = await open("/agents/loser?view=changes");
    const { page, press } = window;
    await page.getByRole("button", { name: "Merge" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Into the branch").fill("main");
    await dialog.getByLabel("Only report a conflict or a failed check; do not resume loser").check();
    await press("Control+Enter");
    const failure = page.getByRole("alert", { name: "Not merged" });
    await failure.getByText("It conflicts with main").waitFor();
    const { status, attempt } = (await ask("GET /api/tasks/loser")).json.task;
    expect([status, attempt]).toEqual(["finished", 1]);
    expect(repository.git("ls-tree", "--name-only", "orch/loser")).not.toContain("told.txt");
    expect(window.troubles).toEqual([]);
  });

  test("[U14] [A2] tasks of one name are each shown, merged and discarded by themselves, and name the others", async () => {
    for (const word of ["early", "middle", "late"]) await changed("twin", `echo ${word} >${word}.txt`);
    await using window = await open("/agents/twin?view=changes");
    const { page, press } = window;
    const files = page.getByRole("list", { name: "Files" });
    const others = page.locator(".others");
    await files.getByText("late.txt").waitFor();
    const kept = (...branches: string[]) =>
      until(`the others are ${branches}`, async () =>
        Bun.deepEquals(await others.getByRole("link").allInnerTexts(), branches),
      );
    const branches = (await ask("GET /api/tasks/twin/diff")).json.others.map(
      ({ branch }: { branch: string }) => branch,
    );
    expect(branches).toHaveLength(2);
    await kept(...branches);
    await page.getByRole("button", { name: "Merge" }).click();
    await page.getByRole("dialog").getByLabel("Into the branch").fill("main");
    await press("Control+Enter");
    await page.locator(".fate", { hasText: "merged into main" }).waitFor();
    await kept(...branches);
    await others.getByRole("link", { name: branches[0], exact: true }).click();
    await files.getByText("early.txt").waitFor();
    await page.getByText("an earlier task of this name").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.locator(".fate", { hasText: "discarded" }).waitFor();
    await kept(branches[1]);
    expect(repository.git("branch", "--list", branches[0])).toBe("");
    expect(repository.at("main", "late.txt")).toBe("late");
    expect(window.troubles).toEqual([]);
  });
});
