/** `node scripts/bun.mjs FILE …`: runs a script of ours on the installed Bun. */
import { install, runBun } from "./setup.mjs";

install();
runBun(process.argv.slice(2));
