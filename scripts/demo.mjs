/** `npm run demo`: builds the program where it is not current, and has it play its round. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { buildIfChanged } from "./build.mjs";
import { cleanEnvironment, root } from "./setup.mjs";

buildIfChanged();
const args = ["demo", ...process.argv.slice(2)];
const { status } = spawnSync(join(root, "dist/inbox"), args, { stdio: "inherit", env: cleanEnvironment() });
process.exit(status ?? 1);
