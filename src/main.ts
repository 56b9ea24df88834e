/** The program: `inbox`, or `orch` by that name. */
import { main } from "./surfaces/cli/main.ts";

const calledAs = process.env.INBOX_PROGRAM ?? process.argv0;
const program = /(^|\/)orch$/.test(calledAs) ? "orch" : "inbox";
process.exit(await main(process.argv.slice(2), program));
