/** docs/generated/ is what the operation table makes today, and the Markdown in the tree holds together. */
import { join } from "node:path";
import { markdownProblems } from "./markdown.ts";
import { reference } from "./reference.ts";

const root = join(import.meta.dir, "..");
const stale: string[] = [];
for (const [name, make] of Object.entries(reference)) {
  const file = Bun.file(join(root, "docs/generated", name));
  if (!(await file.exists()) || (await file.text()) !== make()) stale.push(name);
}
const problems = markdownProblems(root);
if (stale.length) problems.push(`docs/generated is out of date (${stale.join(", ")}): run npm run docs`);
if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log("docs/generated is up to date; paths, links, line lengths and versions in Markdown are right");
