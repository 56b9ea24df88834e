/** The program: `inbox`, or `orch` by that name. */
import { versionLine } from "./version.ts";

// Without a regular expression, of which the first two take 0.15 ms.
const calledAs = process.env.INBOX_PROGRAM ?? process.argv0;
const calledName = calledAs.slice(Math.max(calledAs.lastIndexOf("/"), calledAs.lastIndexOf("\\")) + 1);
const program = calledName === "orch" || calledName === "orch.exe" ? "orch" : "inbox";
const words = process.argv.slice(2);

// Most of what a program costs that is only asked for its version is loading the rest of it; and most commands do without node:fs.
if (words.length === 1 && (words[0] === "--version" || words[0] === "-V"))
  try {
    await Bun.write(Bun.stdout, versionLine(program));
    process.exit(0);
  } catch {
    // The rest says what is wrong with the output.
  }

// The executable starts reluctant to compile to machine code (scripts/build.mjs); whoever runs for longer gains by it.
const staysMs = 50;
setTimeout(() => Bun.unsafe.setJITPolicy(1), staysMs).unref();

// An agent program waits for the first answer of `inbox mcp`, which needs little of what is loaded below.
const asksForText = () => words.some((word) => /^(--help|-h|--version|-V)$/.test(word));
if (program === "inbox" && words[0] === "mcp" && !asksForText()) {
  const { meetPromptClient } = require("./surfaces/mcp/stdio.ts") as typeof import("./surfaces/mcp/stdio.ts");
  await meetPromptClient();
}

/** Of the two only one is loaded. */
const commandLine = () => require("./surfaces/cli/main.ts") as typeof import("./surfaces/cli/main.ts");
const keeper = () => require("./surfaces/cli/keep.ts") as typeof import("./surfaces/cli/keep.ts");

const keeps = program === "orch" && words[0] === "keep";
process.exit(await (keeps ? keeper().runKeeper(words.slice(1)) : commandLine().main(words, program)));
