/** What somebody wrote is on the page: nothing of it is taken for HTML or Markdown and lost. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import rehypeRaw from "rehype-raw";
import { treeOf } from "../../web/documents/markdown-tree.ts";
import { plainLine, plainSnippet, plainTitle } from "../../web/documents/plain-text.ts";
import texts from "../corpora/texts.json" with { type: "json" };
import attacks from "../corpora/xss.json" with { type: "json" };
import { inBrowser } from "../support/in-browser.ts";
import { inFull } from "../support/in-full.ts";
import { visibleIn } from "../support/visible.ts";

const message = (text: string) => treeOf(text, { prefix: "", message: true }).tree;
const document = (text: string) => treeOf(text, { prefix: "", message: false, raw: rehypeRaw }).tree;
const shown = (text: string) => visibleIn(message(text)).replace(/\n$/, "");
const shownInDocument = (text: string) => visibleIn(document(text)).trim();

/** What may be formatting is not counted. */
const counted = /[\p{L}\p{N}<&{}/;%@,?]/gu;
const countsIn = (text: string) =>
  Object.fromEntries(
    Map.groupBy(text.match(counted) ?? [], (one) => one)
      .entries()
      .map(([one, all]) => [one, all.length]),
  );

/** The characters of a text of which fewer are there than were written. */
function lost(text: string, there: string): string[] {
  const has = countsIn(there);
  return Object.entries(countsIn(text))
    .filter(([one, count]) => (has[one] ?? 0) < count)
    .map(([one]) => one);
}

test("[U7.9] a message that is not Markdown is shown exactly as it was written", () => {
  for (const text of texts) expect(shown(text)).toBe(text);
});

test("[U7.9] what is Markdown in a message is formatted", () => {
  const formatted: Record<string, string> = {
    "**bold** and *it* and `<b>` and ~~gone~~": "bold and it and <b> and gone",
    "## Done\n\nAll **12** pass": "Done\nAll 12 pass",
    "- one\n  more\n- two": "• one\nmore\n• two",
    "- [x] one\n- [ ] two": "• [x] one\n• [ ] two",
    "3. c\n1. a": "3. c\n1. a",
    "```ts\nconst a: Vec<String> = `b`;\n```": "const a: Vec<String> = `b`;",
    "```ts title=a.ts\nx\n```": "ts title=a.ts\nx",
    "[the run](https://example.com/x) and **文**字": "the run and 文字",
    "> quoted": "quoted",
  };
  for (const [text, expected] of Object.entries(formatted))
    expect([text, shown(text).trim().replace(/\n+/g, "\n")]).toEqual([text, expected]);
  expect(JSON.stringify(message("**bold**"))).toContain('"strong"');
  expect(shown("| a | b |\n|---|---|\n| 1 | 2 | extra |")).toContain("extra");
});

test("[U7.9] [X3] of no attack a letter is lost in a message, and none is a link or an element of HTML", () => {
  for (const text of attacks) {
    const tree = message(text);
    expect([text, lost(text, visibleIn(tree, true))]).toEqual([text, []]);
    const made = JSON.stringify(tree);
    expect(made).not.toMatch(
      /"type":"raw"|"tagName":"(script|iframe|style|svg|form|object|details)"|"on[a-z]+":/,
    );
    for (const [, to] of made.matchAll(/"href":"([^"]*)"/g)) expect(to).toMatch(/^(https?:|mailto:|#)/i);
  }
});

const marks = [
  "*",
  "**",
  "_",
  "__",
  "`",
  "``",
  "~~",
  "# ",
  "- ",
  "+ ",
  "1. ",
  "7) ",
  "> ",
  ">>> ",
  "|",
  "---",
  "===",
];
const tags = [
  "<b>",
  "<stdin>",
  "<input>",
  "<String",
  "<td>",
  "<!--",
  "<a href=x>",
  "<https://a.b>",
  "<script>",
  "</i>",
];
const others = [
  "[a](b)",
  "[a](https://c.d)",
  "[e]: f",
  "[e]",
  "![g](h)",
  "$",
  "$$",
  "\\",
  "&lt;",
  "&",
  "{x}",
  "```",
  "[x] ",
];
const plain = ["word", "2", " ", " ", "\n", "\n", "\n\n", "    ", "\t", ".", ":", "(", ")", "文", "é"];
const written = (...tokens: string[]) =>
  fc.array(fc.constantFrom(...tokens, ...plain), { maxLength: 24 }).map((parts) => parts.join(""));
