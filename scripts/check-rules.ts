/**
 * Every rule of SPEC.md that has landed is cited by a test, every test's title starts with the rule or sub-rule that it
 * proves, and neither a title nor SPEC.md itself names one that does not exist. `--list` prints every rule and sub-rule
 * with the number of tests that cite it; a title with [M3] proves the whole of M3.
 */
import { join } from "node:path";
import { idPattern, ruleOf, rulesIn, titlesIn } from "./rules.ts";

const root = join(import.meta.dir, "..");
const spec = await Bun.file(join(root, "SPEC.md")).text();
const { rules, problems } = rulesIn(spec);
const known = new Set(rules.flatMap(({ id, parts }) => [id, ...parts]));
const landed = rangesOf(/^Landed: (.+)$/m.exec(spec)?.[1] ?? "");

for (const [, id] of spec.matchAll(idPattern))
  if (!known.has(id!)) problems.push(`SPEC.md names ${id}, which it does not have`);
for (const id of landed) if (!known.has(id)) problems.push(`${id} has landed, but SPEC.md does not have it`);

const cited = new Map<string, number>();
for await (const file of new Bun.Glob("test/**/*.test.ts").scan(root)) {
  for (const { title, cites } of titlesIn(await Bun.file(join(root, file)).text())) {
    if (!cites.length) problems.push(`${file}: "${title}" does not start with the rule it proves`);
    for (const id of cites)
      if (!known.has(id)) problems.push(`${file}: "${title}" cites ${id}, which SPEC.md does not have`);
    for (const id of new Set([...cites, ...cites.map(ruleOf)])) cited.set(id, (cited.get(id) ?? 0) + 1);
  }
}
for (const id of landed) if (!cited.has(id)) problems.push(`no test cites ${id}, which has landed`);

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
if (process.argv.includes("--list"))
  for (const id of known) console.log(`${id.includes(".") ? "  " : ""}${id}\t${cited.get(id) ?? 0}`);
console.log(
  `${landed.length} landed rules with ${known.size - rules.length} sub-rules; each rule is cited by a test`,
);

/** `S1–S3, W5` as S1, S2, S3, W5. */
function rangesOf(text: string): string[] {
  return text.split(/,\s*/).flatMap((part) => {
    const [, letter, from, to] = /^([A-Z])(\d+)(?:–[A-Z](\d+))?$/.exec(part.trim()) ?? [];
    if (!letter) throw new Error(`SPEC.md: cannot read "${part}" in the line "Landed:"`);
    const first = Number(from);
    return Array.from({ length: Number(to ?? from) - first + 1 }, (_, i) => `${letter}${first + i}`);
  });
}
