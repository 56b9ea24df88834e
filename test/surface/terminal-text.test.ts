/** What is printed steers no terminal and hides nothing, whoever wrote it. */
import { expect, test } from "bun:test";
import { safe, safeJson } from "../../src/contract/safe-text.ts";
import terminal from "../corpora/terminal.json";
import { desk } from "../support/cli.ts";

/** What a terminal may be shown: said once more here, and otherwise than the program says it. */
const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const harmIn = (text: string) =>
  harmful
    .exec(text.replace(/[\n\t]/g, ""))?.[0]
    ?.codePointAt(0)
    ?.toString(16);

test("[X13] nothing of the corpus is printed as it is", () => {
  const left = terminal.filter(({ text }) => harmIn(safe(text) + safeJson(text)) !== undefined);
  expect(left.map(({ name }) => name)).toEqual([]);
  for (const { text } of terminal) expect(JSON.parse(safeJson({ text }))).toEqual({ text });
});

test("[X13] what people write with joiners and selectors stays whole", () => {
  for (const text of [
    "👨‍👩‍👧 👩🏽‍💻 ❤️ 1️⃣ 🏳️‍🌈",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937",
    "Zürich 東京\n\tx",
  ])
    expect([safe(text), safeJson(text)]).toEqual([text, JSON.stringify(text)]);
});

test("[X13] answers, events and errors print nothing of the corpus, and JSON has the same data", async () => {
  using at = await desk();
  const all = terminal.map(({ text }) => text).join(" ");
  await at.inbox("send", "--from", "eve", "--to", "w", "--subject", all, "--summary", all, "--body", all);
  await at.inbox("send", "w", all, "--from", "eve");
  await at.inbox("send", "user", all, "--from", "eve");
  await at.inbox("workspace", "add", at.path, "--label", all);
  const { json: history } = await at.inbox("entries", "list", "--json");
  for (const args of [
    ["list"],
    ["show", "thr_1"],
    ["mail", "--agent", "w"],
    ["watch", "--after-event", "0"],
    ["msg", "inbox", "w"],
    ["msg", "read", "2"],
    ["entries", "list"],
    ["entries", "show", history.entries[0].id],
    ["entries", "export"],
    ["workspace", "list"],
    ["search", "pwned"],
    ["check", "--agent", "w"],
  ]) {
    const shown = await at.human(...args);
    expect([args, harmIn(shown.stdout), harmIn(shown.stderr)]).toEqual([args, undefined, undefined]);
  }
  const asJson = await at.inbox("show", "thr_1", "--json");
  expect(harmIn(asJson.stdout)).toBeUndefined();
  expect(asJson.json.messages[0].body).toBe(all);
});

test("[X13] errors that echo an argument print none of it as it is, in text and in JSON", async () => {
  using at = await desk();
  const all = terminal.map(({ text }) => text).join(" ");
  for (const args of [
    [all],
    ["send", "--to", all, "--subject", "s", "--from", "x"],
    ["list", `--${all}`],
    ["list", "--status", all],
    ["show", all],
    ["send", "w", "x", "--from", "lead", "--strict", "--bogus", all],
    ["msg", all],
    ["help", all],
    ["mail", "--db", `${at.path}/${all.replaceAll("/", "")}`],
    [
      "send",
      "--to",
      "w",
      "--subject",
      "s",
      "--from",
      "lead",
      "--artifact",
      `/nowhere/${all.replaceAll("/", "")}`,
    ],
  ]) {
    const shown = await at.human(...args);
    const json = await at.inbox(...args, "--json");
    expect([args[0], harmIn(shown.stdout), harmIn(shown.stderr)]).toEqual([args[0], undefined, undefined]);
    expect([args[0], harmIn(json.stdout), harmIn(json.stderr)]).toEqual([args[0], undefined, undefined]);
  }
});
