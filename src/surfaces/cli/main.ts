/** One run of the program: arguments in, an exit code out. */
import { asInboxError, errorTable, InboxError } from "../../contract/errors.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import type { OperationName } from "../../contract/operations/index.ts";
import { closest, didYouMean } from "../../contract/suggest.ts";
import { actAs, requireOwner } from "../../identity.ts";
import { type BusOperation, type Handed, type Inbox, openInbox } from "../../inbox.ts";
import { type LocalOperation, runLocal } from "../../local.ts";
import { brokerOf, isHub, isServer, locate } from "../../location.ts";
import { fs } from "../../system.ts";
import { version } from "../../version.ts";
import { connect } from "../client/client.ts";
import { paintFor } from "../text/paint.ts";
import { snakeCase } from "../text/recase.ts";
import { render } from "../text/render.ts";
import {
  commandNames,
  findCommand,
  operationsOf,
  ownCommands,
  type Program,
  subcommandsOf,
} from "./commands.ts";
import { completion } from "./completion.ts";
import { exportEntries, importEntries } from "./entries.ts";
import { flagsOf } from "./flags.ts";
import { commandHelp, programHelp } from "./help.ts";
import { type CommandInput, inputOf } from "./input.ts";
import { followLog } from "./log.ts";
import { runMcp } from "./mcp.ts";
import { complain, hasOutput, print } from "./output.ts";
import { leadingWords, type Scanned, scanArguments } from "./scan.ts";
import { runHub } from "./serve.ts";
import { runSetup } from "./setup.ts";
import { runSupervisor } from "./supervise.ts";

const exitNothing = 10;
/** What a shell reports for a program that died of a closed pipe. */
const exitBrokenPipe = 141;

export async function main(argv: readonly string[], program: Program): Promise<number> {
  try {
    checkEncoding(argv);
    return await dispatch(argv, program);
  } catch (error) {
    return report(asInboxError(error), argv.includes("--json"));
  }
}

async function dispatch(argv: readonly string[], program: Program): Promise<number> {
  const { words, at } = leadingWords(argv);
  const found = findCommand(words, program);
  if (!found) return withoutOperation(words, argv, program);
  const { command, length } = found;
  const rest = argv.toSpliced(at, length);
  const forms = operationsOf(command, program);
  const scanned = scanForms(forms, rest, command, program);
  if (scanned.globals.version) return say(`${program} ${version}\n`);
  if (scanned.globals.help) return say(commandHelp(command, program));
  const op = chooseForm(forms, scanned);
  return run(op, inputOf(op, scanned, { cwd: process.cwd(), env: process.env, program }), scanned);
}

/** Most commands have one form. Of two, the likelier one is tried alone: building a schema costs time. */
function scanForms(
  forms: readonly AnyOperation[],
  rest: readonly string[],
  command: string,
  program: Program,
): Scanned {
  const plainFirst = rest[0] !== undefined && !rest[0].startsWith("-");
  const likely = forms.find((op) => (op.cli.plain !== undefined) === plainFirst);
  if (forms.length > 1 && likely) {
    try {
      return scanArguments(rest, flagsOf(likely), command, { program });
    } catch {
      // A flag of the other form, or of none.
    }
  }
  // [Q1] In the queue's commands every option may be written key=value.
  const assigns = program === "orch" || forms.every((op) => op.cli.plain === undefined);
  return scanArguments(rest, forms.flatMap(flagsOf), command, { assigns, program });
}

/** Of two operations with one name the first that knows all that was given. */
function chooseForm(forms: readonly AnyOperation[], { given, plain }: Scanned): AnyOperation {
  const fits = (op: AnyOperation) => {
    if (plain.length > (op.cli.plain?.length ?? 0)) return false;
    return given.every(({ flag }) => flagsOf(op).some(({ name }) => name === flag));
  };
  return forms.find(fits) ?? forms.find((op) => plain.length > 0 && op.cli.plain) ?? forms[0]!;
}

async function run(op: AnyOperation, command: CommandInput, scanned: Scanned): Promise<number> {
  const { globals } = scanned;
  const asked = { db: globals.db, delivery: globals.delivery, env: process.env, cwd: process.cwd() };
  const delivery = brokerOf(globals.delivery, process.env);
  if (op.name === "bus.serve") {
    await runHub(asked, delivery, command, (output) => answer(op, { value: output }, command, globals.json));
    return 0;
  }
  if (op.name === "bus.mcp") return runMcp(asked, delivery, globals, command);
  if (op.name === "bus.setup")
    return answer(op, { value: await runSetup(asked, command, globals.json) }, command, globals.json);
  if (op.name === "bus.supervise")
    return answer(op, { value: await runSupervisor(asked, delivery) }, command, globals.json);
  if (op.kind === "local") {
    const value = await runLocal(op.name as LocalOperation, asked, command.input, command.label);
    return answer(op, { value }, command, globals.json);
  }
  const token = globals.token ?? (process.env.INBOX_TOKEN || undefined);
  const location = locate(asked);
  const inbox = await openBus(location, delivery, token, op, command.input);
  try {
    return await act(inbox, op, command, globals.json, token !== undefined);
  } finally {
    // A file needs no farewell, and it would take time; a server's waiters may still have to be told.
    if (isServer(location) || delivery !== undefined) await inbox.close();
  }
}

