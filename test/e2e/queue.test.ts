/** The queue and the sub-agents of it, as the person sees them: real tasks, of the built program. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bareEnvironment, program } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { served } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow } from "../support/page.ts";
import { shellProfile } from "../support/scene.ts";
import { until } from "../support/until.ts";

/** A program that can go on with a session, beside the shell, which cannot. */
const talker = `[runners.talker]
command = ["sh", "-c", "echo '{\\"result\\": \\"hello\\", \\"session\\": \\"s 1\\"}'"]
output = "json"
resume = ["talker", "--open", "{session}"]
`;
const named = (tasks: { name: string }[], ...names: string[]) =>
  tasks.map(({ name }) => name).filter((name) => names.includes(name));

inBrowser({ agents: shellProfile + talker, start: () => served() }, (here) => {
  const { ask, folder, open } = here;

  test("[U8] [Q3] tasks are pushed, changed, put into another order, removed and run from the page", async () => {
    await using window = await open("/queue");
    const { page, press } = window;
    await page.locator(".list-column :is(.row, .empty)").first().waitFor();
    for (const name of ["one", "two", "three"]) {
      await press("n");
      await page.getByLabel("Prompt").fill(`echo I am ${name}`);
      await page.getByLabel("Name").fill(name);
      await page.getByRole("button", { name: "Push", exact: true }).last().click();
      await page.locator(".row-title", { hasText: name }).waitFor();
      // It is open in place of the form.
      await page.locator(".detail-title", { hasText: name }).waitFor();
    }
    const queued = async () =>
      named((await ask("GET /api/tasks?all=true")).json.queued, "one", "two", "three");
    expect(await queued()).toEqual(["one", "two", "three"]);
    await page.locator(".row-link", { hasText: "three" }).click();
    await page.locator(".detail-title", { hasText: "three" }).waitFor();
    await press("Alt+ArrowUp");
    await until("the queue is one, three, two", async () => (await queued()).join() === "one,three,two");
    await page.getByLabel("Prompt").fill("echo I have changed");
    await page.getByRole("button", { name: "Save prompt", exact: true }).click();
    await until(
      "the prompt is stored as changed",
      async () => (await ask("GET /api/tasks/three")).json.task.prompt === "echo I have changed",
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
    const go = join(folder, "go");
    await ask("POST /api/tasks", {
      agent: "main",
      name: "slow",
      prompt: `echo begun; while [ ! -e ${go} ]; do sleep 0.05; done; echo went on; sleep 600`,
      cwd: folder,
    });
    await ask("POST /api/tasks/run", { agent: "main" });
    await using window = await open("/agents/slow");
    const { page } = window;
    await page.locator('.piece[data-kind="output"]', { hasText: "begun" }).waitFor();
    expect(await page.getByText("went on", { exact: true }).count()).toBe(0);
    writeFileSync(go, "");
    await page.locator('.piece[data-kind="output"]', { hasText: "went on" }).waitFor();
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog", { name: "Kill slow?" }).getByRole("button", { name: "Keep it" }).click();
    expect((await ask("GET /api/tasks/slow")).json.task.status).toBe("running");
    await page.getByRole("button", { name: "Kill" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
    await page.locator(".detail-header .tag", { hasText: "killed" }).waitFor();
    const { task } = (await ask("GET /api/tasks/slow")).json;
    expect(task).toMatchObject({ status: "finished", success: false });
    expect(window.troubles).toEqual([]);
  });

  test("[U8] [Q9] what a program prints piece by piece is one text; a failure is told once; the newest is on top, whatever it is called", async () => {
    for (const [name, message] of [
      ["old", "true"],
      ["new", "printf one; sleep 0.2; echo and; sleep 0.2; echo two; sleep 0.2; echo three >&2"],
    ])
      await ask("POST /api/tasks/handoff", { agent: "main", name, message, cwd: folder });
    await using window = await open("/queue/new");
    const { page } = window;
    await page.locator(".detail-title", { hasText: "new" }).waitFor();
    const shown = (await page.locator(".row-title").allInnerTexts()).map((name) => ({ name }));
    expect(named(shown, "new", "old")).toEqual(["new", "old"]);
    await ask("POST /api/tasks/handoff", {
      agent: "main",
      name: "bad",
      message: "exit 3",
      cwd: folder,
    });
    await window.go("/agents/bad");
    await page.locator('.piece[data-kind="error"]').waitFor();
    await page.locator(".detail-header .tag", { hasText: "failed" }).waitFor();
    expect(await page.locator(".transcript").getByText("it exited with status 3").count()).toBe(1);
    await window.go("/agents/new");
    await page.locator('.piece[data-kind="final"]').waitFor();
    // The pieces are one text, which is its final message, and is shown once.
    const final = await page.locator('.piece[data-kind="final"] .markdown').innerText();
    expect(final.split(/\s+/)).toEqual(["oneand", "two"]);
    expect(await page.locator('.piece[data-kind="output"]').count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });

  test("[U8] [Q13] /push, /run and /queue work in the page's field", async () => {
    await using window = await open();
    const { page, press } = window;
    await page.locator(".list-column :is(.row, .empty)").first().waitFor();
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
    const waiting = { prompt: "echo must not run", cwd: folder };
    await ask("POST /api/tasks", { agent: "main", name: "of-main", ...waiting });
    await ask("POST /api/tasks", { agent: "user", name: "of-user", ...waiting });
    await using window = await open("/queue/-");
    const { page, press } = window;
    await page.getByLabel("Prompt").fill("echo the result");
    await page.getByLabel("Name").fill("mine");
    await press("Control+Enter");
    await page.getByRole("link", { name: /^mine .*done$/ }).waitFor();
    const { queued, finished } = (await ask("GET /api/tasks?all=true")).json;
    expect(named(queued, "of-main", "of-user")).toEqual(["of-main", "of-user"]);
    for (const name of ["of-main", "of-user"])
      expect((await ask(`DELETE /api/tasks/${name}`, { agent: "user" })).status).toBe(200);
    const mine = finished.filter(({ name }: { name: string }) => name === "mine");
    expect(mine).toMatchObject([{ name: "mine", parent: "user" }]);
    await press("g", "i");
    await page.locator(".entry", { hasText: "the result" }).locator(".row-link").click();
    await page.locator(".receiver", { hasText: "To mine, which has finished and reads no mail" }).waitFor();
    await page.getByLabel("Reply to mine").fill("echo and more");
    await page.getByRole("button", { name: "Start mine again" }).click();
    await until("mine ran twice", async () => {
      const tasks = (await ask("GET /api/tasks?all=true")).json;
      return tasks.finished.filter(({ name }: { name: string }) => name === "mine").length === 2;
    });
    const { task } = (await ask("GET /api/tasks/mine")).json;
    expect(task.prompt).toContain("echo the result");
    expect(task.prompt).toContain("echo and more");
    expect(window.troubles).toEqual([]);
  });

  test("[U10] the commands that a newcomer is shown work as they are printed", async () => {
    using own = temporaryFolder();
    // Nobody has been here.
    await using hub = await served();
    writeFileSync(join(dirname(hub.db), "agents.toml"), shellProfile);
    await using window = await openWindow(hub.url);
    const { page } = window;
    const run = async (command: string) => {
      const child = Bun.spawn(["sh", "-c", command], {
        cwd: own.path,
        env: bareEnvironment({ PATH: `${dirname(program)}:${process.env.PATH}`, HOME: own.path }),
        stdout: "pipe",
        stderr: "pipe",
        stdin: "ignore",
      });
      const said = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
      expect([command, await child.exited, said]).toEqual([command, 0, said]);
    };
    const shown = async (path: string, has = "") => {
      await window.go(path);
      return page.locator(".command code", { hasText: has }).first().innerText();
    };
    const commands: string[] = [];
    for (const path of ["/agents", "/threads", "/queue", "/channels", "/channels/news", "/dead-letters", "/"])
      commands.push(await shown(path));
    // Typed in any folder it means this hub.
    expect(commands[2]).toBe(`orch --db ${hub.url} push "Research the API" && orch --db ${hub.url} run`);
    // Those that only a workspace brings.
    const label = "Newcomer";
    await hub.ask("POST /api/workspaces", { path: own.path, label, agent: "ada" });
    commands.push(await shown("/", "entries push"));
    // It asks before it writes a file, on a terminal, which a test has not.
    for (const command of commands) await run(command.replace(/^inbox setup .*/, "$& --yes"));
    expect(commands).toHaveLength(8);
    for (const [path, words] of [
      ["/", "Hello"],
      ["/", "Ready for your review"],
      ["/threads", "Add login"],
      ["/channels", "builds"],
    ] as const) {
      await window.go(path);
      await page.locator(".row-link", { hasText: words }).first().waitFor();
    }
  });

  test("[U6] an entry of a workspace offers the command that opens its session again", async () => {
    const session = "claude --continue";
    const { workspace } = (await ask("POST /api/workspaces", { path: folder, label: "x", session })).json;
    const route = `POST /api/workspaces/${workspace.workspaceId}/entries`;
    const { id } = (await ask(route, { comments: "please look" })).json;
    await using window = await open(`/inbox/${id}`);
    const offer = window.page.getByRole("button", { name: "Copy session command" });
    await offer.waitFor();
    expect(await offer.getAttribute("title")).toBe(`cd ${folder} && claude --continue`);
    expect(window.troubles).toEqual([]);
  });

  test("[U6] where a sub-agent's program can go on, the page offers the command for it", async () => {
    await ask("POST /api/tasks/assign", {
      agent: "main",
      name: "guide",
      profile: "talker",
      message: "say hello",
      cwd: folder,
    });
    await using window = await open("/agents/guide");
    const { page } = window;
    const offer = page.getByRole("button", { name: "Copy session command" });
    await offer.waitFor();
    expect(await offer.getAttribute("title")).toBe(`cd ${folder} && talker --open 's 1'`);
    await offer.click();
    await page.getByText(/Command copied|Copy it by hand/).waitFor();
    expect(window.troubles).toEqual([]);
  });
});
