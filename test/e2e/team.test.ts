/** The team at a glance, and running it from the page: composing, reassigning, requeuing together, and the page on a phone. */
import { expect, test } from "bun:test";
import { hubHere } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow } from "../support/page.ts";
import { until } from "../support/until.ts";

let now = Date.now();

inBrowser({ now: () => now }, ({ ask, open }) => {
  test("[U13] c composes a message, says who gets it, and keeps prompts as templates", async () => {
    await ask("POST /api/mailbox/main/send", { from: "ada", message: "I am here" });
    await using window = await open();
    const { page, press } = window;
    await page.locator(".side-bar").waitFor();
    await press("c");
    const dialog = page.getByRole("dialog", { name: "Compose" });
    await dialog.getByLabel("To", { exact: true }).fill("ada");
    await dialog.locator(".receiver", { hasText: "To ada, which is active" }).waitFor();
    await dialog.getByLabel("Message").fill("Please review the checkout");
    await dialog.getByRole("button", { name: "Keep as template" }).click();
    await press("Control+Enter");
    await page.getByText("Sent to ada").waitFor();
    expect((await ask("GET /api/mailbox/ada")).json.messages).toMatchObject([
      { senderId: "user", message: "Please review the checkout" },
    ]);
    await press("c");
    await dialog.getByLabel("Use a template").selectOption("Please review the checkout");
    expect(await dialog.getByLabel("Message").inputValue()).toBe("Please review the checkout");
    await dialog.getByRole("button", { name: "New sub-agent" }).click();
    for (const label of ["Profile", "Workspace", "Permission"]) await dialog.getByLabel(label).waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U13] a blocked thread is answered with a choice, and reassigned to any agent", async () => {
    const many = Array.from({ length: 12 }, (_, n) => `agent-${n}`);
    for (const from of [...many, "zoe"]) await ask("POST /api/mailbox/main/send", { from, message: "Hello" });
    await ask("POST /api/threads", { from: "user", to: "bob", subject: "Plan the trip" });
    const { thread } = (await ask("POST /api/threads/claim", { agent: "bob" })).json;
    const shown = async () => (await ask(`GET /api/threads/${thread.threadId}`)).json;
    const question = { status: "blocked", summary: "Which day?", payload: { choices: ["Monday", "Friday"] } };
    await ask(`POST /api/threads/${thread.threadId}/update`, { agent: "bob", ...question });
    await using window = await open(`/threads/${thread.threadId}`);
    const { page, press } = window;
    await page.locator(".choices").getByRole("button", { name: "2 Friday" }).waitFor();
    await press("2");
    await until(
      "the choice has arrived",
      async () => (await shown()).messages.at(-1).payload.choice === "Friday",
    );
    expect((await shown()).messages.at(-1)).toMatchObject({ kind: "answer", toAgent: "bob" });
    await page.getByRole("button", { name: "Reassign" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "agent-7" }).waitFor();
    await page.keyboard.type("zo");
    await press("Enter");
    await until("zoe has it", async () => (await shown()).thread.assignedTo === "zoe");
    expect(window.troubles).toEqual([]);
  });

  test("[U13] dead letters of a channel are requeued together, and topics are apart from mailboxes", async () => {
    for (const message of ["first", "second"])
      await ask("POST /api/mailbox/carl/send", { from: "lead", message });
    await until("both are dead letters", async () => {
      await ask("POST /api/mailbox/carl/check", { ack: "manual", visibilitySeconds: 1 });
      now += 5000;
      return (await ask("GET /api/dead-letters")).json.count === 2;
    });
    await ask("POST /api/messages", { channel: "builds", content: "v1 built", sender: "ci" });
    await using window = await open("/dead-letters");
    const { page, press } = window;
    await page.getByRole("button", { name: "Requeue all" }).click();
    await page.getByRole("dialog").getByText("2 messages").waitFor();
    await press("1");
    await page.getByText("No dead letters").waitFor();
    expect((await ask("GET /api/dead-letters")).json.count).toBe(0);
    await press("g", "c");
    await page.locator(".list-head", { hasText: "Mailboxes of agents" }).waitFor();
    const heads = await page.locator(".list-head").allInnerTexts();
    expect(heads[0]).toMatch(/^Topics/);
    await press("/");
    await page.keyboard.type("buil");
    await page.locator(".option", { hasText: "builds" }).first().waitFor();
    await press("Enter");
    await until("the channel is open", async () => new URL(page.url()).pathname === "/channels/builds");
  });

  test("[U13] on a phone what is open has its neighbours; a link with filters leads to the same; it can be installed", async () => {
    for (const message of ["One", "Two"])
      await ask("POST /api/mailbox/user/send", { from: message, message });
    const phone = { viewport: { width: 390, height: 800 } };
    await using window = await open("/?show=unread", phone);
    const { page } = window;
    expect(await page.getByLabel("Show").inputValue()).toBe("unread");
    await page.locator(".entry", { hasText: "Two" }).locator(".row-link").click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.locator(".detail-title", { hasText: "One" }).waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.locator(".detail-title", { hasText: "Two" }).waitFor();
    const manifest = await ask("GET /assets/manifest.json");
    expect(manifest.json).toMatchObject({ name: "Restante", start_url: "/", display: "standalone" });
    const worker = await ask("GET /worker.js");
    expect([worker.status, worker.headers.get("content-type")]).toEqual([
      200,
      "text/javascript; charset=utf-8",
    ]);
    expect(window.troubles).toEqual([]);
  });

  test("[U13] the page opens without the hub once it was there", async () => {
    await using other = await hubHere();
    await using window = await openWindow(other.url, "/", { serviceWorkers: "allow" });
    const { page } = window;
    await page.getByText("No entries yet").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
    // The first visit began before there was a worker: the second one keeps the files.
    await page.reload();
    await page.getByText("No entries yet").waitFor();
    await other.stop();
    await page.reload();
    await page.locator(".side-bar").getByText("Restante").waitFor();
    await page.getByRole("alert").getByText("cannot be reached").first().waitFor();
  });
});