async function act(
  inbox: Inbox,
  op: AnyOperation,
  command: CommandInput,
  json: boolean,
  verified: boolean,
): Promise<number> {
  const { label } = command;
  if (op.name === "tasks.log" && command.input.follow) return followLog(inbox, command.input, json);
  const { idempotencyKey, ...input } = command.input as { idempotencyKey?: string } & Record<string, unknown>;
  if (op.cli.stream && input[op.cli.stream]) {
    for await (const record of inbox.follow(input, { label }))
      if (!(await print(`${JSON.stringify(snakeCase(record))}\n`))) return exitBrokenPipe;
    return 0;
  }
  if (op.name === "entries.export") return (await exportEntries(inbox, input)) ? 0 : exitBrokenPipe;
  if (op.name === "entries.import") {
    const value = await importEntries(inbox, String(input.entries ?? "-"), command.warnings);
    const exit = await answer(op, { value }, command, json);
    return exit || (command.warnings.length ? errorTable.invalid_input.exit : 0);
  }
  return answer(
    op,
    await inbox.hand(op.name as BusOperation, input as never, {
      label,
      idempotencyKey,
      verified,
    }),
    command,
    json,
  );
}

/** A file here, or a hub somewhere: from here on nobody can tell. */
async function openBus(
  location: string,
  delivery: string | undefined,
  token: string | undefined,
  op: AnyOperation,
  input: Record<string, unknown>,
): Promise<Inbox> {
  if (isHub(location)) return connect(location, { token }) as Inbox;
  const journal = { complain: (message: string) => complain(`warning: ${message}\n`) };
  const inbox = openInbox(location, { delivery, brief: true, journal });
  if (token !== undefined) actAs(await requireOwner(inbox, token), op, input);
  return inbox;
}

/** Prints the answer, and only then collects what it contains. */
async function answer(
  op: AnyOperation,
  handed: Handed<unknown>,
  { warnings }: CommandInput,
  json: boolean,
): Promise<number> {
  const { value } = handed;
  const text = json ? jsonAnswer(op, value as object, warnings) : await humanAnswer(op, value, warnings);
  let taken = false;
  try {
    taken = (!handed.confirm || (await hasOutput())) && (await print(text));
  } finally {
    if (!taken) await handed.giveBack?.();
  }
  if (!taken) return exitBrokenPipe;
  try {
    await handed.confirm?.();
  } catch (error) {
    const { code, message } = asInboxError(error);
    complain(`warning: what you see was not marked as read: ${message}\n`);
    // It has become another's: whoever goes by the exit code does nothing with it.
    if (code === "conflict") return errorTable.conflict.exit;
  }
  if (op.name === "bus.doctor" && !(value as { healthy: boolean }).healthy) return errorTable.storage.exit;
  return op.nothing?.(value) ? exitNothing : 0;
}

function jsonAnswer(op: AnyOperation, value: object, warnings: readonly string[]): string {
  if (op.cli.shape === "channel")
    return `${JSON.stringify(bareAnswer(op, value as Record<string, unknown>))}\n`;
  const fields = snakeCase(value) as object;
  return `${JSON.stringify({ ok: true, command: op.cli.command, ...fields, ...(warnings.length && { warnings }) })}\n`;
}

/** The field the protocol shows; what else there is goes into it, where it is an object. */
function bareAnswer({ cli: { bare } }: AnyOperation, value: Record<string, unknown>): unknown {
  if (bare === undefined) return value;
  const { [bare]: shown, ...rest } = value;
  return Array.isArray(shown) ? shown : { ...(shown as object), ...rest };
}

async function humanAnswer(op: AnyOperation, value: unknown, warnings: readonly string[]): Promise<string> {
  for (const warning of warnings) complain(`warning: ${warning}\n`);
  return `${render(op.name as OperationName, value as never, paintFor(1))}\n`;
}

async function withoutOperation(
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
  if (word === "help") {
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
  if (globals.help) return say(shellHelp);
  const { runShell } = require("./shell.ts") as typeof import("./shell.ts");
  return runShell(asked, brokerOf(globals.delivery, process.env), globals);
}

const shellHelp = `Type the slash commands one after another, acting for main (or --agent NAME).

Usage: inbox shell [--agent NAME] [--db PATH]

  /push name=research "Compare the two drafts"
  /run
  /receive
  /help

Lines may also come from a pipe: inbox shell < commands
`;

async function say(text: string): Promise<number> {
  return (await print(text)) ? 0 : exitBrokenPipe;
}

async function report(error: InboxError, json: boolean): Promise<number> {
  const { exit } = errorTable[error.code];
  if (json) {
    try {
      const printed = await print(`${JSON.stringify({ ok: false, error: error.shape() })}\n`);
      return printed ? exit : exitBrokenPipe;
    } catch {
      // Standard output itself is what fails: say it where it can still be heard.
    }
  }
  const paint = paintFor(2);
  complain(
    `${paint.red("error")} ${error.message} ${paint.dim(`(${error.code})`)}\n${paint.dim("hint")}  ${error.hint}\n`,
  );
  if (error.code === "internal" && process.env.INBOX_DEBUG)
    complain(`${String((error.cause as Error)?.stack)}\n`);
  return exit;
}

/** The runtime turns bytes that are no text into U+FFFD without a word; what was typed would be stored altered. */
function checkEncoding(argv: readonly string[]): void {
  if (!argv.some((token) => token.includes("\ufffd"))) return;
  let typed: Uint8Array;
  try {
    typed = fs().readFileSync("/proc/self/cmdline");
  } catch {
    return;
  }
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(typed);
  } catch {
    throw new InboxError("invalid_input", "an argument is not valid UTF-8 text", {
      hint: "write the text to a file in UTF-8 and use --body-file, or attach it with --artifact",
    });
  }
}
