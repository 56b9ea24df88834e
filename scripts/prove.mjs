/** `npm run prove -- CAMPAIGN …`: proofs that take as long as they are given. Each is a program in test/prove. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { install, root, runBun } from "./setup.mjs";

const folder = join(root, "test/prove");
const [name = "", ...rest] = process.argv.slice(2);
const program = join(folder, `${name}.ts`);
if (!/^[a-z-]+$/.test(name) || !existsSync(program)) {
  const known = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""));
  console.error(`usage: npm run prove -- CAMPAIGN [--minutes N] [--seed N]\ncampaigns: ${known.join(", ")}`);
  process.exit(2);
}
install();
runBun([program, ...rest]);
