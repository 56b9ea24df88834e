/** Commands that are not operations: help, completion, the shell; and mistyped commands. */
import { errorTable, InboxError } from "../../contract/errors.ts";
import { shellWord } from "../../contract/shell-word.ts";
import { closestCommand, didYouMean, meant } from "../../contract/suggest.ts";
import { type Inbox, openInbox } from "../../inbox/inbox.ts";
import { brokerOf, isHub, locate } from "../../location/locate.ts";
import { version, versionLine } from "../../version.ts";
import { connect } from "../client/client.ts";
import { commandNames, findCommand, ownCommands, type Program, subcommandsOf } from "./commands.ts";
import { completion } from "./completion.ts";
import { nameKinds, namesOf } from "./completion-names.ts";
import { globalFlags } from "./flags.ts";
import { commandHelp, groupHelp, ownHelp, programHelp } from "./help.ts";
import { complain, writeOut } from "./output.ts";
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
      return writeOut(globals.json ? `${JSON.stringify({ ok: true, version })}\n` : versionLine(program));
    if (globals.help) return writeOut(programHelp(program, version));
    if (argv.length)
      throw new InboxError("invalid_input", `a command is missing after ${argv.join(" ")}`, {
        hint: `${program} --help lists the commands`,
      });
    complain(isFirstTime(program, globals.db) ? welcome : programHelp(program, version));
    return errorTable.invalid_input.exit;
  }
  const wantsHelp = argv.some((token) => token === "--help" || token === "-h");
  const own = Object.hasOwn(ownCommands(program), word) ? ownHelp[word] : undefined;
  if (own && wantsHelp) return writeOut(own(program));
  if (word === "help") {
    const about = argv.slice(argv.indexOf("help") + 1).filter((token) => !token.startsWith("-"));
    return writeOut(helpAbout(about, program));
  }
  if (word === "completion" && argument === "names") return writeOut(await completedNames(words[2], argv));
  if (word === "completion") return writeOut(completion(argument, program));
  if (program === "inbox" && word === "shell") return openShell(argv.filter((token) => token !== "shell"));
  if (!subcommandsOf(word, program).length) throw unknownCommand(word, program);
  if (argument === undefined && wantsHelp) return writeOut(groupHelp(word, program));
  throw missingSubcommand(word, argument, program);
}

/** [N1] A first-time user: a list of a hundred commands would not help. */
function isFirstTime(program: Program, db: string | undefined): boolean {
  if (program !== "inbox") return false;
  try {
    locate({ db, env: process.env, cwd: process.cwd() });
    return false;
  } catch (error) {
    return error instanceof InboxError && error.code === "not_initialized";
  }
}

const welcome = `There is no bus in this folder yet, nor in any above it.

  inbox quickstart   sets one up: the bus, the agent programs you have, the hub, the page
  inbox demo         shows what it is for, in a folder that is removed afterwards
  inbox init         creates the bus and nothing else
  inbox --help       lists all commands
`;

function helpAbout(words: readonly string[], program: Program): string {
  const [word, argument] = words;
  if (word === undefined) return programHelp(program, version);
  const own = Object.hasOwn(ownCommands(program), word) ? ownHelp[word] : undefined;
  if (own) return own(program);
  const command = findCommand(words, program)?.command;
  if (command !== undefined) return commandHelp(command, program);
  if (!subcommandsOf(word, program).length) throw unknownCommand(word, program);
  if (argument === undefined) return groupHelp(word, program);
  throw missingSubcommand(word, argument, program);
}

/** [C12] The name of a group alone, or with a word that is not one of its commands. */
function missingSubcommand(word: string, argument: string | undefined, program: Program): InboxError {
  const names = [...new Set(subcommandsOf(word, program).map((name) => name.slice(word.length + 1)))];
  const hint = `${program} ${word} --help shows what each does`;
  if (argument === undefined)
    return new InboxError(
      "invalid_input",
      `${program} ${word}: missing subcommand; one of: ${names.join(", ")}`,
      { hint },
    );
  const guess = didYouMean(argument, names);
  return new InboxError(
    "invalid_input",
    `${program} ${word} has no command "${argument}"; ${guess || `one of: ${names.join(", ")}`}`,
    { hint },
  );
}

function unknownCommand(word: string, program: Program): InboxError {
  const groups = commandNames(program).flatMap((name) => (name.includes(" ") ? [name.split(" ")[0]!] : []));
  const names = new Set([...commandNames(program), ...groups, ...Object.keys(ownCommands(program))]);
  const other = program === "inbox" ? "orch" : "inbox";
  if (findCommand([word], other) || subcommandsOf(word, other).length)
    return new InboxError("invalid_input", `${program} has no command "${word}", but ${other} has one`, {
      hint: `${other} ${word} --help shows its usage`,
    });
  if (/^\w+:\/\//.test(word))
    return new InboxError("invalid_input", `${program} has no command "${word}", which is an address`, {
      hint: `--db names the bus: ${program} --db ${shellWord(word)} COMMAND`,
    });
  if (globalFlags.some(({ name, value }) => name === `--${word}` && value === undefined))
    return new InboxError("invalid_input", `${program} has no command "${word}"; did you mean "--${word}"?`, {
      hint: `it is a flag: ${program} --${word}`,
    });
  const close = closestCommand(word, names);
  const guess = meant(close);
  return new InboxError("invalid_input", `${program} has no command "${word}"${guess ? `; ${guess}` : ""}`, {
    hint: guess ? `${program} help ${close[0]} shows its usage` : `${program} --help lists the commands`,
  });
}

/** One name per line; nothing if the bus cannot be read: the user has pressed Tab in the middle of a command line. */
async function completedNames(kind: string | undefined, argv: readonly string[]): Promise<string> {
  const { globals } = scanArguments(argv, [], "completion");
  const found = nameKinds.find((name) => name === kind);
  if (!found)
    throw new InboxError(
      "invalid_input",
      `the kind of names must be one of ${nameKinds.join(", ")}; got ${kind === undefined ? "none" : JSON.stringify(kind)}`,
      {
        hint: `for example: inbox completion names ${nameKinds[0]}`,
      },
    );
  try {
    const location = locate({ db: globals.db, env: process.env, cwd: process.cwd() });
    const token = globals.token ?? (process.env.INBOX_TOKEN || undefined);
    const inbox = (isHub(location) ? connect(location, { token }) : openInbox(location)) as Inbox;
    const names = await namesOf(inbox, found).finally(() => inbox.close());
    return names.map((name) => `${name}\n`).join("");
  } catch {
    return "";
  }
}

function openShell(argv: readonly string[]): Promise<number> | number {
  const { globals } = scanArguments(argv, [], "shell");
  const asked = { db: globals.db, env: process.env, cwd: process.cwd() };
  const { runShell } = require("./shell.ts") as typeof import("./shell.ts");
  return runShell(asked, brokerOf(process.env, globals.delivery), globals);
}
