/** [Q9] The end of a transcript, and page by page what is before it: the same entries as from the beginning. */
import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
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

test("[Q9] a transcript that is not there yet, or has nothing before a place, has no end", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "transcript");
  expect(readTail(path, 5)).toEqual({ entries: [], from: 0, next: 0 });
  written(path, 2, String);
  expect(readTail(path, 5, 0)).toEqual({ entries: [], from: 0, next: 0 });
});