/** The language of a fence is told by its colours. */
const isFenced = (text: string) => /```|~~~/.test(text);
const numRuns = inFull(1500, 200_000);

test("[U7.9] of no message a letter is lost, whatever it is made of", () => {
  fc.assert(
    fc.property(written(...marks, ...tags, ...others), (text) => {
      expect(lost(text, visibleIn(message(text), true))).toEqual([]);
    }),
    { numRuns },
  );
});

test("[U7.9] [X3] in Markdown, tags that are not formatting are shown as they were typed", () => {
  const typed = [
    "Use <b> or <strong>? Vec<String>, Map<K,V>, <stdin>",
    "tool <input> <output> and <img>",
    "cp <source> <target>",
    "<td> and <li> outside of a table and a list",
    "<!-- never closed",
    "<?php echo 1 ?>",
    "<script>alert(1)</script>",
    "[e]: f",
  ];
  for (const text of typed) expect(shownInDocument(text)).toBe(text);
  expect(shownInDocument("<b>bold</b><br><kbd>k</kbd> <!-- a comment -->x")).toBe("bold\nk x");
  expect(shownInDocument("<picture><source srcset=x><img src=a.png></picture>")).toBe("");
});

test("[U7.9] of no Markdown a letter is lost, unless it is a pair of tags or a comment", () => {
  // Documents are Markdown: it numbers their items itself.
  const unnumbered = marks.filter((mark) => !/^\d|[-=]{3}/.test(mark));
  const inTags = tags.filter((tag) => !/^<(!|\/|a |https)/.test(tag));
  fc.assert(
    fc.property(written(...unnumbered, ...inTags, "[a](b)", "$", "{x}"), (text) => {
      fc.pre(!isFenced(text));
      expect(lost(text, visibleIn(document(text), true))).toEqual([]);
    }),
    { numRuns },
  );
});

test("[U7.9] titles and rows leave out formatting and nothing else", () => {
  const titles: Record<string, string> = {
    "Fix Vec<String>": "Fix Vec<String>",
    "Use `Vec<String>` or Map<K,V>?": "Use Vec<String> or Map<K,V>?",
    "**Rates** and *the `curve` of __init__*": "Rates and the curve of __init__",
    "2*3*4 is f(*args, **kwargs) in __init__.py": "2*3*4 is f(*args, **kwargs) in __init__.py",
    "a[i](x) and [t](https://example.com)": "a[i](x) and t",
    "# of retries": "# of retries",
    "**cut off": "**cut off",
  };
  for (const [title, plain] of Object.entries(titles)) expect(plainTitle(title)).toBe(plain);
  expect(plainLine("```ts\nconst a = *b*;\n```")).toBe("const a = *b*;");
  expect(plainLine("\n## Done\nmore")).toBe("Done");
  expect(plainLine("+ added")).toBe("+ added");
  expect(
    plainSnippet({
      text: "# A **bold** `word` 2**3",
      matches: [
        [6, 10],
        [14, 18],
      ],
    }),
  ).toEqual({
    text: "A bold word 2**3",
    matches: [
      [2, 6],
      [7, 11],
    ],
  });
  const safe = [...marks, ...tags, ...others].filter((one) => !one.includes("https://c"));
  fc.assert(
    fc.property(written(...safe), (title) => {
      fc.pre(!isFenced(title));
      expect(lost(title, plainTitle(title))).toEqual([]);
    }),
    { numRuns },
  );
});

inBrowser({}, (here) => {
  const { ask, open } = here;
  const visible = (text: string) => text.replace(/\s+/g, " ").trim();

  test("[U7.9] a question, a failure and a channel show what was written, and one click shows it unformatted", async () => {
    const question = "Use <b> or `Vec<String>`? **5** < 6";
    await ask("POST /api/mailbox/user/ask", { from: "dep", question, choices: ["<b>", "<strong>"] });
    const text = texts.slice(1, 4).join("\n");
    const { thread } = (
      await ask("POST /api/threads", { from: "user", to: "tess", subject: "Fix Vec<String>" })
    ).json;
    await ask("POST /api/threads/claim", { agent: "tess" });
    await ask(`POST /api/threads/${thread.threadId}/fail`, { agent: "tess", body: text });
    await ask("POST /api/messages", { channel: "builds", sender: "tess", content: text });
    await using window = await open();
    const { page, troubles } = window;
    const entry = page.locator(".row-title", { hasText: "Use <b> or Vec<String>? 5 < 6" });
    await entry.click();
    await page.locator(".detail-title h1", { hasText: "Use <b> or Vec<String>? 5 < 6" }).waitFor();
    await page.getByRole("button", { name: "<strong>" }).waitFor();
    const words = page.locator(".commentary .markdown:not(.plain)");
    expect(visible(await words.innerText())).toBe("Use <b> or Vec<String>? 5 < 6");
    await page.locator(".commentary").getByRole("button", { name: "As written" }).click();
    expect(await page.locator(".commentary .as-written").innerText()).toBe(question);

    await window.go(`/threads/${thread.threadId}`);
    await page.locator(".detail-title h1", { hasText: "Fix Vec<String>" }).waitFor();
    const said = page.locator(".said").last();
    await said.locator(".markdown:not(.plain)").waitFor();
    // With its line breaks and its indentation.
    expect((await said.locator(".markdown").innerText()).trim()).toBe(text);
    expect(await said.locator(".tag").innerText()).toBe("failed");
    expect(await said.locator(".tag").getAttribute("data-tone")).toBe("bad");
    expect(await page.locator(".said input").count()).toBe(0);

    await window.go("/channels/builds");
    await page.locator(".said .markdown:not(.plain)").waitFor();
    expect((await page.locator(".said .markdown").innerText()).trim()).toBe(text);
    expect(troubles).toEqual([]);
  });
});
