/** The person's inbox on the command line. */
import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { desk, run } from "../support/cli.ts";
import { hubHere } from "../support/hub.ts";

test("[U3] [U4] [U6] a person lists, shows, reads, answers, deletes and restores entries", async () => {
  using at = await desk();
  for (const name of ["report.md", "gone.md"]) writeFileSync(join(at.path, name), "# Done\n");
  const { workspace } = (await at.inbox("workspace", "add", ".", "--label", "Macro", "--agent", "ada")).json;
  const docs = '[{"path": "report.md"}, {"path": "gone.md"}]';
  const { id } = (
    await at.inbox("entries", "push", workspace.workspace_id, "--docs", docs, "--comments", "Look")
  ).json;
  rmSync(join(at.path, "gone.md"));
  const list = await at.human("entries", "list");
  expect(list.stdout).toContain(`● ${id}`);
  expect(list.stdout).toContain("1 unread");
  const shown = await at.human("entries", "show", id, "--mark-read");
  expect(shown.stdout).toMatch(
    /Macro .*\n {2}\[0\] report\.md {2}text\/markdown; charset=utf-8, 7 bytes\n {2}\[1\] gone\.md {2}there is no such file\n│ Look/,
  );
  expect((await at.inbox("entries", "list", "--unread")).json).toMatchObject({ entries: [], unread: 0 });
  expect((await at.human("entries", "list", "--unread")).stdout).toBe("no such entries; 0 unread\n");
  expect((await at.human("entries", "unread", id)).stdout).toBe(`${id} is unread\n`);
  expect((await at.human("entries", "read", id)).stdout).toBe(`${id} is read\n`);
  expect((await at.human("entries", "reply", id, "Thanks, go on")).stdout).toBe("answered ada\n");
  expect((await at.inbox("receive", "--agent", "ada")).json.messages).toMatchObject([
    { sender_id: "user", kind: "answer", message: "Thanks, go on" },
  ]);
  expect((await at.human("entries", "delete", id)).stdout).toMatch(
    new RegExp(
      `^deleted ${id}; inbox entries restore ${id} restores it until \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\n$`,
    ),
  );
  expect((await at.human("entries", "list")).stdout).toBe("the inbox is empty\n");
  expect((await at.human("entries", "restore", id)).stdout).toBe(`${id} was restored\n`);
  const odd = await at.human("entries", "show", "x");
  expect([odd.code, odd.stderr]).toEqual([30, expect.stringContaining("must be an entry's id")]);
  expect((await at.inbox("entries", "delete", crypto.randomUUID())).code).toBe(40);
  expect((await at.human("workspace", "remove", workspace.workspace_id)).stdout).toContain("removed");
});

test("[U5] export and import use lines, through a pipe and a hub; a line that is not an entry is reported and skipped", async () => {
  using at = await desk();
  using other = await desk();
  for (const text of ["one", "two", "three"]) await at.inbox("send", "user", text, "--from", "w");
  const { stdout } = await at.human("entries", "export");
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).comments)).toEqual(["one", "two", "three"]);
  const piped = await run(["entries", "import", "-", "--json"], { cwd: other.path, stdin: stdout });
  expect([piped.code, piped.json]).toMatchObject([0, { ok: true, imported: 3, known: 0 }]);
  expect((await other.human("entries", "export")).stdout).toBe(stdout);
  const mixed = join(other.path, "mixed.jsonl");
  const fresh = {
    id: crypto.randomUUID(),
    ts: 5,
    workspaceId: "ws-abc123",
    workspaceLabel: "Macro",
    docs: [],
    comments: "new",
  };
  const outside = { ...fresh, id: crypto.randomUUID(), docs: [{ path: "../../etc/passwd" }] };
  writeFileSync(mixed, `${lines[0]}\n\nnot json\n${JSON.stringify(outside)}\n${JSON.stringify(fresh)}`);
  await using hub = await hubHere({ db: other.db });
  const answer = await run(["entries", "import", "mixed.jsonl", "--json", "--db", hub.url], {
    cwd: other.path,
  });
  expect(answer.code).toBe(30);
  expect(answer.json).toMatchObject({
    imported: 1,
    known: 1,
    warnings: [
      expect.stringContaining("line 3 skipped"),
      'line 4 skipped: docs.0.path must not lead outside the workspace, got "../../etc/passwd"',
    ],
  });
  const all = await run(["entries", "export", "--db", hub.url], {});
  expect(all.stdout.trimEnd().split("\n")).toHaveLength(4);
  expect((await at.inbox("entries", "import", "/nonexistent")).code).toBe(30);
});

test.each([
  ["a backup", (backup: Buffer) => backup, "it has bytes that are not UTF-8 text"],
  [
    "text with a byte that is not UTF-8",
    (_: Buffer, line: string) => Buffer.concat([Buffer.from(`${line}\n`), Buffer.from([0xff, 0x0a])]),
    "it has bytes that are not UTF-8 text",
  ],
  [
    "text with U+0000",
    (_: Buffer, line: string) => Buffer.from(`${line}\n\0\n`),
    "it has bytes that are not",
  ],
  [
    "other text",
    (_: Buffer, line: string) => Buffer.from(`\nhello\n${line}\n`),
    "line 2 is not a JSON object",
  ],
  ["a JSON list", (_: Buffer, line: string) => Buffer.from(`[]\n${line}\n`), "line 1 is not a JSON object"],
] as const)(
  "[U5.8] %s is refused at once as a file of entries, and nothing is written",
  async (_, make, why) => {
    using at = await desk();
    using other = await desk();
    await at.inbox("send", "user", "one", "--from", "w");
    await at.inbox("backup", "b.bak");
    const line = (await at.human("entries", "export")).stdout.trimEnd();
    writeFileSync(join(other.path, "bad"), make(readFileSync(join(at.path, "b.bak")), line));
    const { code, stderr } = await other.human("entries", "import", "bad");
    expect(code).toBe(30);
    expect(stderr).toContain(`bad is not a file of entries: ${why}`);
    expect(stderr).toContain("nothing was imported");
    expect(stderr).toContain("give JSON lines, as inbox entries export writes them");
    expect(stderr).not.toContain("skipped");
    expect((await other.human("entries", "export")).stdout).toBe("");
  },
);

test("[U5] more entries than one page holds are exported and imported whole", async () => {
  using at = await desk();
  const lines = Array.from({ length: 1234 }, (_, i) =>
    JSON.stringify({ id: crypto.randomUUID(), ts: i, comments: `entry ${i} ${"x".repeat(2000)}` }),
  );
  const made = await run(["entries", "import", "-", "--json"], {
    cwd: at.path,
    stdin: `${lines.join("\n")}\n`,
  });
  expect(made.json).toMatchObject({ imported: 1234 });
  const { stdout } = await at.human("entries", "export", "--limit", "100");
  const exported = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(exported.map(({ ts }) => ts)).toEqual(Array.from({ length: 1234 }, (_, i) => i));
});

test("[U8] search on the command line: words in any form, exit 10 if nothing is found", async () => {
  using at = await desk();
  await at.inbox("send", "--from", "lead", "--to", "w", "--subject", "Fix the login page");
  const found = await at.human("search", "LOGIN fi");
  expect(found.stdout).toContain("threads thr_1");
  expect((await at.inbox("search", "login", "--kinds", "threads")).json).toMatchObject({
    complete: true,
    hits: [
      { kind: "threads", thread_id: "thr_1", snippet: { text: "Fix the login page", matches: [[8, 13]] } },
    ],
  });
  const none = await at.human("search", '"(NOT');
  expect([none.code, none.stdout]).toEqual([10, "nothing found\n"]);
});
