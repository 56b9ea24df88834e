/** The program: `inbox`, or `orch` by that name. */
const calledAs = process.env.INBOX_PROGRAM ?? process.argv0;
const program = /(^|[\\/])orch(\.exe)?$/.test(calledAs) ? "orch" : "inbox";
const words = process.argv.slice(2);

/** Of the two only one is loaded. */
const commandLine = () => require("./surfaces/cli/main.ts") as typeof import("./surfaces/cli/main.ts");
const keeper = () => require("./surfaces/cli/keep.ts") as typeof import("./surfaces/cli/keep.ts");

const keeps = program === "orch" && words[0] === "keep";
process.exit(await (keeps ? keeper().runKeeper(words.slice(1)) : commandLine().main(words, program)));

export {};
