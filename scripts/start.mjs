/** `npm start`: installs what is missing, builds the program, and runs the hub on an embedded database. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build } from "./build.mjs";
import { cleanEnvironment, root } from "./setup.mjs";

build();
const args = ["serve", ...process.argv.slice(2)];
const child = spawn(join(root, "dist/inbox"), args, { cwd: root, stdio: "inherit", env: cleanEnvironment() });
// The hub stops gracefully by itself; this process only waits for it. A terminal's Ctrl-C reaches both.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