inBrowser({ now: () => now }, ({ ask, open }) => {
  const work = async (from: string, to: string, subject: string, leaseSeconds = 3600) => {
    await ask("POST /api/threads", { from, to, subject });
    const { thread } = (await ask("POST /api/threads/claim", { agent: to, leaseSeconds })).json;
    return thread.threadId as string;
  };

  test("[U15] the overview draws who works for whom, what was finished, and how many more there are", async () => {
    const done = await work("lead", "ada", "Add login");
    await ask(`POST /api/threads/${done}/done`, { agent: "ada", summary: "Done" });
    const failed = await work("lead", "ada", "Add logout");
    await ask(`POST /api/threads/${failed}/fail`, { agent: "ada", summary: "Broken" });
    const blocked = await work("user", "bob", "Choose a name");
    await ask(`POST /api/threads/${blocked}/update`, {
      agent: "bob",
      status: "blocked",
      summary: "Which?",
    });
    await work("lead", "cid", "Wait for nothing", 1);
    now += 5000;
    await using window = await open("/overview");
    const { page, press } = window;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    const node = (name: string) => page.locator(".team-node", { hasText: name });
    await node("bob").waitFor();
    expect(await node("bob").getAttribute("data-tone")).toBe("waits");
    expect(await node("cid").getAttribute("data-tone")).toBe("lapsed");
    const picture = page.locator(".team-lines");
    expect(await picture.getAttribute("aria-label")).toBe(
      "lead waits for cid, whose lease has lapsed; user waits for bob, which is blocked",
    );
    expect(await picture.locator("path").count()).toBe(2);
    await page.getByText("1 done, 1 failed in the last 12 hours").waitFor();
    expect(await page.locator(".hours .failed").count()).toBe(12);

    // It is live, and however many there are, the picture stays small and asks for no more.
    requests.length = 0;
    const begun = performance.now();
    for (let n = 0; n < 15; n++) await work("lead", `worker-${n}`, `Part ${n}`);
    await page.getByText("the busiest are drawn; there are 7 more agents").waitFor();
    expect(await page.locator(".team-column").last().locator("li").count()).toBe(10);
    expect(requests.filter((path) => path === "/api/agents")).toEqual([]);
    // One a second at most, and not one for each of the thirty changes.
    const seconds = (performance.now() - begun) / 1000;
    expect(requests.filter((path) => path === "/api/stats").length).toBeLessThan(seconds + 3);
    await node("bob").locator(".team-work").click();
    await page.locator(".detail-title", { hasText: "Choose a name" }).waitFor();
    await press("g", "o");
    await node("bob").waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U15] threads are a board or a list, by an address that can be sent, with lapsed leases marked", async () => {
    await using window = await open("/threads?show=open&view=board");
    const { page, press } = window;
    const column = (name: string) => page.locator(".board-column", { hasText: name });
    const card = column("In progress").locator(".card-link", { hasText: "Wait for nothing" });
    await card.getByText("lease lapsed").waitFor();
    const heads = await page.locator(".board-column .list-head").allInnerTexts();
    expect(heads.map((head) => head.split("\n")[0])).toEqual(["Blocked", "In progress"]);
    await card.click();
    await page.locator(".detail-title", { hasText: "Wait for nothing" }).waitFor();
    expect(await page.evaluate("location.search")).toBe("?show=open&view=board");
    await page.getByRole("button", { name: "Reassign" }).click();
    await page.getByRole("button", { name: /Take it from cid/ }).click();
    await column("Pending").locator(".card-link", { hasText: "Wait for nothing" }).waitFor();
    await press("Escape");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await column("Failed").locator(".card-link", { hasText: "Add logout" }).waitFor();
    await page.getByRole("button", { name: "Show as a board" }).click();
    await page.locator(".long-list .list-head", { hasText: "Blocked" }).waitFor();
    expect(await page.evaluate("location.search")).toBe("");
    expect(window.troubles).toEqual([]);
  });

  test("[U15] the queue is ordered by dragging, and draws what comes after what", async () => {
    for (const [name, after] of Object.entries({ fetch: "", parse: "fetch", report: "parse", alone: "" }))
      await ask("POST /api/tasks", {
        agent: "main",
        name,
        prompt: `Do ${name}`,
        worker: "ada",
        ...(after && { after: [after] }),
      });
    const order = async () =>
      (await ask("GET /api/tasks?agent=main")).json.queued.map(({ name }: { name: string }) => name);
    await using window = await open("/queue/parse");
    const { page } = window;
    const graph = page.locator(".dependencies");
    await graph.getByLabel("parse, queued, after fetch").waitFor();
    expect(await graph.locator("svg > path").count()).toBe(2);
    expect(await graph.locator("a").count()).toBe(3);
    const row = (name: string) => page.locator(".task-place", { hasText: name }).first();
    await row("alone").dragTo(row("fetch"), { targetPosition: { x: 40, y: 4 } });
    await until("the hub has the new order", async () => (await order())[0] === "alone");
    await graph.getByLabel("fetch, queued").click();
    await page.waitForURL("**/queue/fetch");
    expect(window.troubles).toEqual([]);
  });

  test("[U15] [M3] a channel lists its readers and how far each has come", async () => {
    for (const content of ["one", "two", "three"])
      await ask("POST /api/messages", { channel: "builds", content, sender: "ci" });
    const { messages } = (
      await ask("POST /api/messages/inbox/builds/read", { reader: "dashboard", commit: true, limit: 2 })
    ).json;
    await until("the position is stored", async () => {
      const { readers } = (await ask("GET /api/messages/inbox/builds/readers")).json;
      return readers.length === 1 && readers[0].behind === 1;
    });
    await using window = await open("/channels/builds");
    for (let n = 0; n < 20; n++)
      await ask("POST /api/messages", { channel: "builds", content: `late ${n}`, sender: "ci" });
    await window.page.getByText("late 19").waitFor();
    const reader = window.page.locator(".readers tr", { hasText: "dashboard" });
    // However long the channel is, and although it is shown from its end.
    expect((await reader.boundingBox())!.y).toBeGreaterThan(0);
    await reader.getByText(`up to message ${messages.at(-1).id}`).waitFor();
    await reader.getByText("21 to read").waitFor();
    expect(window.troubles).toEqual([]);
  });
});
