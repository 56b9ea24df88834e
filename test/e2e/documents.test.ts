/** Every kind of document, as the page shows it, and what changed since the person last looked. */
import { beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { inBrowser } from "../support/in-browser.ts";
import type { Workspace } from "../support/scene.ts";
import { until } from "../support/until.ts";

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const markdown = `# Title

| a | b |
|---|--:|
| 1 | 2 |

- [x] done
- [ ] open

A note.[^1] It costs $5, or $10 with tax. Set $HOME/bin:$PATH, or ($i)"; sleep $n. But $e = mc^2$ is a formula.

$$\\int_0^1 x\\,dx$$

\`\`\`js
const answer = 42;
\`\`\`

\`\`\`mermaid
graph LR
  A --> B
\`\`\`

![Dot](img/dot.png) ![Far](https://elsewhere.invalid/x.png)

<details><summary>More</summary>

Hidden **text**

</details>

[^1]: The note itself.
`;

const plan = (...lines: string[]) => `# Plan\n\n${lines.join("\n\n")}\n`;

inBrowser({}, (here) => {
  const { ask, open } = here;
  let space: Workspace;
  beforeAll(async () => {
    space = await here.workspace();
  });

  test("[U7] Markdown has tables, task lists, footnotes, code in colours, formulas, diagrams and its images", async () => {
    space.write("notes/a.md", markdown);
    space.write("notes/img/dot.png", pixel);
    const id = await space.push({ docs: ["notes/a.md"] });
    await using window = await open(`/inbox/${id}`);
    const { page } = window;
    const doc = page.locator(".document");
    await doc.getByRole("cell", { name: "2" }).waitFor();
    expect(await doc.getByRole("checkbox").count()).toBe(2);
    expect(await doc.getByRole("checkbox", { name: "done" }).isChecked()).toBe(true);
    await doc.getByText('It costs $5, or $10 with tax. Set $HOME/bin:$PATH, or ($i)"; sleep $n.').waitFor();
    await doc.locator("p math", { hasText: "mc" }).waitFor();
    await doc.locator('.formula[data-display="true"] math').waitFor();
    await doc.locator("pre .hljs-keyword", { hasText: "const" }).waitFor();
    await doc.locator('img[alt="Dot"]').waitFor();
    await until("the picture is drawn", () =>
      page.evaluate(`document.querySelector('img[alt="Dot"]').naturalWidth === 1`),
    );
    await doc.getByText("not loaded").waitFor();
    await doc.getByText("More", { exact: true }).click();
    await doc.locator("details strong", { hasText: "text" }).waitFor();
    await doc.locator(".diagram img").waitFor();
    await until("the diagram is drawn", () =>
      page.evaluate(`document.querySelector(".diagram img").naturalWidth > 20`),
    );
    await doc.getByRole("link", { name: "1" }).first().click();
    await doc.getByText("The note itself.").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/inbox/${id}`);
    expect(window.troubles).toEqual([]);
  });

  test("[U7] a diagram that cannot be drawn says so, and the next ones are drawn", async () => {
    const diagram = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\`\n`;
    const parts = ["graph LR\n  A --> B", "graph LR\n  A --> [[", "sequenceDiagram\n  A->>B: hi", "nonsense"];
    space.write("diagrams.md", [...parts, ...parts].map(diagram).join("\n"));
    const id = await space.push({ docs: ["diagrams.md"] });
    await using window = await open(`/inbox/${id}`);
    const { page } = window;
    await until("every diagram is drawn or refused", async () => {
      const done = page.locator(".diagram img, .diagram figcaption");
      return (await done.count()) === 8;
    });
    expect(
      await page.evaluate(`[...document.querySelectorAll(".diagram")].map((one) =>
        one.querySelector("img") ? "drawn" : one.querySelector("figcaption").textContent.split(":")[0])`),
    ).toEqual(
      [0, 1].flatMap(() => [
        "drawn",
        "This diagram cannot be drawn",
        "drawn",
        "This diagram cannot be drawn",
      ]),
    );
    expect(window.troubles).toEqual([]);
  });

  test("[U7] each block runs in the direction of its own letters, and code from left to right", async () => {
    space.write(
      "rtl.md",
      "# تقرير\n\nنص مع `code()` و English.\n\n- بند\n- أخر\n\n> اقتباس\n\nAnd English with עברית.\n",
    );
    const id = await space.push({ docs: ["rtl.md"], comments: "هل أكمل القسم؟" });
    await using window = await open(`/inbox/${id}`);
    await window.page.locator(".document li").first().waitFor();
    const directions = await Promise.all(
      [
        ".document h1",
        ".document .markdown > p",
        ".document p code",
        ".document li",
        ".document blockquote p",
        ".document .markdown > p:last-child",
        ".commentary .markdown p",
      ].map((one) => window.page.evaluate(`getComputedStyle(document.querySelector("${one}")).direction`)),
    );
    expect(directions).toEqual(["rtl", "rtl", "ltr", "rtl", "rtl", "ltr", "rtl"]);
  });

  test("[U7] source in colours, CSV as a table, JSON folded, images, and a download for the rest", async () => {
    space.write("a.py", "def f():\n    return 1\n");
    space.write("b.csv", 'name,amount\n"Doe, Jane",12\n"say ""hi""",3\n');
    space.write("c.json", JSON.stringify({ list: [1, 2], deep: { deeper: { deepest: "found" } } }));
    space.write("d.png", pixel);
    space.write("e.zip", new Uint8Array(12_345));
    space.write("Makefile", "all:\n\techo hi\n");
    space.write("unknown.xyz", new Uint8Array([1, 0, 2]));
    space.write("missing.md", "soon gone");
    const docs = ["a.py", "b.csv", "c.json", "d.png", "e.zip", "Makefile", "unknown.xyz", "missing.md"];
    const id = await space.push({ docs });
    rmSync(join(space.path, "missing.md"));
    await using window = await open(`/inbox/${id}`);
    const { page } = window;
    const doc = (name: string) => page.getByRole("region", { name, exact: true });
    await doc("a.py").locator(".hljs-keyword", { hasText: "def" }).waitFor();
    await doc("b.csv").getByRole("cell", { name: "Doe, Jane" }).waitFor();
    await doc("b.csv").getByRole("cell", { name: 'say "hi"' }).waitFor();
    await doc("b.csv").getByRole("columnheader", { name: "amount" }).waitFor();
    expect(await doc("c.json").getByText("found").count()).toBe(0);
    await doc("c.json").getByText("{ deepest }").waitFor();
    await doc("c.json").getByText("2 items").waitFor();
    await doc("c.json").getByText("deeper:").click();
    await doc("c.json").getByText('"found"').waitFor();
    await doc("d.png").locator("img").waitFor();
    await doc("e.zip").getByText("12 kB").waitFor();
    await doc("Makefile").getByText("echo hi").waitFor();
    await doc("unknown.xyz").getByText("3 bytes").waitFor();
    await doc("missing.md").getByText("moved or deleted").waitFor();
    const download = page.waitForEvent("download");
    await doc("e.zip").getByText("Download", { exact: true }).click();
    expect((await download).suggestedFilename()).toBe("e.zip");
    expect(window.troubles).toEqual([]);
  });

  test("[U7] on a slow machine every text is drawn in full, also one that is drawn while its module comes in", async () => {
    space.write("slow.md", "# Drawn\n");
    const id = await space.push({ docs: ["slow.md"], comments: "with **words**" });
    const late = () => {
      const soon = globalThis.setTimeout;
      const later = (done: () => void, ms = 0) => soon(done, ms > 0 && ms < 100 ? 1500 : ms);
      Object.assign(globalThis, { setTimeout: later, requestAnimationFrame: () => 0 });
    };
    // Somewhere of the same hub, before what it asks for is held up.
    await using window = await open("/assets/icon.svg", { before: late });
    const { page } = window;
    // What the page does after it has drawn comes late: the commentary asks for the module, then the document is drawn, then
    // the module comes, and then the document would ask for it.
    const [asked, drawn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isKnown = false;
    page.on("request", (request) => {
      isKnown ||= request.url().endsWith(`${id}/show`);
    });
    await page.route("**/docs/0", async (route) => {
      await asked.promise;
      await route.continue();
      setTimeout(drawn.resolve, 300);
    });
    await page.route("**/assets/part-*", async (route) => {
      // Those that the page itself consists of come before.
      if (isKnown) {
        asked.resolve();
        await drawn.promise;
      }
      await route.continue();
    });
    await page.goto(`${here.hub.url}/inbox/${id}`);
    await page.locator(".commentary strong", { hasText: "words" }).waitFor();
    await page.getByRole("heading", { name: "Drawn" }).waitFor();
    expect(window.troubles).toEqual([]);
  });

  const readText = async (id: string) =>
    (await ask(`GET /api/inbox/${id}/changes`)).json.documents[0].before as string | null;

  test("[U15] a document that was edited since says how much, shows it inline, and only once", async () => {
    space.write("plan.md", plan("Measure twice", "Cut once"));
    const id = await space.push({ docs: ["plan.md"], comments: "The plan" });
    const other = await space.push({ comments: "Something else" });
    await using window = await open(`/inbox/${id}`);
    const { page, press } = window;
    const doc = page.locator(".document");
    const button = doc.locator(".changes-button");
    await doc.getByText("Cut once").waitFor();
    await until("the hub knows what was read", async () => (await readText(id)) !== null);
    expect(await button.count()).toBe(0);

    await page.locator(".entry", { hasText: "Something else" }).locator(".row-link").click();
    await page.waitForURL(`**/inbox/${other}`);
    space.write("plan.md", plan("Measure twice", "Cut at the mark", "Sand it"));
    await page.locator(".entry", { hasText: "The plan" }).locator(".row-link").click();
    await button.waitFor();
    expect((await button.innerText()).replace(/\s+/g, " ")).toContain("+3 3 lines added, −1 1 line removed");
    // The text itself comes first; the person asks for the difference.
    await doc.locator(".markdown", { hasText: "Cut at the mark" }).waitFor();
    await press("d");
    await doc.locator('.diff-line[data-is="removed"]', { hasText: "Cut once" }).waitFor();
    await doc.locator('.diff-line[data-is="added"]', { hasText: "Cut at the mark" }).waitFor();

    // It stays while it is open, also though the hub knows by now that it was read, and follows what is edited meanwhile.
    await until("the hub knows that this was read", async () => (await readText(id))!.includes("Sand it"));
    space.write("plan.md", plan("Measure twice", "Cut at the mark", "Sand it", "Paint it"));
    await doc.locator('.diff-line[data-is="added"]', { hasText: "Paint it" }).waitFor();
    await doc.locator('.diff-line[data-is="added"]', { hasText: "Cut at the mark" }).waitFor();
    await until("that was read too", async () => (await readText(id))!.includes("Paint it"));
    await button.click();
    await doc.locator(".markdown", { hasText: "Paint it" }).waitFor();

    await page.reload();
    await doc.getByText("Paint it").waitFor();
    expect(await button.count()).toBe(0);
    expect(window.troubles).toEqual([]);
  });

  test("[U15] dates in a table keep their line, and on a phone buttons have their names below them", async () => {
    const note = "a note that is long enough to need all the width there is, and then some more of it";
    space.write("runs.csv", `date,note\n2026-05-01 08:15:00,${note}\n2026-05-02 08:15:00,${note}\n`);
    const id = await space.push({ docs: ["runs.csv"], comments: "The runs" });
    await using window = await open(`/inbox/${id}`, { viewport: { width: 390, height: 844 } });
    const { page } = window;
    const date = page.getByRole("cell", { name: "2026-05-01 08:15:00" });
    await date.waitFor();
    // Wide enough for all of it at once: broken, it was half as wide.
    expect((await date.boundingBox())!.width).toBeGreaterThan(130);
    for (const name of ["Done", "Snooze", "Delete"])
      await page.locator(".detail-header .icon-label", { hasText: name }).waitFor();
    // Every name fits: none is cut off.
    const cut = await page
      .locator(".side-bar .label:visible, .icon-label:visible")
      .evaluateAll((labels) =>
        (labels as unknown as { scrollWidth: number; clientWidth: number; textContent: string }[])
          .filter((one) => one.scrollWidth > one.clientWidth + 1)
          .map((one) => one.textContent),
      );
    expect(cut).toEqual([]);
  });
});
