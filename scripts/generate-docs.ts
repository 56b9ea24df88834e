/** `npm run docs`: writes docs/generated/. */
import { join } from "node:path";
import { reference } from "./reference.ts";

const folder = join(import.meta.dir, "../docs/generated");
for (const [name, make] of Object.entries(reference)) await Bun.write(join(folder, name), make());
console.log(`wrote ${Object.keys(reference).join(", ")} to docs/generated`);
