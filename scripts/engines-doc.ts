/** The table in docs/engines.md: which rule is proven how often on which engine, read from the tests themselves. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withMadeSection } from "./made-section.ts";
import { ruleOf, rulesIn, titlesIn } from "./rules.ts";

const root = join(import.meta.dir, "..");

/** What runs where: the contract and the model on all, the rest on the engine its folder is about. */
const columns: Record<string, string[]> = {
  SQLite: ["contract", "model", "engine", "fault", "surface"],
  hub: ["contract", "model", "hub", "sdk"],
  Postgres: ["contract", "model", "postgres"],
  "Postgres + RabbitMQ": ["contract", "model", "delivery"],
};

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
    for (const { cites } of titlesIn(text))
      for (const rule of new Set(cites.map(ruleOf))) cited.set(rule, (cited.get(rule) ?? 0) + 1);
  }
  return cited;
}

function rulesTable(): string {
  const spec = readFileSync(join(root, "SPEC.md"), "utf8");
  const names = Object.keys(columns);
  const counts = Object.values(columns).map((folders) => folders.map(citations));
  const rows = rulesIn(spec).rules.flatMap(({ id, text }) => {
    const cells = counts.map((folders) => folders.reduce((sum, cited) => sum + (cited.get(id) ?? 0), 0));
    return cells.some(Boolean)
      ? [`| ${id} | ${gist(text)} | ${cells.map((count) => count || "–").join(" | ")} |`]
      : [];
  });
  return [`| rule | | ${names.join(" | ")} |`, `|---|---|${names.map(() => "--:").join("|")}|`, ...rows].join(
    "\n",
  );
}

/** As much of a rule as tells which it is. */
function gist(text: string): string {
  const plain = text.replace(/`|\*\*/g, "").replace(/[*|]/g, "\\$&");
  const first = plain.split(/(?<=[.;:])\s/, 1)[0]!;
  return first.length <= 90 ? first.replace(/[.;:]$/, "") : `${first.slice(0, 88).replace(/\s\S*$/, "")} …`;
}

export const enginesDoc = () => withMadeSection("docs/engines.md", "the titles of the tests", rulesTable());
