/** What a person does on the other tabs, and a hub that requires a token. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createDatabase } from "../../src/engines/sqlite/connect.ts";
import { openInbox } from "../../src/inbox/inbox.ts";
import { temporaryFolder } from "../support/folder.ts";
import { hubHere } from "../support/hub.ts";
import { inBrowser } from "../support/in-browser.ts";
import { openWindow } from "../support/page.ts";
import { until } from "../support/until.ts";

let now = Date.now();

inBrowser({ now: () => now }, ({ ask, open }) => {
  test("[U8] a thread shows its history and its lease, takes an answer, and can be cancelled", async () => {
    await ask("POST /api/threads", { from: "leader", to: "ada", subject: "Add login" });
    const { threadId } = (await ask("POST /api/threads/claim", { agent: "ada" })).json.thread;
    await using window = await open("/threads");
    const { page, press } = window;
    await page.locator(".row-link", { hasText: "Add login" }).click();
    await page.getByText(/min \d+ s left/).waitFor();
    await ask(`POST /api/threads/${threadId}/update`, { agent: "ada", status: "blocked", summary: "SSO?" });
    await page.locator(".said", { hasText: "SSO?" }).waitFor();
    await page.locator(".list-head", { hasText: "Blocked" }).waitFor();
    const answer = ask(`POST /api/threads/${threadId}/wait-reply`, { agent: "ada", timeoutSeconds: 30 });
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
    expect((await ask(`GET /api/threads/${threadId}`)).json.thread.status).toBe("cancelled");
    expect(window.troubles).toEqual([]);
  });

  test("[U8] a channel shows what is said as it is said, and takes acks and words", async () => {
    const first = await ask("POST /api/messages", { channel: "builds", content: "v1 built", sender: "ci" });
    await using window = await open("/channels");
    const { page, press } = window;
    await page.locator(".row-link", { hasText: "builds" }).click();
    await page.locator(".said", { hasText: "v1 built" }).waitFor();
    await ask("POST /api/messages", { channel: "builds", content: "v2 built", sender: "ci" });
    await page.locator(".said", { hasText: "v2 built" }).waitFor();
    const sure = page.getByRole("dialog");
    await page.getByRole("button", { name: `Acknowledge message ${first.json.id}` }).click();
    await sure.getByRole("button", { name: "Acknowledge" }).click();
    await until(
      "one message is stored in builds",
      async () => (await ask("GET /api/messages/inbox/builds/count")).json.count === 1,
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
    for (const content of ["first", "second"]) {
      await ask("POST /api/mailbox/bob/send", { from: "leader", message: content });
    }
    await until("both messages are dead letters", async () => {
      await ask("POST /api/mailbox/bob/check", { ack: "manual", visibilitySeconds: 1 });
      now += 5000;
      return (await ask("GET /api/dead-letters")).json.count === 2;
    });
    await using window = await open("/dead-letters");
    const { page, press } = window;
    await page.getByText("second").first().waitFor();
    await press("j");
    await page.locator(".detail-body").getByText("not acknowledged after 5 deliveries").waitFor();
    await page.getByRole("button", { name: "Requeue", exact: true }).click();
    await until("one dead letter is left", async () => (await ask("GET /api/dead-letters")).json.count === 1);
    await page.getByText("first").first().click();
    await press("Delete");
    await page.getByRole("dialog").getByText("Requeue puts it back instead").waitFor();
    await press("Enter");
    await page.getByText("No dead letters").waitFor();
    expect((await ask("GET /api/dead-letters")).json.count).toBe(0);
  });

  test("[U8] an agent's tab shows what waits for it, and a word to it arrives", async () => {
    await ask("POST /api/mailbox/cid/send", { from: "leader", message: "Please look" });
    await using window = await open("/agents/cid");
    const { page, press } = window;
    await page.locator(".said", { hasText: "Please look" }).waitFor();
    const field = page.getByLabel("Write to cid");
    await field.waitFor();
    await press("r");
    await until("the field has the focus", () => field.evaluate((one) => one.matches(":focus")));
    await page.keyboard.type("And hurry");
    await press("Control+Enter");
    await page.locator(".said", { hasText: "And hurry" }).waitFor();
    expect((await ask("GET /api/mailbox/cid")).json.total).toBe(2);
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
