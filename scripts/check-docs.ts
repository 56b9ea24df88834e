/** docs/generated/ is what the operation table makes today. */
import { join } from "node:path";
import { reference } from "./reference.ts";

const folder = join(import.meta.dir, "../docs/generated");
const stale: string[] = [];
for (const [name, make] of Object.entries(reference)) {
  const file = Bun.file(join(folder, name));
  if (!(await file.exists()) || (await file.text()) !== make()) stale.push(name);
}
if (stale.length) {
  console.error(`docs/generated is out of date (${stale.join(", ")}): run npm run docs`);
  process.exit(1);
}
console.log("docs/generated is up to date");
