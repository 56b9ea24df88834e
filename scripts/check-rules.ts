/**
 * Every rule of SPEC.md that has landed is cited by a test, every test's title starts with a rule, and no title
 * cites a rule that does not exist.
 */
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const spec = await Bun.file(join(root, "SPEC.md")).text();
const known = new Set([...spec.matchAll(/\*\*\[([A-Z]\d+)\]\*\*/g)].map((match) => match[1]!));
const landed = rangesOf(/^Landed: (.+)$/m.exec(spec)?.[1] ?? "");

const cited = new Map<string, number>();
const problems: string[] = [];
for await (const file of new Bun.Glob("test/**/*.test.ts").scan(root)) {
  const text = await Bun.file(join(root, file)).text();
  for (const match of text.matchAll(/\btest(?:\.\w+(?:\([^\n]*?\))?)*\(\s*(["'`])((?:(?!\1).)*)/g)) {
    const title = match[2]!;
    const rules = [...(/^(\[[A-Z]\d+\] )+/.exec(title)?.[0].matchAll(/[A-Z]\d+/g) ?? [])].map(String);
    if (!rules.length) problems.push(`${file}: "${title}" does not start with the rule it proves`);
    for (const rule of rules) {
      if (!known.has(rule)) problems.push(`${file}: "${title}" cites ${rule}, which SPEC.md does not have`);
      cited.set(rule, (cited.get(rule) ?? 0) + 1);
    }
  }
}
for (const rule of landed) if (!cited.has(rule)) problems.push(`no test cites ${rule}, which has landed`);

if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(`${landed.length} landed rules, each cited by a test`);

/** `S1–S3, W5` as S1, S2, S3, W5. */
function rangesOf(text: string): string[] {
  return text.split(/,\s*/).flatMap((part) => {
    const [, letter, from, to] = /^([A-Z])(\d+)(?:–[A-Z](\d+))?$/.exec(part.trim()) ?? [];
    if (!letter) throw new Error(`SPEC.md: cannot read "${part}" in the line "Landed:"`);
    const first = Number(from);
    return Array.from({ length: Number(to ?? from) - first + 1 }, (_, i) => `${letter}${first + i}`);
  });
}
