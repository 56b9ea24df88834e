/**
 * Refuses phrases that readers had to read twice, in everything that a person or a model reads: sources with their
 * comments, documents, skills, and the titles of tests. A phrase is added here when it has been replaced everywhere.
 */
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** What is refused, and what to write instead. */
const refused: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bso (?:many|often)\b(?! as\b)/i, "a number, N, or what it depends on"],
  [/\b(?:for|after|takes?|lasts?) so long\b/i, "a time, or what it depends on"],
  [/\bone too many\b/i, "unexpected argument"],
  [/\bneeds one more word\b/i, "missing subcommand"],
  [/\bpassed over\b/i, "skipped"],
  [/\b(?:is|are|was|were) let run\b/i, "released"],
  [/\bin small letters\b/i, "lowercase"],
  [/\bwants? a token\b/i, "requires a token"],
  [/\bnobody is here to\b/i, "no terminal to confirm on"],
  [/\b(?:a|one) (?:line|file|folder|row) an? (?:operation|noun|event|tab|kind|record)\b/i, "one … per …"],
  [/\bas (?:in )?the seeds?\b|\bseed 0\d/i, "state it here: the document is not in the repository"],
];

const whole = [
  "{src,web,skills,plugin,docs,deploy}/**/*.{ts,tsx,css,md,sh}",
  "{README,SPEC,ARCHITECTURE,CONTRIBUTING,SECURITY}.md",
];
const titlesOnly = ["test/**/*.ts"];
const title = /\b(?:test|describe)(?:\.\w+)*\(\s*(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g;

const problems: string[] = [];
let count = 0;

function look(file: string, text: string, from: number): void {
  for (const [phrase, instead] of refused) {
    const found = phrase.exec(text);
    if (found) problems.push(`${file}:${from + lineOf(text, found.index)}: "${found[0]}"; write: ${instead}`);
  }
}

const lineOf = (text: string, index: number) => text.slice(0, index).split("\n").length - 1;

for (const pattern of whole)
  for await (const file of new Bun.Glob(pattern).scan(root)) {
    count++;
    look(file, await Bun.file(join(root, file)).text(), 1);
  }
for (const pattern of titlesOnly)
  for await (const file of new Bun.Glob(pattern).scan(root)) {
    count++;
    const text = await Bun.file(join(root, file)).text();
    for (const found of text.matchAll(title)) look(file, found[2]!, 1 + lineOf(text, found.index));
  }

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${count} files without phrases that have to be read twice`);
