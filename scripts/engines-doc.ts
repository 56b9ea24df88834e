/** The table in docs/engines.md: which rule is proven how often on which engine, read from the tests themselves. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** What runs where: the contract and the model on all, the rest on the engine its folder is about. */
const columns: Record<string, string[]> = {
  SQLite: ["contract", "model", "engine", "fault", "surface"],
  hub: ["contract", "model", "hub", "sdk"],
  Postgres: ["contract", "model", "postgres"],
  "Postgres + RabbitMQ": ["contract", "model", "delivery"],
};

const begin = "<!-- Made by `npm run docs` from the titles of the tests; do not edit. -->";
const end = "<!-- End of what is made. -->";

function citations(folder: string): Map<string, number> {
  const cited = new Map<string, number>();
  let files: string[] = [];
  try {
    files = readdirSync(join(root, "test", folder), { recursive: true }).map(String);
  } catch {
    // No such suite.
  }
  for (const file of files.filter((name) => name.endsWith(".test.ts"))) {
    const text = readFileSync(join(root, "test", folder, file), "utf8");
    for (const [, rules] of text.matchAll(/\btest(?:\.\w+\([^\n]*?\))?\(\s*["'`]((?:\[[A-Z]\d+\] )+)/g))
      for (const [rule] of rules!.matchAll(/[A-Z]\d+/g)) cited.set(rule, (cited.get(rule) ?? 0) + 1);
  }
  return cited;
}

function rulesTable(): string {
  const spec = readFileSync(join(root, "SPEC.md"), "utf8");
  const names = Object.keys(columns);
  const counts = Object.values(columns).map((folders) => folders.map(citations));
  const rows = [...spec.matchAll(/\*\*\[([A-Z]\d+)\]\*\* (.+)/g)].flatMap(([, rule, text]) => {
    const cells = counts.map((folders) => folders.reduce((sum, cited) => sum + (cited.get(rule!) ?? 0), 0));
    return cells.some(Boolean)
      ? [`| ${rule} | ${gist(text!)} | ${cells.map((count) => count || "–").join(" | ")} |`]
      : [];
  });
  return [`| rule | | ${names.join(" | ")} |`, `|---|---|${names.map(() => "--:").join("|")}|`, ...rows].join(
    "\n",
  );
}

/** As much of a rule as tells which it is. */
function gist(text: string): string {
  const plain = text.replace(/[`*|]/g, "");
  const first = plain.split(/(?<=[.;:])\s/, 1)[0]!;
  return first.length <= 90 ? first.replace(/[.;:]$/, "") : `${first.slice(0, 88).replace(/\s\S*$/, "")} …`;
}

export function enginesDoc(): string {
  const text = readFileSync(join(root, "docs/engines.md"), "utf8");
  const [before] = text.split(begin);
  const after = text.split(end)[1];
  if (before === undefined || after === undefined) throw new Error("docs/engines.md has lost its two marks");
  return `${before}${begin}\n\n${rulesTable()}\n\n${end}${after}`;
}
