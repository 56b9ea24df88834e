/** The queue and the sub-agents of it, as the person sees them: real tasks, of the built program. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chromiumPath } from "../support/browser.ts";
import { bareEnvironment, program } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { served } from "../support/hub.ts";
import { closeBrowser, openWindow } from "../support/page.ts";
import { shellProfile } from "../support/scene.ts";
import { until } from "../support/until.ts";

afterAll(closeBrowser);

async function hubWithShell(path: string) {
  mkdirSync(join(path, ".agents"), { mode: 0o700 });
  writeFileSync(join(path, ".agents/agents.toml"), shellProfile);
  return served(join(path, ".agents/coord.db"));
}

describe.skipIf(!chromiumPath())("in a browser", () => {
  test("[U8] [Q3] tasks are pushed, changed, put into another order, removed and run from the page", async () => {
    using folder = temporaryFolder();
    await using hub = await hubWithShell(folder.path);
    await using window = await openWindow(hub.url, "/queue");
    const { page, press } = window;
    await page.getByText("The queue is empty").waitFor();
    // Typed in any folder it means this hub.
    expect(await page.locator(".command code").innerText()).toBe(
      `orch --db ${hub.url} push "Research the API" && orch --db ${hub.url} run`,
    );
    for (const name of ["one", "two", "three"]) {
      await press("n");
      await page.getByLabel("Prompt").fill(`echo I am ${name}`);
      await page.getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Push", exact: true }).last().click();
      await page.locator(".row-title", { hasText: name }).waitFor();
    }
    const queued = async () =>
      (await hub.ask("GET /api/tasks?all=true")).json.queued.map((task: { name: string }) => task.name);
    expect(await queued()).toEqual(["one", "two", "three"]);
    await page.locator(".row-link", { hasText: "three" }).click();
    await page.locator(".detail-title", { hasText: "three" }).waitFor();
    await press("Alt+ArrowUp");
    await until("the queue is one, three, two", async () => (await queued()).join() === "one,three,two");
    await page.getByLabel("Prompt").fill("echo I have changed");
    await page.getByRole("button", { name: "Save prompt", exact: true }).click();
    await until(
      "the prompt is stored as changed",
      async () => (await hub.ask("GET /api/tasks/three")).json.task.prompt === "echo I have changed",
    );
    await page.locator(".row-link", { hasText: "two" }).click();
    await page.locator(".detail-title", { hasText: "two" }).waitFor();
    await press("Delete");
    await page.getByRole("dialog", { name: "Remove two from the queue?" }).waitFor();
    await press("Enter");
    await until("the queue is one, three", async () => (await queued()).join() === "one,three");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    for (const name of ["one", "three"])
      await page.getByRole("link", { name: new RegExp(`^${name} .*done$`) }).waitFor();
    await page.locator(".row-link", { hasText: "three" }).click();
    await page.getByRole("button", { name: "Transcript" }).click();
    await page.locator('.piece[data-kind="final"]', { hasText: "I have changed" }).waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U8] [Q9] a sub-agent's tab follows its output as it comes, and kills it", async () => {
    using folder = temporaryFolder();
    await using hub = await hubWithShell(folder.path);
    const go = join(folder.path, "go");
    await hub.ask("POST /api/tasks", {
      agent: "main",
      name: "slow",
      prompt: `echo begun; while [ ! -e ${go} ]; do sleep 0.05; done; echo went on; sleep 600`,
      cwd: folder.path,
    });
    await hub.ask("POST /api/tasks/run", { agent: "main" });
    await using window = await openWindow(hub.url, "/agents/slow");
    const { page } = window;
    await page.locator('.piece[data-kind="output"]', { hasText: "begun" }).waitFor();
    expect(await page.getByText("went on", { exact: true }).count()).toBe(0);
    writeFileSync(go, "");
    await page.locator('.piece[data-kind="output"]', { hasText: "went on" }).waitFor();
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog", { name: "Kill slow?" }).getByRole("button", { name: "Keep it" }).click();
    expect((await hub.ask("GET /api/tasks/slow")).json.task.status).toBe("running");
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await page.locator(".detail-header .tag", { hasText: "failed" }).waitFor();
    const { task } = (await hub.ask("GET /api/tasks/slow")).json;
    expect(task).toMatchObject({ status: "finished", success: false });
    expect(window.troubles).toEqual([]);
  });

  test("[U8] [Q9] what a program prints piece by piece is one text; a failure is told once; the newest is on top, whatever it is called", async () => {
    using folder = temporaryFolder();
    await using hub = await hubWithShell(folder.path);
    for (const [name, message] of [
      ["old", "true"],
      ["new", "printf one; sleep 0.2; echo and; sleep 0.2; echo two; sleep 0.2; echo three >&2"],
    ])
      await hub.ask("POST /api/tasks/handoff", { agent: "main", name, message, cwd: folder.path });
    await using window = await openWindow(hub.url, "/queue/new");
    const { page } = window;
    await page.locator(".detail-title", { hasText: "new" }).waitFor();
    expect(await page.locator(".row-title").allInnerTexts()).toEqual(["new", "old"]);
    await hub.ask("POST /api/tasks/handoff", {
      agent: "main",
      name: "bad",
      message: "exit 3",
      cwd: folder.path,
    });
    await page.goto(`${hub.url}/agents/bad`);
    await page.locator('.piece[data-kind="error"]').waitFor();
    await page.locator(".detail-header .tag", { hasText: "failed" }).waitFor();
    expect(await page.locator(".transcript").getByText("it exited with status 3").count()).toBe(1);
    await page.goto(`${hub.url}/agents/new`);
    await page.locator('.piece[data-kind="final"]').waitFor();
    // The pieces are one text, which is its final message, and is shown once.
    const final = await page.locator('.piece[data-kind="final"] .markdown').innerText();
    expect(final.split(/\s+/)).toEqual(["oneand", "two"]);
    expect(await page.locator('.piece[data-kind="output"]').count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });

  test("[U8] [Q13] /push, /run and /queue work in the page's field", async () => {
    using folder = temporaryFolder();
    await using hub = await hubWithShell(folder.path);
    await using window = await openWindow(hub.url);
    const { page, press } = window;
    await page.getByText("No entries yet").waitFor();
    await press("/");
    for (const [typed, answer] of [
      ['/push name=hello "echo hi there"', "Queued hello."],
      ["/queue", "Queued:\n  hello"],
      ["/run 1", "Running hello."],
      ["/receive from=hello", "hi there"],
    ] as const) {
      await page.keyboard.type(typed);
      await press("Enter");
      // It takes mail from the main agent: it is run when it is entered again.
      if (typed.startsWith("/receive")) await press("Enter");
      await page.locator(".palette-answer", { hasText: answer }).waitFor();
    }
    expect(window.troubles).toEqual([]);
  });

  test("[U10] Push and run starts what was pushed and nothing else; its result comes to the person, who can start it again", async () => {
    using folder = temporaryFolder();
    await using hub = await hubWithShell(folder.path);
    const waiting = { prompt: "echo must not run", cwd: folder.path };
    await hub.ask("POST /api/tasks", { agent: "main", name: "of-main", ...waiting });
    await hub.ask("POST /api/tasks", { agent: "user", name: "of-user", ...waiting });
    await using window = await openWindow(hub.url, "/queue/-");
    const { page, press } = window;
    await page.getByLabel("Prompt").fill("echo the result");
    await page.getByLabel("Name").fill("mine");
    await press("Control+Enter");
    await page.getByRole("link", { name: /^mine .*done$/ }).waitFor();
    const { queued, finished } = (await hub.ask("GET /api/tasks?all=true")).json;
    expect(queued.map(({ name }: { name: string }) => name)).toEqual(["of-main", "of-user"]);
    expect(finished).toMatchObject([{ name: "mine", parent: "user" }]);
    await press("g", "i");
    await page.locator(".entry", { hasText: "the result" }).locator(".row-link").click();
    await page.locator(".receiver", { hasText: "To mine, which has finished and reads no mail" }).waitFor();
    await page.getByLabel("Reply to mine").fill("echo and more");
    await page.getByRole("button", { name: "Start mine again" }).click();
    await until("mine ran twice", async () => {
      const tasks = (await hub.ask("GET /api/tasks?all=true")).json;
      return tasks.finished.filter(({ name }: { name: string }) => name === "mine").length === 2;
    });
    const { task } = (await hub.ask("GET /api/tasks/mine")).json;
    expect(task.prompt).toContain("echo the result");
    expect(task.prompt).toContain("echo and more");
    expect(window.troubles).toEqual([]);
  });

  test("[U10] the commands that a newcomer is shown work as they are printed", async () => {
    using folder = temporaryFolder();
    await using hub = await hubWithShell(folder.path);
    await using window = await openWindow(hub.url);
    const { page } = window;
    const run = async (command: string) => {
      const child = Bun.spawn(["sh", "-c", command], {
        cwd: folder.path,
        env: bareEnvironment({ PATH: `${dirname(program)}:${process.env.PATH}`, HOME: folder.path }),
        stdout: "pipe",
        stderr: "pipe",
        stdin: "ignore",
      });
      const said = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
      expect([command, await child.exited, said]).toEqual([command, 0, said]);
    };
    const shown = async (path: string, has = "") => {
      await page.goto(hub.url + path);
      return page.locator(".command code", { hasText: has }).first().innerText();
    };
    const commands: string[] = [];
    for (const path of ["/agents", "/threads", "/queue", "/channels", "/channels/news", "/dead-letters", "/"])
      commands.push(await shown(path));
    // Those that only a workspace brings.
    const label = "Newcomer";
    await hub.ask("POST /api/workspaces", { path: folder.path, label, agent: "ada" });
    commands.push(await shown("/", "entries push"));
    // It asks before it writes a file, on a terminal, which a test has not.
    for (const command of commands) await run(command.replace(/^inbox setup .*/, "$& --yes"));
    expect(commands).toHaveLength(8);
    for (const [path, words] of [
      ["/", "Hello"],
      ["/", "Ready for your review"],
      ["/threads", "Add login"],
      ["/channels", "builds"],
    ]) {
      await page.goto(hub.url + path);
      await page.locator(".row-link", { hasText: words }).first().waitFor();
    }
  });

  test("[U6] an entry of a workspace offers the command that opens its session again", async () => {
    using folder = temporaryFolder();
    await using hub = await served(join(folder.path, "coord.db"));
    const session = "claude --continue";
    const { workspace } = (await hub.ask("POST /api/workspaces", { path: folder.path, label: "x", session }))
      .json;
    const route = `POST /api/workspaces/${workspace.workspaceId}/entries`;
    const { id } = (await hub.ask(route, { comments: "please look" })).json;
    await using window = await openWindow(hub.url, `/inbox/${id}`);
    const offer = window.page.getByRole("button", { name: "Copy session command" });
    await offer.waitFor();
    expect(await offer.getAttribute("title")).toBe(`cd ${folder.path} && claude --continue`);
    expect(window.troubles).toEqual([]);
  });

  test("[U6] where a sub-agent's program can go on, the page offers the command for it", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, ".agents"), { mode: 0o700 });
    writeFileSync(
      join(folder.path, ".agents/agents.toml"),
      `default = "talker"
[runners.talker]
command = ["sh", "-c", "echo '{\\"result\\": \\"hello\\", \\"session\\": \\"s 1\\"}'"]
output = "json"
resume = ["talker", "--open", "{session}"]
`,
    );
    await using hub = await served(join(folder.path, ".agents/coord.db"));
    await hub.ask("POST /api/tasks/assign", {
      agent: "main",
      name: "guide",
      message: "say hello",
      cwd: folder.path,
    });
    await using window = await openWindow(hub.url, "/agents/guide");
    const { page } = window;
    const offer = page.getByRole("button", { name: "Copy session command" });
    await offer.waitFor();
    expect(await offer.getAttribute("title")).toBe(`cd ${folder.path} && talker --open 's 1'`);
    await offer.click();
    await page.getByText(/Command copied|Copy it by hand/).waitFor();
    expect(window.troubles).toEqual([]);
  });
});
