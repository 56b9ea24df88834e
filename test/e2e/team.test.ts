/** Running the team from the page: composing, reassigning, requeuing together, and the page on a phone. */
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

  test("[U13] a blocked thread is answered with a choice, and reassigned", async () => {
    await ask("POST /api/threads", { from: "user", to: "bob", subject: "Plan the trip" });
    const { thread } = (await ask("POST /api/threads/claim", { agent: "bob" })).json;
    const shown = async () => (await ask(`GET /api/threads/${thread.threadId}`)).json;
    const question = { status: "blocked", summary: "Which day?", payload: { choices: ["Monday", "Friday"] } };
    await ask(`POST /api/threads/${thread.threadId}/update`, { agent: "bob", ...question });
    await using window = await open(`/threads/${thread.threadId}`);
    const { page } = window;
    await page.locator(".choices").getByRole("button", { name: "Friday" }).click();
    await until(
      "the choice has arrived",
      async () => (await shown()).messages.at(-1).payload.choice === "Friday",
    );
    expect((await shown()).messages.at(-1)).toMatchObject({ kind: "answer", toAgent: "bob" });
    await page.getByRole("button", { name: "Reassign" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "ada" }).click();
    await until("ada has it", async () => (await shown()).thread.assignedTo === "ada");
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
