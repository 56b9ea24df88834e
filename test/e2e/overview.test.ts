/** [U15] The team at a glance, threads as a board, the order of the queue, the readers of a channel. */
import { expect, test } from "bun:test";
import { inBrowser } from "../support/in-browser.ts";
import { until } from "../support/until.ts";

let now = Date.now();

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
    for (let n = 0; n < 15; n++) await work("lead", `worker-${n}`, `Part ${n}`);
    await page.getByText("the busiest are drawn; there are 7 more agents").waitFor();
    expect(await page.locator(".team-column").last().locator("li").count()).toBe(10);
    expect(requests.filter((path) => path === "/api/agents")).toEqual([]);
    expect(requests.filter((path) => path === "/api/stats").length).toBeLessThan(15);
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
    expect(new URL(page.url()).search).toBe("?show=open&view=board");
    await page.getByRole("button", { name: "Reassign" }).click();
    await page.getByRole("button", { name: /Take it from cid/ }).click();
    await column("Pending").locator(".card-link", { hasText: "Wait for nothing" }).waitFor();
    await press("Escape");
    await page.getByRole("button", { name: "All", exact: true }).click();
    await column("Failed").locator(".card-link", { hasText: "Add logout" }).waitFor();
    await page.getByRole("button", { name: "Show as a board" }).click();
    await page.locator(".long-list .list-head", { hasText: "Blocked" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
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
    const reader = window.page.locator(".readers tr", { hasText: "dashboard" });
    await reader.getByText(`up to message ${messages.at(-1).id}`).waitFor();
    await reader.getByText("1 to read").waitFor();
    expect(window.troubles).toEqual([]);
  });
});
