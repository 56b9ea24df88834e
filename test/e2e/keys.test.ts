/** Every key of the page, in a real browser, against a real hub with real pushes. */
import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { inBrowser } from "../support/in-browser.ts";
import type { Workspace } from "../support/scene.ts";
import { until } from "../support/until.ts";

const rows = (page: Page) => page.locator(".entry .row-title").allInnerTexts();
/** A row that comes back is measured in the next frame, and seen after that. */
const untilRows = (page: Page, ...numbers: number[]) => {
  const titles = numbers.map((n) => `Entry ${n}`);
  return until(`the rows are ${titles.join(", ")}`, async () => Bun.deepEquals(await rows(page), titles));
};
/** Where the page itself says that it is: the browser tells the test of that a little later. */
const address = (page: Page) => page.evaluate("location.pathname");
const openTitle = (page: Page) => page.locator('.entry[data-open="true"] .row-title').innerText();

inBrowser({}, (here) => {
  const { ask, open } = here;
  let space: Workspace;
  beforeAll(async () => {
    space = await here.workspace();
  });

  /** Five entries and nothing else, the fifth on top. */
  async function five(): Promise<string[]> {
    await here.emptyInbox();
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) ids.push(await space.push({ comments: `Entry ${n}` }));
    return ids;
  }
  const stored = async () => (await ask("GET /api/inbox/history")).json.entries;

  test("[U7] j and k move, the detail follows, Enter opens it and marks it read", async () => {
    const ids = await five();
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Entry 5").first().waitFor();
    await untilRows(page, 5, 4, 3, 2, 1);
    await press("j");
    expect(await openTitle(page)).toBe("Entry 5");
    await press("j", "j", "k");
    await page.locator(".commentary", { hasText: "Entry 4" }).waitFor();
    expect(await openTitle(page)).toBe("Entry 4");
    await press("k", "k", "k");
    expect(await openTitle(page)).toBe("Entry 5");
    // The focus follows with the next frame.
    const focused = "document.activeElement.closest('[data-id]')?.dataset.id";
    await until("the newest entry has the focus", async () => (await page.evaluate(focused)) === ids[4]);
    await press("Enter");
    await until("the newest entry is stored as read", async () => (await stored())[0].readAt !== null);
    expect(await address(page)).toBe(`/inbox/${ids[4]}`);
    await press("Escape");
    expect(await address(page)).toBe("/");
    expect(window.troubles).toEqual([]);
  });

  test("[U7] the focus is where j and k have gone before the next key comes", async () => {
    await five();
    await using window = await open();
    const { page } = window;
    await page.getByText("Entry 5").first().waitFor();
    const focused = await page.evaluate(`(async () => {
      const titles = [];
      for (const key of ["j", "j", "j", "k"]) {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const { port1, port2 } = new MessageChannel();
        await new Promise((next) => {
          port1.onmessage = next;
          port2.postMessage(0);
        });
        titles.push(document.activeElement.querySelector(".row-title")?.textContent);
      }
      return titles;
    })()`);
    expect(focused).toEqual(["Entry 5", "Entry 4", "Entry 3", "Entry 4"]);
  });

  test("[U7] what is opened by its address is in view in its list, however long that is", async () => {
    const ids = await five();
    for (let n = 6; n <= 45; n++) await space.push({ comments: `Entry ${n}` });
    await using window = await open(`/inbox/${ids[4]}`);
    await window.page.locator('.entry[data-open="true"] .row-title', { hasText: "Entry 5" }).waitFor();
    // What was never drawn has no height yet: the list moves while it is drawn.
    await until("the row is in view", async () => {
      const [row, list] = await Promise.all(
        ['.entry[data-open="true"]', ".long-list"].map((one) => window.page.locator(one).boundingBox()),
      );
      return row!.y >= list!.y && row!.y + row!.height <= list!.y + list!.height + 1;
    });
  });

  test("[U12] [U7] e is done and goes on to the next unread, z takes it back, u is unread again, and the hub remembers", async () => {
    await five();
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Entry 5").first().waitFor();
    await press("j", "e", "e");
    await page.locator('.entry[data-open="true"]', { hasText: "Entry 3" }).waitFor();
    await until("two entries have left the inbox", async () => (await stored()).length === 3);
    await untilRows(page, 3, 2, 1);
    await press("z");
    await until("one is back", async () => (await stored()).length === 4);
    await untilRows(page, 4, 3, 2, 1);
    // It has been in view for a moment.
    await page.locator('.entry[data-open="true"][data-unread="false"]').waitFor();
    await press("u");
    await page.locator('.entry[data-open="true"][data-unread="true"]').waitFor();
    await press("I");
    await page.locator('.entry[data-open="true"][data-unread="false"]').waitFor();
    const archive = (await ask("GET /api/inbox/history?folder=archive")).json.entries;
    expect(archive.map(({ comments }: { comments: string }) => comments)).toEqual(["Entry 5"]);
  });

  test("[U7] Delete hides at once, z brings back, and the button of a row is done with it", async () => {
    await five();
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Entry 5").first().waitFor();
    await press("j", "j", "Delete");
    await untilRows(page, 5, 3, 2, 1);
    expect(await openTitle(page)).toBe("Entry 3");
    await until("four entries are stored", async () => (await stored()).length === 4);
    await press("z");
    await until("five entries are stored", async () => (await stored()).length === 5);
    await untilRows(page, 5, 4, 3, 2, 1);
    await page.getByRole("button", { name: "Done with “Entry 2”" }).click();
    await until("Entry 2 is no longer shown", async () => !(await rows(page)).includes("Entry 2"));
    await page.getByRole("button", { name: "Undo" }).click();
    await until("Entry 2 is shown again", async () => (await rows(page)).includes("Entry 2"));
  });

  test("[U7] x, J and shift-click select several, which are read or deleted together", async () => {
    await five();
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Entry 5").first().waitFor();
    await press("j", "x", "j", "j", "x");
    await page.getByText("2 selected").waitFor();
    await press("Escape");
    await until("nothing is selected", async () => (await page.locator(".selection").count()) === 0);
    await press("J", "J");
    await page.getByText("3 selected").waitFor();
    await press("K");
    await page.getByText("2 selected").waitFor();
    await press("K", "K");
    await page.getByText("2 selected").waitFor();
    await until("the fourth entry is open", async () => (await openTitle(page)) === "Entry 4");
    await press("J", "J", "J");
    await page.getByText("3 selected").waitFor();
    await press("Delete");
    await until("two entries are stored", async () => (await stored()).length === 2);
    await untilRows(page, 5, 4);
    await press("z");
    await until("five entries are stored", async () => (await stored()).length === 5);
    await page.getByText("Entry 5").first().click();
    await page
      .getByText("Entry 3")
      .first()
      .click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").waitFor();
    await page.getByRole("toolbar").getByRole("button", { name: "Mark read", exact: true }).click();
    await until(
      "three entries are stored as read",
      async () => (await stored()).filter((one: { readAt: unknown }) => one.readAt).length === 3,
    );
  });

  test("[U7] [U6] r replies, and the agent gets it", async () => {
    await five();
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Entry 5").first().waitFor();
    const mail = ask("POST /api/mailbox/ada/receive", { timeoutSeconds: 30 });
    await press("j");
    await page.getByLabel("Reply to ada").waitFor();
    await press("r");
    await page.keyboard.type("Something else, je, ze");
    await press("Control+a");
    await page.keyboard.type("Yes, go on");
    await press("Control+Enter");
    const { messages } = (await mail).json;
    expect(messages).toMatchObject([{ senderId: "user", message: "Yes, go on", kind: "answer" }]);
    await page.getByText("Sent to ada").waitFor();
    // What tells of it does not lie on what one reads or goes on with.
    const [toast, detail] = [
      await page.locator(".toast").boundingBox(),
      await page.locator(".detail-column").boundingBox(),
    ];
    expect(toast!.x + toast!.width).toBeLessThanOrEqual(detail!.x);
    // All that was written stays with the entry, and is Markdown, as everywhere.
    await press("r");
    await page.keyboard.type("And the **tests**?");
    await press("Control+Enter");
    const replies = page.getByRole("list", { name: "Your replies" });
    await replies.locator("strong", { hasText: "tests" }).waitFor();
    expect((await ask("POST /api/mailbox/ada/check", {})).json.total).toBe(1);
    await page.reload();
    await replies.getByText("Yes, go on").waitFor();
    await replies.locator("strong", { hasText: "tests" }).waitFor();
    expect(await page.locator(".selection").count()).toBe(0);
    expect(await page.getByLabel("Reply to ada").inputValue()).toBe("");
  });

  test("[U7] g and a letter go to a tab, ? shows the keys, Escape closes them", async () => {
    await five();
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Entry 5").first().waitFor();
    for (const [letter, path, name] of [
      ["a", "/agents", "Agents"],
      ["t", "/threads", "Threads"],
      ["q", "/queue", "Queue"],
      ["c", "/channels", "Channels"],
      ["d", "/dead-letters", "Dead letters"],
      ["i", "/", "Inbox"],
    ] as const) {
      await press("g", letter);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      expect(await address(page)).toBe(path);
    }
    await press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await press("j", "Escape");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await address(page)).toBe("/");
  });

  test("[U8] a long name does not leave the field of commands, on a phone either", async () => {
    await five();
    const label = "Donaudampfschifffahrtsgesellschaft".repeat(4);
    await ask("POST /api/workspaces", { path: "/tmp", label });
    await using window = await open("/", { viewport: { width: 390, height: 800 } });
    await window.page.getByText("Entry 5").first().waitFor();
    await window.press("/");
    const option = window.page.locator(".option", { hasText: label });
    await option.waitFor();
    const [text, field] = [
      await option.locator(".grow").boundingBox(),
      await window.page.locator(".palette").boundingBox(),
    ];
    expect(text!.x + text!.width).toBeLessThanOrEqual(field!.x + field!.width);
  });

  test("[U8] / finds an entry by its words and opens it", async () => {
    await five();
    await space.push({ comments: "The quarterly figures are ready" });
    await space.push({ comments: "Something else" });
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Something else").first().waitFor();
    await press("/");
    await page.keyboard.type("quarterly fig");
    await page.locator(".option", { hasText: "quarterly" }).first().waitFor();
    expect(await page.locator(".option mark").first().innerText()).toBe("quarterly");
    await press("Enter");
    await page.locator(".commentary", { hasText: "The quarterly figures are ready" }).waitFor();
  });

  test("[U8] the field takes slash commands: /send and /inbox", async () => {
    await five();
    await using window = await open();
    const { page, press } = window;
    await page.getByText("Entry 5").first().waitFor();
    await press("Control+k");
    await page.keyboard.type("/send ada please hurry");
    await press("Enter");
    await page.locator(".palette-answer", { hasText: "Sent to ada." }).waitFor();
    expect((await ask("GET /api/mailbox/ada")).json.messages).toMatchObject([
      { senderId: "main", message: "please hurry" },
    ]);
    await ask("POST /api/mailbox/main/send", { from: "ada", message: "done soon" });
    await page.keyboard.type("/inbox");
    await press("Enter");
    await page.locator(".palette-answer", { hasText: "done soon" }).waitFor();
    await page.keyboard.type("/nonsense");
    await press("Enter");
    await page.locator(".palette-answer", { hasText: "There is no command /nonsense" }).waitFor();
  });
});
