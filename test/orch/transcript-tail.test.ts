/** [Q9] The end of a transcript, and page by page what is before it: the same entries as from the beginning. */
import { expect, test } from "bun:test";
import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openTranscript, readTail, readTranscript } from "../../src/orch/transcript.ts";
import { temporaryFolder } from "../support/folder.ts";

function written(path: string, count: number, text: (n: number) => string): string[] {
  const transcript = openTranscript(path);
  const texts = Array.from({ length: count }, (_, n) => text(n));
  for (const one of texts) transcript.note({ kind: "output", text: one });
  transcript.close();
  return texts;
}

for (const [name, count, text] of [
  ["short entries", 3000, (n: number) => `line ${n} ü\n`],
  ["entries longer than what is looked at first", 9, (n: number) => `${n}${"ü".repeat(30_000)}`],
] as const)
  test(`[Q9] the end of a transcript is read without its beginning: ${name}`, () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "transcript");
    const texts = written(path, count, text);
    // What is still being written is no entry yet.
    appendFileSync(path, '{"at": "2026-');
    const found: string[] = [];
    let page = readTail(path, 4);
    expect(page.next).toBe(readTranscript(path, page.from, 1000).next);
    for (;;) {
      found.unshift(...page.entries.map((entry) => entry.text));
      if (page.from === 0) break;
      page = readTail(path, 700, page.from);
    }
    expect(found).toEqual(texts);
  });

test("[Q9.1] a transcript that has reached its limit says so once, and keeps how the task ended", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "transcript");
  const kinds: string[] = [];
  // A second attempt has no more room than the first.
  for (const attempt of [1, 2]) {
    const transcript = openTranscript(path);
    transcript.limit(2 ** 20);
    transcript.note({ kind: "prompt", text: `attempt ${attempt}` });
    for (let i = 0; i < 40; i++) transcript.note({ kind: "output", text: "x".repeat(60_000) });
    transcript.note({ kind: "stderr", text: "more\n" });
    transcript.note({ kind: "final", text: "done" });
    transcript.close();
  }
  for (let after = 0; ; ) {
    const { entries, next } = readTranscript(path, after, 1000);
    if (!entries.length) break;
    kinds.push(...entries.map(({ kind, text }) => (kind === "notice" ? text : kind)));
    after = next;
  }
  const full = "the transcript has reached 1 MiB: further output is not kept";
  expect(kinds.filter((kind) => kind !== "output")).toEqual([
    "prompt",
    full,
    "final",
    "prompt",
    full,
    "final",
  ]);
  expect(statSync(path).size).toBeLessThan(2 ** 20 + 70_000);
});

test("[Q9.2] only the page that reaches the end of the transcript is the last, at whichever limit the others end", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "transcript");
  const texts = written(path, 40, (n) => `${n}${"x".repeat(60_000)}`);
  // A keeper that was killed leaves it.
  appendFileSync(path, '{"at": "2026-');
  for (const limit of [1000, 8, 7]) {
    const found: string[] = [];
    for (let after = 0; ; ) {
      const { entries, next, last } = readTranscript(path, after, limit);
      found.push(...entries.map(({ text }) => text));
      expect(last).toBe(found.length === texts.length);
      expect(entries.length).toBeGreaterThan(0);
      if (last) break;
      after = next;
    }
    expect(found).toEqual(texts);
  }
  const end = readTail(path, 3);
  expect(end.last).toBe(true);
  expect(readTail(path, 3, end.from).last).toBe(false);
});

test("[Q9] a transcript that is not there yet, or has nothing before a place, has no end", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "transcript");
  expect(readTail(path, 5)).toEqual({ entries: [], from: 0, next: 0, last: true });
  written(path, 2, String);
  expect(readTail(path, 5, 0)).toEqual({ entries: [], from: 0, next: 0, last: false });
});
