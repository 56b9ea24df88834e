/** Every kind of document, as the page shows it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chromiumPath } from "../support/browser.ts";
import type { TestHub } from "../support/hub.ts";
import { closeBrowser, openWindow } from "../support/page.ts";
import { type Home, hubWithWorkspace, type Workspace } from "../support/scene.ts";
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

A note.[^1] It costs $5, or $10 with tax. But $e = mc^2$ is a formula.

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

describe.skipIf(!chromiumPath())("in a browser", () => {
  let home: Home;
  let hub: TestHub;
  let space: Workspace;
  beforeAll(async () => {
    home = await hubWithWorkspace();
    ({ hub, space } = home);
  });
  afterAll(async () => {
    await closeBrowser();
    await home[Symbol.asyncDispose]();
  });

  test("[U7] Markdown has tables, task lists, footnotes, code in colours, formulas, diagrams and its images", async () => {
    space.write("notes/a.md", markdown);
    space.write("notes/img/dot.png", pixel);
    const id = await space.push({ docs: ["notes/a.md"] });
    await using window = await openWindow(hub.url, `/inbox/${id}`);
    const { page } = window;
    const doc = page.locator(".document");
    await doc.getByRole("cell", { name: "2" }).waitFor();
    expect(await doc.getByRole("checkbox").count()).toBe(2);
    expect(await doc.getByRole("checkbox", { name: "done" }).isChecked()).toBe(true);
    await doc.getByText("It costs $5, or $10 with tax.").waitFor();
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
    await using window = await openWindow(hub.url, `/inbox/${id}`);
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
    await using window = await openWindow(hub.url, `/inbox/${id}`);
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
    const docs = ["a.py", "b.csv", "c.json", "d.png", "e.zip", "Makefile", "unknown.xyz", "missing.md"];
    const id = await space.push({ docs });
    await using window = await openWindow(hub.url, `/inbox/${id}`);
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
    await using window = await openWindow(hub.url);
    const { page } = window;
    // What the page does after it has drawn comes late: the commentary asks for the module, then the document is drawn, then
    // the module comes, and then the document would ask for it.
    const held = { document: false, module: Promise.withResolvers<void>() };
    await page.route("**/docs/0", async (route) => {
      held.document = true;
      await held.module.promise;
      await route.continue();
    });
    await page.route("**/assets/part-*", async (route) => {
      if (held.document) {
        held.module.resolve();
        await Bun.sleep(300);
      }
      await route.continue();
    });
    await page.addInitScript(() => {
      const soon = globalThis.setTimeout;
      const late = (done: () => void, ms = 0) => soon(done, ms > 0 && ms < 100 ? 1500 : ms);
      Object.assign(globalThis, { setTimeout: late, requestAnimationFrame: () => 0 });
    });
    await page.goto(`${hub.url}/inbox/${id}`);
    await page.locator(".commentary strong", { hasText: "words" }).waitFor();
    await page.getByRole("heading", { name: "Drawn" }).waitFor();
    expect(window.troubles).toEqual([]);
  });
});
