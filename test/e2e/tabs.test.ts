/** What a person does on the other tabs, and a hub that requires a token. */
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { chromiumPath } from "../support/browser.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { closeBrowser, openWindow } from "../support/page.ts";
import { until } from "../support/until.ts";

afterAll(closeBrowser);

describe.skipIf(!chromiumPath())("in a browser", () => {
  test("[U8] a thread shows its history and its lease, takes an answer, and can be cancelled", async () => {
    await using hub = await hubHere();
    await hub.ask("POST /api/threads", { from: "leader", to: "ada", subject: "Add login" });
    await hub.ask("POST /api/threads/claim", { agent: "ada" });
    await using window = await openWindow(hub.url, "/threads");
    const { page, press } = window;
    await page.getByText("Add login").first().waitFor();
    await press("j");
    await page.getByText(/min \d+ s left/).waitFor();
    await hub.ask("POST /api/threads/thr_1/update", { agent: "ada", status: "blocked", summary: "SSO?" });
    await page.locator(".said", { hasText: "SSO?" }).waitFor();
    await page.locator(".list-head", { hasText: "Blocked" }).waitFor();
    const answer = hub.ask("POST /api/threads/thr_1/wait-reply", { agent: "ada", timeoutSeconds: 30 });
    await page.getByLabel("Reply to ada").first().waitFor();
    await press("r");
    await page.keyboard.type("No, a password");
    await press("Control+Enter");
    expect((await answer).json).toMatchObject({ woke: true });
    await page.locator(".said", { hasText: "No, a password" }).waitFor();
    await page.getByRole("button", { name: "Cancel thread" }).click();
    await page.getByLabel("Reason").fill("not needed");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel thread" }).click();
    await page.locator(".detail-header .tag", { hasText: "cancelled" }).waitFor();
    expect((await hub.ask("GET /api/threads/thr_1")).json.thread.status).toBe("cancelled");
    expect(window.troubles).toEqual([]);
  });

  test("[U8] a channel shows what is said as it is said, and takes acks and words", async () => {
    await using hub = await hubHere();
    await hub.ask("POST /api/messages", { channel: "builds", content: "v1 built", sender: "ci" });
    await using window = await openWindow(hub.url, "/channels");
    const { page, press } = window;
    await page.getByText("builds").first().waitFor();
    await press("j");
    await page.locator(".said", { hasText: "v1 built" }).waitFor();
    await hub.ask("POST /api/messages", { channel: "builds", content: "v2 built", sender: "ci" });
    await page.locator(".said", { hasText: "v2 built" }).waitFor();
    const sure = page.getByRole("dialog");
    await page.getByRole("button", { name: "Acknowledge message 1" }).click();
    await sure.getByRole("button", { name: "Acknowledge" }).click();
    await until(
      "one message is stored in builds",
      async () => (await hub.ask("GET /api/messages/inbox/builds/count")).json.count === 1,
    );
    await press("r");
    await page.keyboard.type("Well done");
    await press("Control+Enter");
    await page.locator(".said", { hasText: "Well done" }).waitFor();
    await page.getByRole("button", { name: "Ack all" }).click();
    await sure.getByRole("button", { name: "Acknowledge all" }).click();
    await page.getByText("0 pending").waitFor();
    expect(window.troubles).toEqual([]);
  });

  test("[U8] a dead letter is read, put back, and thrown away", async () => {
    let now = Date.now();
    await using hub = await hubHere({ now: () => now });
    for (const content of ["first", "second"]) {
      await hub.ask("POST /api/mailbox/ada/send", { from: "leader", message: content });
    }
    await until("both messages are dead letters", async () => {
      await hub.ask("POST /api/mailbox/ada/check", { ack: "manual", visibilitySeconds: 1 });
      now += 5000;
      return (await hub.ask("GET /api/dead-letters")).json.count === 2;
    });
    await using window = await openWindow(hub.url, "/dead-letters");
    const { page, press } = window;
    await page.getByText("second").first().waitFor();
    await press("j");
    await page.locator(".detail-body").getByText("not acknowledged after 5 deliveries").waitFor();
    await page.getByRole("button", { name: "Requeue", exact: true }).click();
    await until(
      "one dead letter is left",
      async () => (await hub.ask("GET /api/dead-letters")).json.count === 1,
    );
    await page.getByText("first").first().click();
    await press("Delete");
    await page.getByRole("dialog").getByText("Requeue puts it back instead").waitFor();
    await press("Enter");
    await page.getByText("No dead letters").waitFor();
    expect((await hub.ask("GET /api/dead-letters")).json.count).toBe(0);
  });

  test("[U8] an agent's tab shows what waits for it, and a word to it arrives", async () => {
    await using hub = await hubHere();
    await hub.ask("POST /api/mailbox/ada/send", { from: "leader", message: "Please look" });
    await using window = await openWindow(hub.url, "/agents/ada");
    const { page, press } = window;
    await page.locator(".said", { hasText: "Please look" }).waitFor();
    await press("r");
    await page.keyboard.type("And hurry");
    await press("Control+Enter");
    await page.locator(".said", { hasText: "And hurry" }).waitFor();
    expect((await hub.ask("GET /api/mailbox/ada")).json.total).toBe(2);
  });

  test("[X2] [U7] a hub that requires a token asks for one, and the page works with it", async () => {
    using folder = temporaryFolder();
    const db = join(folder.path, "coord.db");
    createDatabase(db);
    const inbox = openInbox(db);
    const { token } = await inbox.call("tokens.create", { agent: "user", scope: "user" });
    const admin = await inbox.call("tokens.create", { agent: "boss", scope: "admin" });
    await inbox.close();
    await using hub = await hubHere({ db, auth: true });
    const { json } = await hub.as(admin.token)("POST /api/workspaces", {
      path: folder.path,
      label: "Work",
      agent: "ada",
    });
    await Bun.write(join(folder.path, "a.md"), "# Behind a token\n");
    const push = openInbox(db);
    await push.call("entries.push", {
      workspace: json.workspace.workspaceId,
      docs: [{ path: "a.md" }],
      comments: "Hello",
    });
    await push.close();
    await using window = await openWindow(hub.url);
    const { page, press } = window;
    await page.getByText("This hub requires a token.").waitFor();
    // The field has the focus: nothing else can be done here.
    await page.keyboard.type("wrong");
    await press("Enter");
    await page.getByText("unknown or was revoked").waitFor();
    await page.getByLabel("Token").fill(token);
    await press("Enter");
    await page.getByText("Hello").first().click();
    await page.getByRole("heading", { name: "Behind a token" }).waitFor();
    await Bun.write(join(folder.path, "a.md"), "# Still live\n");
    await page.getByRole("heading", { name: "Still live" }).waitFor();
    expect(window.troubles).toEqual([]);
  });
});
