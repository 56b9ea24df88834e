/** What is typed that is no operation: help, completion, the shell, and mistakes. */
import { errorTable, InboxError } from "../../contract/errors.ts";
import { closest, didYouMean } from "../../contract/suggest.ts";
import { brokerOf } from "../../location.ts";
import { version } from "../../version.ts";
import { commandNames, findCommand, ownCommands, type Program, subcommandsOf } from "./commands.ts";
import { completion } from "./completion.ts";
import { commandHelp, ownHelp, programHelp } from "./help.ts";
import { complain, say } from "./output.ts";
import { scanArguments } from "./scan.ts";

export async function withoutOperation(
  words: readonly string[],
  argv: readonly string[],
  program: Program,
): Promise<number> {
  const [word, argument] = words;
  if (word === undefined) {
    const { globals } = scanArguments(argv, [], "");
    if (globals.version)
      return say(globals.json ? `${JSON.stringify({ ok: true, version })}\n` : `${program} ${version}\n`);
    const help = programHelp(program, version);
    if (globals.help) return say(help);
    complain(help);
    return errorTable.invalid_input.exit;
  }
  const own = Object.hasOwn(ownCommands(program), word) ? ownHelp[word] : undefined;
  if (own && argv.some((token) => token === "--help" || token === "-h")) return say(own(program));
  if (word === "help") {
    const about = argument !== undefined && argument in ownCommands(program) ? ownHelp[argument] : undefined;
    if (about) return say(about(program));
    const command = findCommand(argv.filter((token) => !token.startsWith("-")).slice(1, 4), program)?.command;
    if (argument !== undefined && !command) throw unknownCommand(argument, program);
    return say(command ? commandHelp(command, program) : programHelp(program, version));
  }
  if (word === "completion") return say(completion(argument, program));
  if (program === "inbox" && word === "shell") return openShell(argv.filter((token) => token !== "shell"));
  const subcommands = subcommandsOf(word, program);
  if (subcommands.length)
    throw new InboxError(
      "invalid_input",
      `${program} ${word} needs one more word: ${subcommands.map((name) => name.slice(word.length + 1)).join(" or ")}`,
      {
        hint: `for example: ${program} ${subcommands[0]} --help`,
      },
    );
  throw unknownCommand(word, program);
}

function unknownCommand(word: string, program: Program): InboxError {
  const names = [...commandNames(program), ...Object.keys(ownCommands(program))];
  const other = program === "inbox" ? "orch" : "inbox";
  if (findCommand([word], other))
    return new InboxError("invalid_input", `${program} has no command "${word}", but ${other} has`, {
      hint: `${other} ${word} --help`,
    });
  const guess = didYouMean(word, names);
  return new InboxError("invalid_input", `${program} has no command "${word}"${guess ? `; ${guess}` : ""}`, {
    hint: closest(word, names).length
      ? `${program} help COMMAND shows what it takes`
      : `${program} --help lists the commands`,
  });
}

function openShell(argv: readonly string[]): Promise<number> | number {
  const { globals } = scanArguments(argv, [], "shell");
  const asked = { db: globals.db, env: process.env, cwd: process.cwd() };
  const { runShell } = require("./shell.ts") as typeof import("./shell.ts");
  return runShell(asked, brokerOf(globals.delivery, process.env), globals);
}
